// Time chunks that a task has locked, and the holders of the locks that it waits for.
import type { Context } from '../../cli/command/command.ts';
import type { Finding } from '../../cli/command/findings.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { type TaskPayload, type TaskStatus, tasks } from '../../contract/tasks.ts';
import { InvalidTime } from '../../model/instant.ts';
import { type Interval, overlaps, parseInterval } from '../../model/interval.ts';
import { commandLine } from '../../model/shell-text.ts';

type Lock = Readonly<Record<string, unknown>>;

export async function lockFindings(
  context: Context,
  { id, groupId, dataSource, runnerStatusCode }: TaskStatus,
): Promise<readonly Finding[]> {
  const { call } = context;
  const [answer, known] = await Promise.all([
    ifKnown(call(tasks.activeLocks, { body: [{ datasource: dataSource }] })),
    ifKnown(call(tasks.get, { params: { taskId: id } })),
  ]);
  if (!answer) return [];
  const locks = (answer.datasourceToLocks[dataSource] ?? []) as readonly Lock[];
  const own = locks.filter((lock) => lock.groupId === groupId);
  if (runnerStatusCode !== 'WAITING') return own.length === 0 ? [] : [holding(own)];
  const wanted = known ? intervalsOf(known.payload) : [];
  const priority = priorityOf(known?.payload);
  const inTheWay = locks.filter((lock) => lock.groupId !== groupId && isWanted(lock, wanted));
  if (inTheWay.length === 0)
    return [
      {
        check: 'locks',
        state: 'note',
        says: `No other task holds a lock that it needs on datasource [${dataSource}]`,
        facts: { wanted: known?.payload },
      },
    ];
  return inTheWay.map((lock) => ({
    check: 'locks',
    state: 'critical',
    says: `Task [${lock.groupId}] has locked [${lock.interval}] (${String(lock.type ?? lock.granularity ?? 'exclusive').toLowerCase()}, priority ${lock.priority}${priority === undefined ? '' : `; this one has ${priority}`})`,
    remedy: commandLine`svcctl tasks wait ${String(lock.groupId)}`,
    facts: lock,
  }));
}

const holding = (own: readonly Lock[]): Finding => {
  const revoked = own.filter((lock) => lock.revoked === true);
  const intervals = own.map((lock) => `[${lock.interval}]`).join(', ');
  if (revoked.length === 0)
    return {
      check: 'locks',
      state: 'ok',
      says: `It has locked ${intervals}`,
      facts: { locks: own },
    };
  return {
    check: 'locks',
    state: 'critical',
    says: `A task of higher priority has taken its lock on ${revoked.map((lock) => `[${lock.interval}]`).join(', ')}: it will fail when it publishes`,
    facts: { locks: own },
  };
};

// The time chunks that a task will write, if its payload contains them. An INSERT gets them from
// its rows, so any are possible.
function intervalsOf(payload: Readonly<Record<string, unknown>>): readonly Interval[] {
  const spec = (payload.spec ?? {}) as {
    dataSchema?: { granularitySpec?: { intervals?: unknown } };
    destination?: { replaceTimeChunks?: unknown }; // of a REPLACE
  };
  const ioConfig = (payload.ioConfig ?? {}) as { inputSpec?: { interval?: unknown } };
  const given = [
    payload.interval,
    ioConfig.inputSpec?.interval,
    spec.dataSchema?.granularitySpec?.intervals,
    spec.destination?.replaceTimeChunks,
  ].flat();
  return given.flatMap((text) => {
    try {
      return typeof text === 'string' ? [parseInterval(text)] : [];
    } catch (error) {
      if (error instanceof InvalidTime) return [];
      throw error;
    }
  });
}

function isWanted(lock: Lock, wanted: readonly Interval[]): boolean {
  if (wanted.length === 0 || typeof lock.interval !== 'string') return true;
  const held = parseInterval(lock.interval);
  return wanted.some((interval) => overlaps(interval, held));
}

const priorityOf = (payload: TaskPayload | Readonly<Record<string, unknown>> | undefined) => {
  const { priority } = (payload?.context ?? {}) as { priority?: unknown };
  return typeof priority === 'number' ? priority : undefined;
};
