// Rows of a query for a driver, which fetches them in frames, forwards, over several requests
// (Druid: DruidJdbcResultSet). The query computes more rows only on demand.

import type { OpenQuery } from '../../statements/open-query.ts';
import type { Batch } from '../../statements/result-writer.ts';
import { printingOf } from '../../statements/sql-request.ts';
import { type ColumnCells, columnCells } from './column-cells.ts';
import { notForward } from './refusals.ts';
import type { RowFrame } from './replies.ts';
import type { JdbcCell } from './rows.ts';

export interface CursorSettings {
  readonly mostRows: number; // total limit
  readonly fetchTimeoutMs: number; // a frame that is late is sent empty, its rows later
  abort(): void; // stops the query
}

export class Cursor {
  readonly #query: OpenQuery;
  readonly #columns: readonly ColumnCells[];
  readonly #iterator: AsyncIterator<Batch>;
  readonly #mostRows: number;
  readonly #fetchTimeoutMs: number;
  readonly #abort: () => void;
  #batch: Batch = { rowCount: 0, columns: [] };
  #row = 0; // next row of the batch
  #read = 0; // rows returned in frames
  #offset = 0; // of the next frame
  #late: Promise<readonly (readonly JdbcCell[])[]> | undefined; // a frame that was late
  #isDone = false;
  #isClosed = false;

  constructor(query: OpenQuery, { mostRows, fetchTimeoutMs, abort }: CursorSettings) {
    const { timeZone } = printingOf(query.context);
    this.#query = query;
    this.#columns = query.columns.map((column) => columnCells(column, timeZone));
    this.#iterator = query.batches[Symbol.asyncIterator]();
    this.#mostRows = mostRows;
    this.#fetchTimeoutMs = fetchTimeoutMs;
    this.#abort = abort;
  }

  /** Offset of the next frame. */
  get offset(): number {
    return this.#offset;
  }

  /** Whether the query has ended. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * The next frame. The last frame and a failure end the query. Throws a refusal for any offset but
   * the next.
   */
  async frame(offset: number, mostRows: number): Promise<RowFrame> {
    if (offset !== this.#offset) throw notForward(offset, this.#offset);
    const reading = this.#late ?? this.#rows(mostRows);
    this.#late = undefined;
    try {
      const cells = await inTime(reading, this.#fetchTimeoutMs);
      if (cells) {
        this.#offset += cells.length;
        if (this.#isDone) await this.#end('SUCCESS');
        return this.#frameOf(offset, cells);
      }
      reading.catch(() => undefined); // the next fetch gets the error
      this.#late = reading;
      return { offset, done: false, rows: { kinds: [], cells: [] } };
    } catch (error) {
      await this.#end('FAILED');
      throw error;
    }
  }

  /** Ends the query, whether or not its rows have been read. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#abort();
    await this.#end('CANCELED');
  }

  #frameOf(offset: number, cells: readonly (readonly JdbcCell[])[]): RowFrame {
    return {
      offset,
      done: this.#isDone,
      rows: { kinds: this.#columns.map(({ kind }) => kind), cells },
    };
  }

  async #end(outcome: 'CANCELED' | 'FAILED' | 'SUCCESS'): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#query.end(outcome);
  }

  // One row is read in advance, to know whether more rows follow.
  async #rows(mostRows: number): Promise<readonly (readonly JdbcCell[])[]> {
    const rows: (readonly JdbcCell[])[] = [];
    for (let letters = 0; ; ) {
      if (this.#read >= this.#mostRows || !(await this.#hasRow())) {
        this.#isDone = true;
        return rows;
      }
      if (rows.length >= mostRows || letters > mostLetters) return rows;
      const row = this.#columns.map(({ cell }, at) => cell(this.#batch.columns[at]?.[this.#row]));
      rows.push(row);
      letters += row.reduce<number>(
        (sum, cell) =>
          sum +
          (typeof cell === 'string' ? cell.length : Array.isArray(cell) ? cell.length * 16 : 8),
        0,
      );
      this.#row++;
      this.#read++;
    }
  }

  async #hasRow(): Promise<boolean> {
    while (this.#row >= this.#batch.rowCount) {
      const next = await this.#iterator.next();
      if (next.done) return false;
      this.#batch = next.value;
      this.#row = 0;
    }
    return true;
  }
}

// Frames of long rows have fewer rows.
const mostLetters = 8 * 1024 * 1024;

// Undefined on a timeout.
async function inTime<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
