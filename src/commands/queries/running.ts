// Running queries of all kinds: SQL and native queries of the Brokers, and SQL statements that run
// as tasks.
import type { Completer, Context } from '../../cli/command/command.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { ServiceError } from '../../client/errors.ts';
import { sql } from '../../contract/sql.ts';
import { type TaskStatus, tasks } from '../../contract/tasks.ts';

export interface Running {
  readonly id: string;
  readonly kind: 'sql' | 'native' | 'task';
  readonly state: string | null | undefined;
  readonly user: string | null | undefined;
  readonly started: string | null | undefined;
  readonly engine: string | null | undefined;
  readonly query: string | null | undefined;
}

/** The running queries; `isPartial` where the service does not list those of its Brokers. */
export async function listRunning({ call }: Pick<Context, 'call'>): Promise<{
  readonly queries: readonly Running[];
  readonly isPartial: boolean;
}> {
  const [ofBrokers, controllers] = await Promise.all([listAtBrokers(call), listTasks(call)]);
  return { queries: [...(ofBrokers ?? []), ...controllers], isPartial: ofBrokers === undefined };
}

/** The ids of running queries. */
export const runningIds: Completer = async (context) =>
  (await listRunning(context)).queries.map(({ id }) => id);

async function listAtBrokers(call: Context['call']): Promise<readonly Running[] | undefined> {
  const reply = await call(sql.queries, { query: { includeNative: true } }).catch(
    (error: unknown) => {
      if (error instanceof ServiceError && (error.isLacking || error.status === 404)) return;
      throw error;
    },
  );
  return reply?.queries.flatMap((one) => {
    const { sqlQueryId, queryId, engine, state, identity, startTime } = one;
    const id = sqlQueryId ?? queryId;
    if (id === undefined || id === null) return [];
    const isNative = sqlQueryId === undefined;
    return {
      id,
      kind: isNative ? ('native' as const) : ('sql' as const),
      state,
      user: identity,
      started: startTime,
      engine,
      query: isNative ? one.query : one.sql,
    };
  });
}

const mostAsked = 20; // payloads, one request each

async function listTasks(call: Context['call']): Promise<readonly Running[]> {
  const listed = await ifKnown(call(tasks.running, { query: { type: 'query_controller' } }));
  const asked = (listed ?? []).map(async (task, at) => describe(task, at < mostAsked, call));
  return Promise.all(asked);
}

async function describe(
  { id, runnerStatusCode, createdTime }: TaskStatus,
  asksPayload: boolean,
  call: Context['call'],
): Promise<Running> {
  const found = asksPayload
    ? await ifKnown(call(tasks.get, { params: { taskId: id } }))
    : undefined;
  const payload: Readonly<Record<string, unknown>> = found?.payload ?? {};
  const { sqlQuery, sqlQueryContext } = payload;
  const user =
    typeof sqlQueryContext === 'object' && sqlQueryContext !== null && '__user' in sqlQueryContext
      ? String(sqlQueryContext.__user)
      : undefined;
  return {
    id,
    kind: 'task',
    state: runnerStatusCode,
    user,
    started: createdTime,
    engine: 'msq-task',
    query: typeof sqlQuery === 'string' ? sqlQuery : undefined,
  };
}
