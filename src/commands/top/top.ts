import { type Context, command } from '../../cli/command/command.ts';
import { painterOn } from '../../cli/output/painter.ts';
import { CommandError, UsageError } from '../../cli/process/errors.ts';
import { type ExitCode, exitCodes } from '../../cli/process/exit-codes.ts';
import { isAutomated, isPlainTerminal } from '../../cli/process/io.ts';
import { marksFor } from '../../cli/terminal/marks.ts';
import { openScreen } from '../../cli/terminal/screen.ts';
import { ServiceError } from '../../client/errors.ts';
import { cluster } from '../../contract/cluster.ts';
import { flag, optional, seconds } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { tasks } from '../../contract/tasks.ts';
import { longestTimerMs } from '../../model/longest-timer.ts';
import { type FrameLook, frameOf } from './frame.ts';
import { snapshotOf, type TopSnapshot } from './snapshot.ts';

export const top = command({
  summary: 'Show a live dashboard of tasks, lag, load queue, disks and queries',
  description:
    'q or Ctrl-C ends it. Without a terminal, and with --once, it prints one frame; -o json has the numbers.',
  examples: ['svcctl top --once', 'svcctl top --output json'],
  endpoints: [
    tasks.list,
    tasks.capacity,
    supervisors.list,
    supervisors.status,
    cluster.loadQueue,
    cluster.servers,
    sql.queries,
  ],
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
  const { io, ownInterrupts, signal } = context;
  let code: ExitCode = exitCodes.done;
  let seen = first;
  let trouble: string | undefined;
  const ended = new AbortController();
  const end = (how: ExitCode) => {
    code = how;
    ended.abort();
  };
  const screen = openScreen(
    io,
    (key) => {
      if (key === 'q' || key === 'Q') end(exitCodes.done);
      else if (key === '\x03') end(exitCodes.interrupted);
    },
    () => show(),
  );
  const show = () =>
    screen.paint(frameOf(seen, { ...look, width: screen.columns, height: screen.rows }, trouble));
  ownInterrupts(() => end(exitCodes.interrupted));
  signal.addEventListener('abort', () => ended.abort(), { once: true });
  const stopped = new Promise<void>((stop) =>
    ended.signal.addEventListener('abort', () => stop(), { once: true }),
  );
  try {
    while (!ended.signal.aborted) {
      show();
      await Promise.race([pause(everyMs), stopped]);
      if (ended.signal.aborted) break;
      const asked = snapshotOf(context).then(
        (snapshot) => {
          seen = snapshot;
          trouble = undefined;
        },
        (error: unknown) => {
          trouble = `The service does not answer: ${error instanceof Error ? error.message : String(error)}`;
        },
      );
      await Promise.race([asked, stopped]);
    }
  } finally {
    screen.close();
  }
  return code;
}

const pause = (ms: number) => new Promise<void>((wake) => void setTimeout(wake, ms).unref());
