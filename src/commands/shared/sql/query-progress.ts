// Progress of a query. The service tells nothing about one that runs: the display is the elapsed
// time until the first rows, and then the rows received.
import type { Context } from '../../../cli/command/command.ts';
import type { Progress } from '../../../cli/output/progress.ts';

type Chunks = AsyncIterable<Uint8Array>;

interface Place extends Pick<Context, 'progress'> {
  readonly isPrinted: boolean; // the rows go to the terminal
}

/**
 * Runs a query whose rows pass through `watch`. The progress appears after half a second, and gives
 * way to rows that are printed on the terminal.
 */
export async function withQueryProgress<T>(
  { progress, isPrinted }: Place,
  work: (watch: (rows: Chunks) => Chunks) => Promise<T>,
): Promise<T> {
  const line = progress('Query', { afterMs: 500, isOptional: true });
  try {
    line.update({ stage: 'running' });
    const result = await work((rows) => countRows(rows, line, isPrinted));
    line.done();
    return result;
  } catch (error) {
    line.failed();
    throw error;
  }
}

async function* countRows(chunks: Chunks, line: Progress, isPrinted: boolean): Chunks {
  let [rows, bytes] = [0, 0];
  for await (const chunk of chunks) {
    if (isPrinted) line.done();
    else {
      rows += newlinesIn(chunk);
      bytes += chunk.length;
      line.update({ stage: 'receiving rows', rows, bytes });
    }
    yield chunk;
  }
}

function newlinesIn(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count++;
  return count;
}
