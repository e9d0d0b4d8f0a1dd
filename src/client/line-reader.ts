// Lines of JSON arrays, some of which are read before the others.
import { parseRows } from './line-formats.ts';

/** Reads batches of whole lines that end with a newline. */
export class LineReader {
  readonly #batches: AsyncIterator<Buffer>;
  #rest: Buffer | undefined;

  constructor(batches: AsyncIterator<Buffer>) {
    this.#batches = batches;
  }

  /** The next batch, or at most so many lines of it; undefined after the last one. */
  async next(most = Number.POSITIVE_INFINITY): Promise<Buffer | undefined> {
    const batch = this.#rest ?? (await this.#nextBatch());
    this.#rest = undefined;
    if (batch === undefined || most === Number.POSITIVE_INFINITY) return batch;
    let end = 0;
    for (let count = 0; count < most && end < batch.length; count++)
      end = batch.indexOf(newline, end) + 1;
    if (end < batch.length) this.#rest = batch.subarray(end);
    return batch.subarray(0, end);
  }

  async #nextBatch(): Promise<Buffer | undefined> {
    const { done, value } = await this.#batches.next();
    return done ? undefined : value;
  }
}

/** The rows of such lines. Throws UnexpectedReply for a malformed one. */
export const rowsOfLines = (lines: Buffer): readonly (readonly unknown[])[] =>
  parseRows(lines.toString('utf8', 0, lines.length - 1)) as readonly (readonly unknown[])[];

const newline = 10;
