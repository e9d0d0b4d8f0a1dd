// A session on a DuckDB database of this process.
import { nextTurn } from '../process/turns.ts';
import type { Bindings, DuckDbConnection, DuckResult } from './bindings.ts';
import { type EncodedTexts, rowsOfTexts } from './encoded-texts.ts';
import type { FinishedStatement, PreparedText } from './kept-statements.ts';
import { type Aside, type Chunk, rowsIn, type Session, type StreamedResult } from './session.ts';
import { type EngineValue, readEncodedTexts, readerOf, typeName } from './values.ts';

export interface DatabaseSessionParts {
  readonly duckdb: Bindings;
  readonly connection: DuckDbConnection;
  readonly prepared?: PreparedText | undefined; // on the connection
  readonly signal: AbortSignal; // aborting interrupts the running statement; its reason is thrown
  readonly translate: (error: unknown) => unknown; // an error of DuckDB to the error that is thrown
  readonly aside: Aside;
}

export class DatabaseSession implements Session {
  readonly aside: Aside;
  readonly #duckdb: Bindings;
  readonly #connection: DuckDbConnection;
  readonly #signal: AbortSignal;
  readonly #translate: (error: unknown) => unknown;
  readonly #onAbort: () => void;
  #prepared: PreparedText | undefined;
  #isGiven: boolean; // prepared before the session
  #isRead = false; // all rows of the prepared statement
  #ranOthers = false; // statements beside the prepared one
  #tookMs = 0;
  #busy: Promise<unknown> | undefined;
  #stopped = false;

