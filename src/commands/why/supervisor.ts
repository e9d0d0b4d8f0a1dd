import { type Context, command } from '../../cli/command/command.ts';
import { type Finding, findingColumns, printFindings } from '../../cli/command/findings.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { type SupervisorStatus, supervisors } from '../../contract/supervisors.ts';
import { tasks } from '../../contract/tasks.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  completers,
  hints,
  identified,
  supervisorId,
} from '../shared/supervisors/supervisor-id.ts';
import { meaningOf } from './supervisor-states.ts';

type Payload = SupervisorStatus['payload'];

export const supervisor = command({
  summary: 'Explain why a supervisor is or is not reading',
  description:
    'Prints one line per link of the chain of causes, with a remedy where one is known; -o json has the numbers behind it.',
  examples: ['svcctl why supervisor edits', 'svcctl why supervisor edits --output json'],
  endpoints: [supervisors.status, supervisors.get, tasks.list],
  arguments: supervisorId,
  completers,
  ids: { supervisorId: identified },
  hints,
  columns: findingColumns,
  async run(context, { args }) {
    const { payload } = await context.call(supervisors.status, { params: args });
    await printFindings(context, await chainOf(context, args.supervisorId, payload));
  },
});

async function chainOf(
  { call }: Context,
  id: string,
  payload: Payload,
): Promise<readonly Finding[]> {
  const { dataSource } = payload;
  const query = dataSource ? { datasource: dataSource } : {};
  const [spec, listed] = await Promise.all([
    ifKnown(call(supervisors.get, { params: { supervisorId: id } })),
    ifKnown(call(tasks.list, { query })),
  ]);
  const io = (spec?.spec?.ioConfig ?? {}) as { taskCount?: unknown; replicas?: unknown };
  const wanted = numberOr(io.taskCount, 1) * numberOr(io.replicas, 1);
  const reads = payload.suspended !== true;
  const own = (listed ?? []).filter(({ type }) => type.startsWith('index_'));
  return [
    stateFinding(id, payload),
    ...errorFindings(payload),
    ...(reads
      ? [taskFinding(payload, Math.min(wanted, Math.max(1, payload.partitions ?? wanted)))]
      : []),
    ...(reads
      ? queueFindings(
          own.filter(
            ({ runnerStatusCode }) =>
              runnerStatusCode === 'PENDING' || runnerStatusCode === 'WAITING',
          ),
        )
      : []),
    ...failureFindings(own.filter(({ statusCode }) => statusCode === 'FAILED')),
    ...lagFinding(id, payload),
  ];
}

function stateFinding(id: string, payload: Payload): Finding {
  const { suspended, state } = payload;
  const detailed = payload.detailedState ?? state ?? 'unknown';
  const facts = { state, detailedState: detailed, suspended, healthy: payload.healthy };
  if (suspended)
    return {
      check: 'state',
      state: 'warning',
      says: `It is suspended: it reads nothing until it is resumed`,
      remedy: commandLine`svcctl supervisors resume ${id}`,
      facts,
    };
  const { means, remedy, isBad } = meaningOf(detailed, id);
  const isUnhealthy = isBad || payload.healthy === false;
  return {
    check: 'state',
    state: isUnhealthy ? 'critical' : 'ok',
    says: `It is ${detailed}: ${means}`,
    ...(remedy !== undefined && { remedy }),
    facts,
  };
}

// The same error recurs in every run: print each one once, the newest first.
function errorFindings({ recentErrors, stream }: Payload): readonly Finding[] {
  const known = new Map<string, Readonly<Record<string, unknown>>>();
  for (const error of recentErrors ?? [])
    known.set(String(error.message ?? error.exceptionClass ?? 'an error without a message'), error);
  return [...known].reverse().map(([message, error]) => ({
    check: 'error',
    state: 'critical',
    says: `${message}${error.streamException === true && stream ? ` (reading [${stream}])` : ''}${error.timestamp ? `, last at ${error.timestamp}` : ''}`,
    facts: error,
  }));
}

function taskFinding({ activeTasks, publishingTasks }: Payload, wanted: number): Finding {
  const [reading, publishing] = [
    Array.isArray(activeTasks) ? activeTasks.length : 0,
    publishingTasks?.length ?? 0,
  ];
  const says = `${reading} of ${wanted} ${wanted === 1 ? 'task reads' : 'tasks read'}, ${publishing} ${publishing === 1 ? 'publishes' : 'publish'}`;
  return {
    check: 'tasks',
    state: reading >= wanted ? 'ok' : 'warning',
    says,
    facts: { reading, wanted, publishing },
  };
}

const queueFindings = (
  waiting: readonly { readonly id: string; readonly runnerStatusCode: string }[],
): readonly Finding[] =>
  waiting.slice(0, 3).map(({ id, runnerStatusCode }) => ({
    check: 'slots',
    state: 'critical',
    says: `Its task [${id}] is ${runnerStatusCode}: it has no ${runnerStatusCode === 'WAITING' ? 'locks' : 'slot'} yet`,
    remedy: commandLine`svcctl why task ${id}`,
  }));

function failureFindings(
  failed: readonly { readonly id: string; readonly errorMsg?: string | null }[],
): readonly Finding[] {
  const [last] = failed;
  if (!last) return [];
  const says = `${failed.length} of its tasks ${failed.length === 1 ? 'has' : 'have'} failed of late, the last one: ${last.errorMsg || 'without a reason'}`;
  return [
    {
      check: 'failures',
      state: 'warning',
      says,
      remedy: commandLine`svcctl why task ${last.id}`,
      facts: { failed: failed.map(({ id }) => id) },
    },
  ];
}

function lagFinding(
  id: string,
  { aggregateLag, minimumLag, offsetsLastUpdated }: Payload,
): readonly Finding[] {
  if (aggregateLag === undefined || aggregateLag === null) return [];
  if (!offsetsLastUpdated)
    return [{ check: 'lag', state: 'note', says: 'Its lag is not measured yet' }];
  const worst = Object.entries(minimumLag ?? {}).sort(([, a], [, b]) => Number(b) - Number(a))[0];
  const where =
    worst && Number(worst[1]) > 0 ? `, most of them in partition ${worst[0]} (${worst[1]})` : '';
  return [
    {
      check: 'lag',
      state: Number(aggregateLag) > 0 ? 'note' : 'ok',
      says: `${aggregateLag} ${Number(aggregateLag) === 1 ? 'record is' : 'records are'} left to read${where}`,
      ...(Number(aggregateLag) > 0 && {
        remedy: commandLine`svcctl supervisors wait ${id} --max-lag 0`,
      }),
      facts: { aggregateLag, minimumLag },
    },
  ];
}

const numberOr = (value: unknown, usual: number) => (typeof value === 'number' ? value : usual);
