// Writer of rows as a file of lines for the engine.
import { writeSync } from 'node:fs';
import { maxLineBytes } from '../engine/refusals.ts';

/** JSON lines for an open file, written in batches. */
export class Lines {
  sizeBytes = 0;
  longestLine = 0;
  readonly #file: number;
  readonly #maxBytes: number;
  #waiting: string[] = [];
  #length = 0;

  constructor(file: number, maxBytes: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** Throws an Error for a line that is too long, or beyond the total limit. */
  add(line: string): void {
    const length = Buffer.byteLength(line) + 1;
    if (length > maxLineBytes)
      throw new Error(`a row of it has more than [${maxLineBytes}] bytes as JSON`);
    this.sizeBytes += length;
    if (this.sizeBytes > this.#maxBytes)
      throw new Error('the rows as JSON are larger than an input may be');
    this.longestLine = Math.max(this.longestLine, length);
    this.#waiting.push(line);
    this.#length += length;
    if (this.#length > 1024 ** 2) this.flush();
  }

  /** Writes the buffered lines. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const text = Buffer.from(`${this.#waiting.join('\n')}\n`);
    for (let written = 0; written < text.length; ) written += writeSync(this.#file, text, written);
    this.#waiting = [];
    this.#length = 0;
  }
}