  constructor({ duckdb, connection, prepared, signal, translate, aside }: DatabaseSessionParts) {
    this.aside = aside;
    this.#duckdb = duckdb;
    this.#connection = connection;
    this.#prepared = prepared;
    this.#isGiven = prepared !== undefined;
    this.#signal = signal;
    this.#translate = translate;
    this.#onAbort = () => this.#interrupt();
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  async run(sql: string): Promise<number> {
    const duckdb = this.#duckdb;
    this.#ranOthers = true;
    const result = await this.#do(() => duckdb.query(this.#connection, sql));
    const changed = duckdb.rows_changed(result);
    if (changed > 0 || duckdb.column_count(result) !== 1) return changed;
    // COPY reports the number of rows as a result.
    const chunk = await this.#do(() => duckdb.fetch_chunk(result));
    const count =
      chunk && duckdb.data_chunk_get_size(chunk) === 1
        ? (await this.#reader(result)(chunk)).columns[0]?.[0]
        : 0;
    return typeof count === 'number' ? count : 0;
  }

  async query(sql: string, encoded?: readonly number[]): Promise<StreamedResult> {
    const duckdb = this.#duckdb;
    const { statement } = await this.#prepare(sql);
    this.#isRead = false;
    this.#tookMs = 0;
    const timed = async <Answer>(work: () => Promise<Answer>) => {
      const startedMs = performance.now();
      const answer = await this.#do(work);
      this.#tookMs += performance.now() - startedMs;
      return answer;
    };
    const result = await timed(() => duckdb.execute_prepared_streaming(statement));
    const read = this.#reader(result, encoded);
    const next = async (isFirst = false) => {
      const chunk = await timed(() => duckdb.fetch_chunk(result));
      if (!chunk || duckdb.data_chunk_get_size(chunk) === 0) {
        this.#isRead = true;
        return undefined;
      }
      if (!isFirst) await nextTurn();
      return await read(chunk);
    };
    const columns = Array.from({ length: duckdb.column_count(result) }, (_, index) => ({
      name: duckdb.column_name(result, index),
      type: typeName(duckdb, duckdb.column_logical_type(result, index)),
    }));
    return { columns, chunks: chunksFrom(await next(true), next) };
  }

  async rows(sql: string): Promise<EngineValue[][]> {
    return rowsIn(await this.query(sql));
  }

  /**
   * Ends the session: interrupts the running statement, if any. Resolves when the connection may be
   * closed, with the only query if all of its rows were read: its statement stays prepared.
   */
  async end(): Promise<FinishedStatement | undefined> {
    this.#stopped = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#interrupt();
    await this.#busy?.catch(() => undefined);
    if (!this.#prepared) return undefined;
    if (this.#isRead && !this.#ranOthers)
      return { ...this.#prepared, connection: this.#connection, tookMs: this.#tookMs };
    this.#duckdb.destroy_prepare_sync(this.#prepared.statement);
    return undefined;
  }

  async #prepare(text: string): Promise<PreparedText> {
    if (this.#isGiven && this.#prepared?.text === text) {
      this.#isGiven = false;
      return this.#prepared;
    }
    const duckdb = this.#duckdb;
    const statement = await this.#do(() => duckdb.prepare(this.#connection, text));
    if (this.#prepared) {
      this.#ranOthers = true;
      duckdb.destroy_prepare_sync(this.#prepared.statement);
    }
    this.#prepared = { text, statement };
    return this.#prepared;
  }

  // With thousands of columns, 2,048 rows are millions of values, so other work gets turns in
  // between.
  #reader(
    result: DuckResult,
    encoded: readonly number[] = [],
  ): (chunk: Parameters<Bindings['data_chunk_get_vector']>[0]) => Promise<Chunk> {
    const duckdb = this.#duckdb;
    const types = Array.from({ length: duckdb.column_count(result) }, (_, index) =>
      duckdb.column_logical_type(result, index),
    );
    const readers = types.map((type) => readerOf(duckdb, type));
    const isEncoded = types.map(
      (type, index) => encoded.includes(index) && duckdb.get_type_id(type) === duckdb.Type.VARCHAR,
    );
    return async (chunk) => {
      const rowCount = duckdb.data_chunk_get_size(chunk);
      const columns: EngineValue[][] = [];
      const texts: (EncodedTexts | undefined)[] = [];
      for (const [index, read] of readers.entries()) {
        const vector = duckdb.data_chunk_get_vector(chunk, index);
        const bytes = isEncoded[index] ? readEncodedTexts(duckdb, vector, rowCount) : undefined;
        texts.push(bytes);
        columns.push(bytes ? [] : read(vector, rowCount));
        if ((index + 1) % Math.ceil(cellsInTurn / rowCount) === 0) await nextTurn();
      }
      return { rowCount, columns, texts };
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

  // DuckDB ignores an interruption that arrives just before a statement begins, so it is repeated
  // until the statement has ended.
  #interrupt(): void {
    const doing = this.#busy;
    if (!doing) return;
    this.#duckdb.interrupt(this.#connection);
    const again = setInterval(() => this.#duckdb.interrupt(this.#connection), 20);
    const done = () => clearInterval(again);
    doing.then(done, done);
  }
}

// The next chunk is computed while the current one is read.
async function* chunksFrom(
  first: Chunk | undefined,
  next: () => Promise<Chunk | undefined>,
): AsyncGenerator<Chunk, void, undefined> {
  for (let chunk = first; chunk; ) {
    const following = next();
    following.catch(() => undefined); // a reader that stops early does not wait for it
    yield* partsOf(chunk);
    chunk = await following;
  }
}

const cellsInTurn = 100_000;

// A consumer processes a chunk in one turn of the event loop, so wide chunks are split.
function* partsOf(chunk: Chunk): Generator<Chunk> {
  const { rowCount, columns, texts = [] } = chunk;
  const rows = Math.max(1, Math.floor(cellsInTurn / Math.max(1, columns.length)));
  if (rows >= rowCount) return yield chunk;
  for (let from = 0; from < rowCount; from += rows)
    yield {
      rowCount: Math.min(rows, rowCount - from),
      columns: columns.map((column) => column.slice(from, from + rows)),
      texts: texts.map((column) => column && rowsOfTexts(column, from, from + rows)),
    };
}
