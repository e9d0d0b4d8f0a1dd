import { type Context, command, optionsFromQuery } from '../../cli/command/command.ts';
import { datasourceNames } from '../../cli/completion/completers.ts';
import { type Cell, columnsOf } from '../../cli/lists/columns.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { count, flag, optional } from '../../contract/schema.ts';
import { type TaskStatus, tasks } from '../../contract/tasks.ts';
import { poll } from '../shared/waiting/poll.ts';

interface Change {
  readonly time: string;
  readonly id: string;
  readonly type: string;
  readonly dataSource: string;
  readonly state: string;
  readonly errorMsg?: string | null | undefined;
}

const columns = columnsOf<Change>({
  id: (change) => change.id,
  time: { value: (change) => change.time, kind: 'time', show: formatMoment },
  type: (change) => change.type,
  state: { value: (change) => change.state, kind: 'state' },
  datasource: { value: (change) => change.dataSource, wide: true },
  error: { value: (change) => change.errorMsg, wide: true },
});

// Rows stay on the screen, so a relative time would soon be wrong.
function formatMoment(cell: Cell, now?: number): string {
  if (now === undefined) return String(cell);
  const [day = '', time = ''] = String(cell)
    .replace(/\.\d+Z$/, 'Z')
    .split('T');
  return new Date(now).toISOString().startsWith(day) ? time : `${day}T${time}`;
}

const { datasource, type } = optionsFromQuery(tasks.running);

export const watch = command({
  summary: 'Follow task events as they occur',
  description:
    'Prints one row per change of state: WAITING for locks, PENDING for a slot, RUNNING, then the result. Ctrl-C ends the watch, not the tasks.',
  examples: [
    'svcctl tasks watch --type compact --until-idle',
    'svcctl tasks watch --type kill --recent 3 --until-idle',
  ],
  endpoints: [tasks.running, tasks.pending, tasks.waiting, tasks.complete, tasks.statuses],
  options: {
    datasource,
    type,
    recent: optional(count, 'Start with this many finished tasks'),
    untilIdle: optional(flag, 'Exit when no matching task is active'),
  },
  columns: 'dynamic', // no list that stands still
  completers: { datasource: datasourceNames },
  async run(context, { options }) {
    if (context.settings.watch !== undefined)
      throw new UsageError(
        '--watch repeats lists; this one is already updated continuously',
        'leave it out',
      );
    await context.out.rows(changes(context, options), columns);
  },
});

interface Options {
  readonly datasource?: string;
  readonly type?: string;
  readonly recent?: number;
  readonly untilIdle?: boolean;
}

async function* changes(
  context: Context,
  { recent, untilIdle, ...query }: Options,
): AsyncGenerator<readonly Change[]> {
  const { call } = context;
  if (recent !== undefined) {
    const ended = await call(tasks.complete, { query: { ...query, max: recent, n: recent } });
    yield ended
      .slice(0, recent)
      .reverse()
      .map((task) => changeOf(task, task.statusCode, Date.parse(task.createdTime) + task.duration));
  }
  const look = async () => {
    const active = (
      await Promise.all(
        [tasks.waiting, tasks.pending, tasks.running].map((list) => call(list, { query })),
      )
    ).flat();
    const present = new Map(active.map((task) => [task.id, task]));
    const gone = [...known.keys()].filter((id) => !present.has(id));
    return { present, ends: gone.length > 0 ? await call(tasks.statuses, { body: gone }) : {} };
  };
  let known = new Map<string, TaskStatus>();
  for await (const { present, ends } of poll(look, context, { what: 'Tasks are active' })) {
    const changed: Change[] = [];
    for (const [id, { status, errorMsg = null }] of Object.entries(ends)) {
      const task = known.get(id);
      if (task && status === 'RUNNING')
        present.set(id, task); // it moved between the lists while they were read
      else if (task) changed.push(changeOf({ ...task, errorMsg }, status, Date.now()));
    }
    for (const task of present.values())
      if (known.get(task.id)?.runnerStatusCode !== task.runnerStatusCode)
        changed.push(changeOf(task, task.runnerStatusCode, Date.now()));
    if (changed.length > 0) yield changed;
    known = present;
    if (untilIdle && known.size === 0) return;
  }
}

const changeOf = (
  { id, type, dataSource, errorMsg }: TaskStatus,
  state: string,
  time: number,
): Change => ({
  time: new Date(time).toISOString(),
  id,
  type,
  dataSource,
  state,
  errorMsg,
});
