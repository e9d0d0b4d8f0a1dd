// One connection to DuckDB while it is used: statements one after the other, results as streams of columns, stopped by a signal.
import type { Bindings, Connection, Result } from './bindings.ts';
import { readerOf, typeName, type Value } from './values.ts';

/** Up to 2,048 rows, column by column. */
export interface Chunk {
  readonly rowCount: number;
  readonly columns: readonly (readonly Value[])[];
}

export interface ResultColumn {
  readonly name: string;
  readonly type: string; // as DuckDB's SQL spells it
}

/** Waits for something outside of DuckDB. */
export type Aside = <Answer>(wait: () => Promise<Answer>) => Promise<Answer>;

export class Session {
  /** Waits for something else, such as a lock, without keeping a place that others could use: whoever is waited for may need it. */
  readonly aside: Aside;
  readonly #duckdb: Bindings;
  readonly #connection: Connection;
  readonly #signal: AbortSignal;
  readonly #translate: (error: unknown) => unknown;
  readonly #onAbort: () => void;
  #busy: Promise<unknown> | undefined;
  #stopped = false;

  /** `translate` makes of DuckDB's errors what is thrown; when the signal has aborted, its reason is thrown instead. */
  constructor(duckdb: Bindings, connection: Connection, signal: AbortSignal, translate: (error: unknown) => unknown, aside: Aside) {
    this.aside = aside;
    this.#duckdb = duckdb;
    this.#connection = connection;
    this.#signal = signal;
    this.#translate = translate;
    this.#onAbort = () => this.#interrupt();
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Runs statements, `;` between them; returns how many rows the last one changed or wrote. */
  async run(sql: string): Promise<number> {
    const duckdb = this.#duckdb;
    const result = await this.#do(() => duckdb.query(this.#connection, sql));
    const changed = duckdb.rows_changed(result);
    if (changed > 0 || duckdb.column_count(result) !== 1) return changed;
    // COPY says it in a result.
    const chunk = await this.#do(() => duckdb.fetch_chunk(result));
    const count = chunk && duckdb.data_chunk_get_size(chunk) === 1 ? this.#reader(result)(chunk).columns[0]?.[0] : 0;
    return typeof count === 'number' ? count : 0;
  }

  /** Runs a query and waits for its first rows. The chunks can be read once, before the next statement. */
  async query(sql: string): Promise<{ readonly columns: readonly ResultColumn[]; readonly chunks: AsyncIterable<Chunk> }> {
    const duckdb = this.#duckdb;
    const prepared = await this.#do(() => duckdb.prepare(this.#connection, sql));
    try {
      const result = await this.#do(() => duckdb.execute_prepared_streaming(prepared));
      const read = this.#reader(result);
      const next = async () => {
        const chunk = await this.#do(() => duckdb.fetch_chunk(result));
        return chunk && duckdb.data_chunk_get_size(chunk) > 0 ? read(chunk) : undefined;
      };
      const columns = Array.from({ length: duckdb.column_count(result) }, (_, index) => ({
        name: duckdb.column_name(result, index),
        type: typeName(duckdb, duckdb.column_logical_type(result, index)),
      }));
      return { columns, chunks: chunksFrom(await next(), next) };
    } finally {
      duckdb.destroy_prepare_sync(prepared);
    }
  }

  /** All rows of a small result as arrays. */
  async rows(sql: string): Promise<Value[][]> {
    const rows: Value[][] = [];
    for await (const { rowCount, columns } of (await this.query(sql)).chunks) {
      for (let row = 0; row < rowCount; row++) rows.push(columns.map((column) => column[row] ?? null));
    }
    return rows;
  }

  /** Ends what runs, if anything does; nothing runs afterwards. */
  stop(): void {
    this.#stopped = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#interrupt();
  }

  /** Settles when nothing runs. */
  async idle(): Promise<void> {
    await this.#busy?.catch(() => undefined);
  }

  #reader(result: Result): (chunk: Parameters<Bindings['data_chunk_get_vector']>[0]) => Chunk {
    const duckdb = this.#duckdb;
    const readers = Array.from({ length: duckdb.column_count(result) }, (_, index) =>
      readerOf(duckdb, duckdb.column_logical_type(result, index)),
    );
    return (chunk) => {
      const rowCount = duckdb.data_chunk_get_size(chunk);
      return { rowCount, columns: readers.map((read, index) => read(duckdb.data_chunk_get_vector(chunk, index), rowCount)) };
    };
  }

  async #do<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.#signal.throwIfAborted();
    if (this.#stopped) throw new Error('The session has ended');
    const doing = work();
    this.#busy = doing;
    try {
      const answer = await doing;
      this.#signal.throwIfAborted();
      return answer;
    } catch (error) {
      this.#signal.throwIfAborted();
      throw this.#translate(error);
    } finally {
      if (this.#busy === doing) this.#busy = undefined;
    }
  }

  // DuckDB forgets an interruption that comes just before a statement begins, so it is repeated until the statement has ended.
  #interrupt(): void {
    const doing = this.#busy;
    if (!doing) return;
    this.#duckdb.interrupt(this.#connection);
    const again = setInterval(() => this.#duckdb.interrupt(this.#connection), 20);
    const done = () => clearInterval(again);
    doing.then(done, done);
  }
}

async function* chunksFrom(first: Chunk | undefined, next: () => Promise<Chunk | undefined>): AsyncGenerator<Chunk, void, undefined> {
  for (let chunk = first; chunk; chunk = await next()) yield chunk;
}
