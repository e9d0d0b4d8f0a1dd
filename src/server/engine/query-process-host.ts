// Program of a query process: runs the statements of one session at a time on a database of its
// own.
import { existsSync } from 'node:fs';
import { type Attachments, InstanceTables } from './attached-tables.ts';
import { DatabaseSession } from './database-session.ts';
import { type Database, memoryLimit } from './duckdb.ts';
import type {
  ProcessAnswer,
  ProcessRequest,
  ProcessSettings,
  ProcessSignal,
} from './process-messages.ts';
import { partsOfError } from './refusals.ts';
import { isLimitOfFunction } from './scalar-functions.ts';
import type { Chunk } from './session.ts';
import type { EngineValue } from './values.ts';

/** The channel to the service. Messages are structured clones. */
export interface Channel {
  send(answer: ProcessAnswer): void;
  onMessage(receive: (message: ProcessRequest | ProcessSignal) => void): void;
}

/**
 * Answers the requests of the channel; `open` opens the database. Errors of DuckDB are returned
 * unchanged.
 */
export function hostSessions(
  channel: Channel,
  open: (settings: ProcessSettings) => Promise<Database>,
): void {
  const sessions = new Sessions(open);
  let before: Promise<unknown> = Promise.resolve();
  channel.onMessage((message) => {
    if (message.kind === 'interrupt') return sessions.interrupt();
    if (message.kind === 'limit')
      // On failure, the old limit stays
      return void sessions.limit(message.memoryBytes).catch(() => undefined);
    before = before.then(async () => {
      try {
        channel.send({ kind: 'done', answer: await sessions.answer(message) });
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        channel.send({
          kind: 'failed',
          message,
          isLimit: isLimitOfFunction(partsOfError(message).firstLine),
        });
      }
    });
  });
  if (!existsSync('/proc/self/status')) {
    setInterval(
      () => channel.send({ kind: 'memory', bytes: process.memoryUsage.rss() }),
      memoryReportMs,
    ).unref();
  }
}

const memoryReportMs = 50;

class Sessions {
  readonly #open: (settings: ProcessSettings) => Promise<Database>;
  #opened: Database | undefined;
  #current:
    | { readonly session: DatabaseSession; readonly controller: AbortController; close(): void }
    | undefined;
  #parts: AsyncIterator<Chunk> | undefined;
  readonly #tables = new InstanceTables();

  constructor(open: (settings: ProcessSettings) => Promise<Database>) {
    this.#open = open;
  }

  async answer(request: ProcessRequest): Promise<unknown> {
    switch (request.kind) {
      case 'open':
        this.#opened = await this.#open(request.settings);
        return null;
      case 'begin':
        return this.#begin(request.memoryBytes, request.tables);
      case 'run':
        return this.#session().run(request.sql);
      case 'query': {
        const { columns, chunks } = await this.#session().query(request.sql);
        this.#parts = partsOf(chunks);
        return { columns, part: await this.#next() };
      }
      case 'next':
        return this.#next();
      case 'end':
        return this.#end();
    }
  }

  interrupt(): void {
    this.#current?.controller.abort(new Error('Interrupted'));
  }

  async limit(memoryBytes: number): Promise<void> {
    const { duckdb, connect } = this.#database;
    const connection = await connect();
    try {
      await duckdb.query(connection, memoryLimit(memoryBytes));
    } finally {
      duckdb.disconnect_sync(connection);
    }
  }

  async #begin(memoryBytes: number, tables: Attachments | undefined): Promise<readonly string[]> {
    await this.limit(memoryBytes);
    const damaged = tables ? await this.#tables.update(this.#database, tables) : [];
    const { duckdb, connect } = this.#database;
    const connection = await connect();
    const controller = new AbortController();
    const session = new DatabaseSession({
      duckdb,
      connection,
      signal: controller.signal,
      translate: (error) => error,
      aside: (wait) => wait(),
    });
    this.#current = { session, controller, close: () => duckdb.disconnect_sync(connection) };
    return damaged;
  }

  #session(): DatabaseSession {
    if (!this.#current) throw new Error('No session has begun');
    this.#parts = undefined;
    return this.#current.session;
  }

  get #database(): Database {
    if (!this.#opened) throw new Error('No database is open');
    return this.#opened;
  }

  async #next(): Promise<Chunk | undefined> {
    const { value, done } = (await this.#parts?.next()) ?? { done: true };
    return done ? undefined : value;
  }

  async #end(): Promise<null> {
    const ending = this.#current;
    this.#current = undefined;
    this.#parts = undefined;
    if (!ending) return null;
    const finished = await ending.session.end();
    if (finished) this.#database.duckdb.destroy_prepare_sync(finished.statement);
    ending.close();
    return null;
  }
}

// A chunk with long values is sent in parts, because the service reads each message without a
// pause.
async function* partsOf(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk, void, undefined> {
  for await (const { rowCount, columns } of chunks) {
    for (let from = 0; from < rowCount; ) {
      let to = from;
      for (let size = 0; to < rowCount && (size < partBytes || to === from); to++) {
        for (const column of columns) size += sizeOf(column[to] ?? null);
      }
      yield from === 0 && to === rowCount
        ? { rowCount, columns }
        : { rowCount: to - from, columns: columns.map((column) => column.slice(from, to)) };
      from = to;
    }
  }
}

const partBytes = 1024 * 1024;

function sizeOf(value: EngineValue): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return 8 + value.length;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + sizeOf(item), 8);
  return 8;
}
