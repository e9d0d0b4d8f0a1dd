import { type Context, command } from '../../cli/command/command.ts';
import { metadata } from '../../contract/metadata.ts';
import { flag, intervalText, optional, required, seconds, text } from '../../contract/schema.ts';
import { segments } from '../../contract/segments.ts';
import { tasks } from '../../contract/tasks.ts';
import { commandLine } from '../../model/shell-text.ts';
import { checkKnown } from '../shared/datasources/known-datasource.ts';
import { checkInterval, completers } from '../shared/segments/segment-selection.ts';
import { countOfUnused, findUnusedSegments } from '../shared/segments/unused-segments.ts';
import { waitForTask } from '../shared/tasks/wait-for-task.ts';
import { mayLeave } from '../shared/waiting/leaving.ts';
import { poll } from '../shared/waiting/poll.ts';

export const kill = command({
  summary: 'Delete unused segments of an interval permanently',
  description: 'Starts a task that deletes unused segments permanently. Segments in use are kept.',
  examples: ['svcctl segments kill wikipedia --interval 2015-01-01/2016-01-01 --confirm=wikipedia'],
  endpoints: [segments.kill, metadata.unusedSegments, tasks.list, tasks.status],
  arguments: { dataSource: required(text, 'Name of the datasource') },
  options: {
    interval: required(intervalText, 'ISO interval of the segments'),
    wait: optional(flag, 'Wait for the kill task; the exit code tells the result'),
    maxWait: optional(seconds, 'With --wait: timeout in seconds'),
  },
  completers,
  needs: { maxWait: 'wait' },
  writes: 'destroy',
  async run(context, { args: { dataSource }, options }) {
    const { call, confirm, out, dryRun } = context;
    const interval = checkInterval(options.interval);
    const doomed = await findUnusedSegments(context, dataSource, interval);
    if (doomed?.length === 0) {
      await checkKnown(context, dataSource);
      return out.note(`Datasource [${dataSource}] has no unused segments in [${interval}].`);
    }
    await confirm({
      level: 'destroy',
      what: `Delete ${countOfUnused(doomed)} of datasource [${dataSource}]`,
      name: dataSource,
    });
    const before = options.wait ? await killTasks(context, dataSource) : [];
    await call(segments.kill, { params: { dataSource, interval: interval.replace('/', '_') } });
    if (dryRun) return;
    out.changed(
      dataSource,
      `A task deletes ${countOfUnused(doomed)}.`,
      commandLine`svcctl tasks list --type kill --datasource ${dataSource}`,
    );
    if (!options.wait) return;
    const comeBack = commandLine`svcctl tasks list --type kill --datasource ${dataSource} --watch`;
    const id = await mayLeave(
      context,
      { goesOn: 'The service starts a task that deletes them', comeBack },
      (signal) =>
        newTask({ ...context, signal }, dataSource, { before, maxWait: options.maxWait ?? 60 }),
    );
    await waitForTask(context, id, { maxWait: options.maxWait, isKnown: true });
  },
});

interface New {
  readonly before: readonly string[];
  readonly maxWait: number; // seconds
}

async function newTask(
  context: Context,
  dataSource: string,
  { before, maxWait }: New,
): Promise<string> {
  const look = async () =>
    (await killTasks(context, dataSource)).find((id) => !before.includes(id));
  for await (const id of poll(look, context, {
    what: 'No task has started to delete them',
    maxWait,
    isKnown: true,
  }))
    if (id !== undefined) return id;
  throw new Error('Polling the tasks ended without a result');
}

// The service creates the task but does not return its id.
const killTasks = async ({ call }: Context, datasource: string) =>
  (await call(tasks.list, { query: { datasource, type: 'kill' } })).map(({ id }) => id);
