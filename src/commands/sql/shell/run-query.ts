// One statement of the shell: sent, printed and counted. Ctrl-C cancels it, on the service first.
import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { formatDuration } from '../../../cli/lists/columns.ts';
import { isColored } from '../../../cli/output/color.ts';
import { createOutput, type OpenOutput } from '../../../cli/output/output.ts';
import { progressOn } from '../../../cli/output/progress.ts';
import { CommandError } from '../../../cli/process/errors.ts';
import type { Settings } from '../../../cli/process/flags.ts';
import { type Io, mayPage, type OutIo, type Sink } from '../../../cli/process/io.ts';
import { pagerIn } from '../../../cli/terminal/pager.ts';
import { NobodyReads } from '../../../cli/terminal/stdout.ts';
import { guardStream } from '../../../cli/terminal/terminal.ts';
import { Interrupted } from '../../../client/errors.ts';
import { sql } from '../../../contract/sql.ts';
import { planResult } from '../../shared/sql/print-result.ts';
import { withQueryProgress } from '../../shared/sql/query-progress.ts';
import type { ShellSession } from './session.ts';

interface How {
  readonly file?: string; // receives the answer instead of the terminal
  readonly pages?: boolean;
}

/** Runs a statement. Throws the service's refusal, and Interrupted after Ctrl-C. */
export async function runQuery(
  session: ShellSession,
  query: string,
  io: Io,
  { file, pages = true }: How = {},
): Promise<void> {
  const { context, parameters } = session;
  const { quiet, noHeader } = session.resolved.settings;
  const queryId = randomUUID();
  const format = file === undefined ? session.format : (session.format ?? formatOf(file));
  const waited = stopwatch();

  const passed = new PassThrough();
  const stdout = file === undefined ? io.stdout : guardStream(passed);
  const count = await cancellable(session, queryId, async () => {
    const out = outputOf(session, { ...worldOf(io), stdout }, format, pages);
    const plan = planResult({
      out,
      io: { stdout },
      settings: { noHeader, query: undefined },
      isExpanded: session.isExpanded,
    });
    const request = { query, ...plan.ask, ...(parameters.length > 0 && { parameters }) };
    const progress = progressOn(io, session.resolved.settings);
    const shown = { progress, isPrinted: Boolean((stdout as Sink).isTTY), ask: plan.ask };
    return withQueryProgress(shown, async (watch) => {
      const rows = await waited.of(
        session.call(sql.query, {
          body: { ...request, context: { ...Object.fromEntries(context), sqlQueryId: queryId } },
        }),
      );
      const print = () => plan.print(watch(waited.ofEach(rows)));
      if (file === undefined) return closing(out, print);
      const written = pipeline(passed, await fileStream(file));
      const ended = closing(out, print).finally(() => passed.end());
      return (await Promise.all([ended, written]))[0];
    });
  });

  const said = [
    ...(count === undefined ? [] : [`${count} ${count === 1 ? 'row' : 'rows'}`]),
    ...(file === undefined ? [] : [`written to [${file}]`]),
    ...(session.isTimed ? [`in ${formatDuration(waited.ms())}`] : []),
  ].join(' ');
  if (!quiet && said !== '')
    io.stderr.write(`${said.replace(/^./, (letter) => letter.toUpperCase())}\n`);
}

/** The output of the shell: with a pager, tables that are too wide scroll in it. */
export function outputOf(
  { resolved }: ShellSession,
  io: OutIo,
  format: Settings['output'],
  pages = true,
): OpenOutput {
  const { noHeader, quiet, noPager } = resolved.settings;
  const isTerminal = Boolean(io.stdout.isTTY);
  const paging = pages && isTerminal && pagerIn(io.env) !== undefined && mayPage(io, noPager);
  const color = isColored(resolved, io.env, { isTTY: isTerminal });
  const selection = {
    columns: undefined,
    sort: undefined,
    where: undefined,
    limit: undefined,
    query: undefined,
  };
  return createOutput(
    { output: format, ...selection, noHeader, quiet, color, paging, scrolls: true },
    io,
  );
}

/** Prints, and waits for the pager. Quitting the pager early is not a failure. */
export async function closing<T>(out: OpenOutput, print: () => Promise<T>): Promise<T | undefined> {
  try {
    return await print();
  } catch (error) {
    if (!(error instanceof NobodyReads)) throw error;
    return undefined;
  } finally {
    await out.close().catch((error: unknown) => {
      if (!(error instanceof NobodyReads)) throw error;
    });
  }
}

// Measures the time spent waiting for the service, without the time spent in the pager.
function stopwatch() {
  let ms = 0;
  async function of<T>(answer: Promise<T>): Promise<T> {
    const start = performance.now();
    return answer.finally(() => {
      ms += performance.now() - start;
    });
  }
  async function* ofEach<T>(chunks: AsyncIterable<T>) {
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      for (let next = await of(iterator.next()); !next.done; next = await of(iterator.next()))
        yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { of, ofEach, ms: () => ms };
}

// Ctrl-C cancels the query on the service, which ends the request, too. After a second, or at the
// second Ctrl-C, the shell stops waiting.
function cancellable<T>(
  session: ShellSession,
  queryId: string,
  work: () => Promise<T>,
): Promise<T> {
  let isCancelled = false;
  return new Promise<T>((resolve, reject) => {
    const leave = () => {
      session.giveUp();
      reject(new Interrupted());
    };
    session.onInterrupt = () => {
      if (isCancelled) return leave();
      isCancelled = true;
      const cancelled = session.callAtTheEnd(sql.cancel, { params: { sqlQueryId: queryId } });
      cancelled
        .catch(() => {})
        .finally(() => setTimeout(() => isCancelled && leave(), graceMs).unref());
    };
    work().then(
      // A repeated statement must end, too
      (value) => (isCancelled ? reject(new Interrupted()) : resolve(value)),
      (error: unknown) => reject(isCancelled ? new Interrupted() : error),
    );
  }).finally(() => {
    isCancelled = false;
    session.onInterrupt = undefined;
  });
}

const graceMs = 900;

// Streams are opened on use, by getters.
const worldOf = ({ stdin, stderr, env }: Io) => ({ stdin, stderr, env });

function formatOf(file: string): Settings['output'] {
  const formats: Readonly<Record<string, Settings['output']>> = {
    '.csv': 'csv',
    '.json': 'json',
    '.jsonl': 'jsonl',
    '.ndjson': 'jsonl',
    '.yaml': 'yaml',
    '.yml': 'yaml',
  };
  return formats[extname(file).toLowerCase()] ?? 'tsv';
}

async function fileStream(file: string) {
  try {
    return (await open(file, 'w')).createWriteStream();
  } catch (error) {
    throw new CommandError(
      'failed',
      `File [${file}] cannot be written: ${(error as Error).message}`,
    );
  }
}
