// Progress of a query. The service tells nothing about one that runs: the display is the elapsed
// time until the first rows, and then the rows received.
import type { Context } from '../../../cli/command/command.ts';
import type { Progress } from '../../../cli/output/progress.ts';
import type { ResultPlan } from './print-result.ts';

type Chunks = AsyncIterable<Uint8Array>;

interface Place extends Pick<Context, 'progress'> {
  readonly isPrinted: boolean; // the rows go to the terminal
  readonly ask: ResultPlan['ask'];
}

/**
 * Runs a query whose rows pass through `watch`. The progress appears after half a second, and gives
 * way to rows that are printed on the terminal.
 */
export async function withQueryProgress<T>(
  { progress, isPrinted, ask }: Place,
  work: (watch: (rows: Chunks) => Chunks) => Promise<T>,
): Promise<T> {
  const line = progress('Query', { afterMs: 500, isOptional: true });
  try {
    line.update({ stage: 'running' });
    const result = await work((rows) =>
      countRows(rows, line, isPrinted ? undefined : headersOf(ask)),
    );
    line.done();
    return result;
  } catch (error) {
    line.failed();
    throw error;
  }
}

const headersOf = ({ header, typesHeader, sqlTypesHeader }: ResultPlan['ask']) =>
  [header, typesHeader, sqlTypesHeader].filter(Boolean).length;

// Without a number of header lines, the rows are printed on the terminal.
async function* countRows(chunks: Chunks, line: Progress, headers: number | undefined): Chunks {
  let [lines, bytes, last] = [0, 0, newline];
  for await (const chunk of chunks) {
    if (headers === undefined) line.done();
    else {
      lines += linesIn(chunk, last);
      bytes += chunk.length;
      last = chunk.at(-1) ?? last;
      line.update({ stage: 'receiving rows', rows: Math.max(0, lines - headers), bytes });
    }
    yield chunk;
  }
}

const newline = 10;

// The ends of lines; an empty line ends the reply.
function linesIn(chunk: Uint8Array, before: number): number {
  let count = 0;
  for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1))
    if ((at === 0 ? before : chunk[at - 1]) !== newline) count++;
  return count;
}
