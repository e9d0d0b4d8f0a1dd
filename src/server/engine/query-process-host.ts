// Program of a query process: runs the statements of one session at a time on a database of its
// own.
import { existsSync } from 'node:fs';
import { InstanceTables } from './attached-tables.ts';
import type { DuckDbConnection } from './bindings.ts';
import { DatabaseSession } from './database-session.ts';
import { type Database, memoryLimit } from './duckdb.ts';
import { KeptStatements } from './kept-statements.ts';
import type {
  ProcessAnswer,
  ProcessRequest,
  ProcessSettings,
  ProcessSignal,
} from './process-messages.ts';
import { partsOfError } from './refusals.ts';
import { isLimitOfFunction } from './scalar-functions.ts';
import type { Chunk } from './session.ts';
import { allowGroupTable } from './uncounted-memory.ts';
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
  #opened: Opened | undefined;
  #limitBytes: number | undefined;
  #threads: number | undefined;
  #current: Current | undefined;
  #parts: AsyncIterator<Chunk> | undefined;
  readonly #tables = new InstanceTables();

  constructor(open: (settings: ProcessSettings) => Promise<Database>) {
    this.#open = open;
  }

  async answer(request: ProcessRequest): Promise<unknown> {
    switch (request.kind) {
      case 'open':
        return this.#openDatabase(request.settings);
      case 'begin':
        return this.#begin(request);
      case 'run':
        // A statement may set them
        this.#threads = undefined;
        this.#limitBytes = undefined;
        return (await this.#session()).run(request.sql);
      case 'query': {
        const session = await this.#session(request.sql);
        const { columns, chunks } = await session.query(request.sql);
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
    if (memoryBytes === this.#limitBytes) return;
    this.#limitBytes = memoryBytes; // at once: the next limit may come before this one is set
    try {
      await this.#set(memoryLimit(memoryBytes));
    } catch (error) {
      this.#limitBytes = undefined;
      throw error;
    }
  }

  async #useThreads(threads: number): Promise<void> {
    if (threads === this.#threads) return;
    this.#threads = undefined;
    await this.#set(`SET threads = ${threads}`);
    this.#threads = threads;
  }

  async #set(setting: string): Promise<void> {
    const { duckdb, connect } = this.#ready.database;
    const connection = await connect();
    try {
      await duckdb.query(connection, setting);
    } finally {
      duckdb.disconnect_sync(connection);
    }
  }

  async #openDatabase(settings: ProcessSettings): Promise<null> {
    const database = await this.#open(settings);
    this.#opened = { database, kept: new KeptStatements(database.duckdb, mostKept) };
    this.#threads = settings.threads;
    return null;
  }

  async #begin(request: BeginRequest): Promise<readonly string[]> {
    const { memoryBytes, threads, tables, mayKeep, bits } = request;
    const { database, kept } = this.#ready;
    await this.limit(memoryBytes);
    await this.#useThreads(threads);
    if (tables) kept.useTables(tables.revision);
    const damaged = tables ? await this.#tables.update(database, tables) : [];
    this.#current = { controller: new AbortController(), mayKeep, bits };
    return damaged;
  }

  // The session that has begun. It connects with its first statement, which may be a kept one.
  async #session(query?: string): Promise<DatabaseSession> {
    const current = this.#current;
    if (!current) throw new Error('No session has begun');
    this.#parts = undefined;
    if (current.connected) return current.connected.session;
    const { database, kept } = this.#ready;
    const prepared = current.mayKeep && query !== undefined ? kept.take(query) : undefined;
    const connection = prepared?.connection ?? (await database.connect());
    if (current.bits !== undefined && !prepared)
      await database.duckdb.query(connection, allowGroupTable(current.bits));
    const session = new DatabaseSession({
      duckdb: database.duckdb,
      connection,
      prepared,
      signal: current.controller.signal,
      translate: (error) => error,
      aside: (wait) => wait(),
    });
    current.connected = { session, connection };
    return session;
  }

  get #ready(): Opened {
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
    if (!ending?.connected) return null;
    const { session, connection } = ending.connected;
    const { database, kept } = this.#ready;
    const finished = await session.end();
    if (finished && ending.mayKeep) {
      kept.giveBack(finished, kept.revision);
      return null;
    }
    if (finished) database.duckdb.destroy_prepare_sync(finished.statement);
    database.duckdb.disconnect_sync(connection);
    return null;
  }
}

interface Opened {
  readonly database: Database;
  readonly kept: KeptStatements;
}

type BeginRequest = Extract<ProcessRequest, { readonly kind: 'begin' }>;

interface Current {
  readonly controller: AbortController;
  readonly mayKeep: boolean;
  readonly bits: number | undefined; // of group tables
  connected?: { readonly session: DatabaseSession; readonly connection: DuckDbConnection };
}

const mostKept = 8;

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
