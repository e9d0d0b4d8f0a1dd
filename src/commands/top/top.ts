import { type Context, command } from '../../cli/command/command.ts';
import { isColored } from '../../cli/output/color.ts';
import { painterOn } from '../../cli/output/painter.ts';
import { CommandError, UsageError } from '../../cli/process/errors.ts';
import { type ExitCode, exitCodes } from '../../cli/process/exit-codes.ts';
import { isAutomated, isPlainTerminal } from '../../cli/process/io.ts';
import { hasUnicode, marksFor } from '../../cli/terminal/marks.ts';
import { openScreen } from '../../cli/terminal/screen.ts';
import { ServiceError } from '../../client/errors.ts';
import { cluster } from '../../contract/cluster.ts';
import { flag, optional, seconds } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { tasks } from '../../contract/tasks.ts';
import { workers } from '../../contract/workers.ts';
import { longestTimerMs } from '../../model/longest-timer.ts';
import { type FrameLook, frameOf } from './frame.ts';
import { snapshotOf, type TopSnapshot } from './snapshot.ts';

export const top = command({
  summary: 'Work with tasks, supervisors, segments, services and queries on a live screen',
  description:
    'The keys 1 to 5 choose a view, arrows a row. Enter explains it (as svcctl why), l shows the log of a task, r a report; c cancels after a question. s sorts, / filters, : takes a command, ? lists all keys, q or Ctrl-C ends it. Lines of blocks show the last minutes: used slots, lag, queries and ingested rows per second. Without a terminal, and with --once, it prints one frame of everything; -o json has the numbers.',
  examples: ['svcctl top --once', 'svcctl top --output json'],
  endpoints: [
    tasks.list,
    tasks.capacity,
    supervisors.list,
    supervisors.status,
    cluster.loadQueue,
    cluster.servers,
    sql.queries,
    sql.query,
    sql.cancel,
    tasks.reports,
    tasks.shutdown,
    supervisors.stats,
    supervisors.suspend,
    supervisors.resume,
    cluster.nodes,
    workers.list,
  ],
  writes: 'change',
  options: {
    once: optional(flag, 'Print one frame and exit'),
    every: optional(seconds, 'Refresh interval in seconds (default 2)'),
  },
  async run(context, { options: { once, every = 2 } }) {
    if (!(every >= 0.1))
      throw new UsageError(
        `Invalid value for --every: [${every}] is less than 0.1`,
        'an example: --every 5',
      );
    const { io, out, settings } = context;
    const { stdout, env } = io;
    const first = await snapshotOf(context).catch((error: unknown) =>
      explainByRole(context, error),
    );
    if (
      settings.query !== undefined ||
      (out.format !== undefined && out.format !== 'table' && out.format !== 'wide')
    )
      return out.document(first);
    const isLive = !once && Boolean(stdout.isTTY) && !isPlainTerminal(env) && !isAutomated(env);
    const look = await lookOf(context);
    if (isLive) return watch(context, first, Math.min(every * 1000, longestTimerMs), look);
    const width = (stdout.isTTY && stdout.columns) || 120;
    await out.text([`${frameOf(first, { ...look, width }).join('\n')}\n`]);
  },
});

// The error for a server without tasks includes its role, as in profiles test.
async function explainByRole(context: Context, error: unknown): Promise<never> {
  if (!(error instanceof ServiceError) || error.status !== 404) throw error;
  const [{ examineName }, { placeOf }] = await Promise.all([
    import('../shared/services/name.ts'),
    import('../shared/services/place.ts'),
  ]);
  const findings = await examineName(
    placeOf(context, context.resolved, undefined, ['top']),
    await context.connect(),
  );
  const wrong = findings.find(({ state }) => state !== 'ok');
  throw wrong ? new CommandError('failed', wrong.says, wrong.remedy) : error;
}

async function lookOf({ io, resolved }: Context): Promise<Omit<FrameLook, 'width'>> {
  return { marks: marksFor(io.env), painter: await painterOn(io.stdout, resolved, io.env) };
}

async function watch(
  context: Context,
  first: TopSnapshot,
  everyMs: number,
  look: Omit<FrameLook, 'width'>,
): Promise<ExitCode> {
  const { dryRun, io, ownInterrupts, signal, profile, resolved } = context;
  const [{ TopSession }, { linesOf }, { views }] = await Promise.all([
    import('./session.ts'),
    import('./captured.ts'),
    import('./views.ts'),
  ]);
  const chosen = isColored(resolved, io.env, io.stdout)
    ? (await import('../../cli/terminal/style.ts')).inverse
    : (line: string) => line;
  const session = new TopSession(
    {
      context,
      views,
      snapshot: () => snapshotOf(context),
      run: async ({ load, input }, columns) => linesOf(context, await load(), input, columns),
      now: Date.now,
      look: { ...look, chosen, isUnicode: hasUnicode(io.env) },
      refuse: dryRun
        ? (title) => `Dry run: svcctl ${title} is not sent`
        : profile?.protected
          ? (title) => `The profile is protected: svcctl ${title} asks for the name`
          : undefined,
    },
    first,
    everyMs,
    (hear, resized) => openScreen(io, hear, resized),
  );
  ownInterrupts(() => session.end(exitCodes.interrupted));
  signal.addEventListener('abort', () => session.end(exitCodes.done), { once: true });
  return session.run();
}
