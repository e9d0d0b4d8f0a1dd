// The query engine: runs DuckDB SQL with a limit on how many run at once, a time limit, and a way to stop each.

import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { longestTimerMs } from '../clock.ts';
import { Admission } from './admission.ts';
import type { Connection } from './bindings.ts';
import { type Database, type DatabaseSettings, openDatabase } from './duckdb.ts';
import { queryCancelled, queryTimeout, refusalFor } from './refusals.ts';
import { type Aside, type Chunk, type ResultColumn, Session } from './session.ts';

export interface EngineSettings extends Partial<DatabaseSettings> {
  readonly allowedFolders: readonly string[];
  readonly spillFolder: string;
  readonly maxRunningQueries?: number;
  readonly maxQueuedQueries?: number;
  readonly maxQueries?: number; // those that run and those that wait together, in place of a limit of those that wait
  readonly maxRunningTasks?: number;
}

export interface QueryOptions {
  readonly signal?: AbortSignal | undefined; // aborting cancels
  readonly queryId?: string | undefined; // for `cancel`; several may share one
  readonly timeoutMs?: number | undefined; // from now on, waiting and reading included; 0 is none
  readonly memoryBytes?: number | undefined; // in an instance of its own, which has no more than that and puts the rest on disk
  readonly lane?: 'query' | 'task' | 'stream'; // tasks have places of their own, and wait as long as it takes; rows of streams wait for neither
}

/** A result while it is being computed. It holds its place until the chunks are read to the end, `return`ed or `close`d. */
export interface QueryResult {
  readonly columns: readonly ResultColumn[];
  readonly chunks: AsyncIterable<Chunk>;
  close(): Promise<void>;
}

export class Engine {
  readonly #settings: DatabaseSettings;
  readonly #lanes: Readonly<Record<'query' | 'task' | 'stream', Admission>>;
  readonly #running = new Map<string, Set<AbortController>>();
  #opening: Promise<Database> | undefined;

  /** Loads nothing yet: `ready` does, or the first query. */
  constructor(settings: EngineSettings) {
    const { allowedFolders, spillFolder } = settings;
    this.#settings = { ...defaults(), ...settings, allowedFolders: [...allowedFolders, spillFolder] };
    const places = defaultPlaces();
    const { maxRunningQueries = places.query, maxQueuedQueries = 100, maxQueries = maxRunningQueries + maxQueuedQueries } = settings;
    const running = Math.min(maxRunningQueries, maxQueries);
    this.#lanes = {
      query: new Admission(running, maxQueries - running),
      task: new Admission(settings.maxRunningTasks ?? places.task, Number.POSITIVE_INFINITY),
      stream: new Admission(places.stream, Number.POSITIVE_INFINITY),
    };
  }

  /** Settles when the first query would not have to wait for DuckDB to load. */
  async ready(): Promise<void> {
    await this.#database();
  }

  /** What all queries together may use. */
  get limits(): { readonly memoryBytes: number; readonly threads: number } {
    const { memoryLimitBytes, threads } = this.#settings;
    return { memoryBytes: memoryLimitBytes, threads };
  }

  /** How many queries run and wait. */
  get load(): { readonly running: number; readonly queued: number } {
    const { running, queued } = this.#lanes.query;
    return { running, queued };
  }

  /**
   * Runs one query. It has begun, and its first rows are there, when this returns, so a failure up to then is thrown here. Refuses with
   * `Query capacity exceeded`, `Query timeout`, `Query cancelled` or `Resource limit exceeded`.
   */
  async query(sql: string, options: QueryOptions = {}): Promise<QueryResult> {
    const { session, end } = await this.#begin(options);
    try {
      const { columns, chunks } = await session.query(sql);
      return { columns, chunks: endingWith(chunks, end), close: async () => end() };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Runs one query to its end; for results known to be small. */
  async rows(
    sql: string,
    options: QueryOptions = {},
  ): Promise<{ readonly columns: readonly ResultColumn[]; readonly chunks: readonly Chunk[] }> {
    const { columns, chunks } = await this.query(sql, options);
    const read: Chunk[] = [];
    for await (const chunk of chunks) read.push(chunk);
    return { columns, chunks: read };
  }

  /** Several statements on one connection: temporary tables and views live until `work` is done. They count as one query. */
  async session<Answer>(work: (session: Session) => Promise<Answer>, options: QueryOptions = {}): Promise<Answer> {
    const { session, end } = await this.#begin(options);
    try {
      return await work(session);
    } finally {
      end();
    }
  }

  /** Stops all queries with an id, waiting ones too; returns whether there were any. */
  cancel(queryId: string): boolean {
    const running = this.#running.get(queryId);
    for (const controller of running ?? []) controller.abort(queryCancelled());
    return running !== undefined;
  }

  /** Stops everything and lets go of DuckDB. */
  async close(): Promise<void> {
    for (const queryId of this.#running.keys()) this.cancel(queryId);
    const opening = this.#opening;
    this.#opening = Promise.reject(queryCancelled());
    this.#opening.catch(() => undefined); // only whoever asks later needs to know
    (await opening)?.close();
  }

  #database(): Promise<Database> {
    this.#opening ??= openDatabase(this.#settings);
    return this.#opening;
  }

  async #begin(options: QueryOptions): Promise<{ session: Session; end: () => void }> {
    const { signal, queryId = '', timeoutMs = 0, memoryBytes, lane = 'query' } = options;
    const controller = new AbortController();
    const cancel = () => controller.abort(queryCancelled());
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    const timer = timeoutMs > 0 ? setTimeout(() => controller.abort(queryTimeout()), Math.min(timeoutMs, longestTimerMs)) : undefined;
    const controllers = this.#running.get(queryId) ?? new Set();
    this.#running.set(queryId, controllers.add(controller));
    const forget = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      controllers.delete(controller);
      if (controllers.size === 0 && this.#running.get(queryId) === controllers) this.#running.delete(queryId);
    };
    let leave: (() => void) | undefined;
    try {
      leave = await this.#lanes[lane].enter(controller.signal);
      const isShared = memoryBytes === undefined || memoryBytes >= this.#settings.memoryLimitBytes;
      const database = isShared ? await this.#database() : await openSmall(this.#settings, memoryBytes);
      const connection = await database.connect();
      const aside: Aside = async (wait) => {
        leave?.();
        leave = undefined;
        try {
          return await wait();
        } finally {
          leave = await this.#lanes[lane].enter(controller.signal);
        }
      };
      const translate = (error: unknown) => refusalFor(error, this.#settings.allowedFolders, dirname(this.#settings.spillFolder));
      const session = new Session(database.duckdb, connection, controller.signal, translate, aside);
      const gone = () => {
        if (!isShared) database.close();
        leave?.();
        forget();
      };
      return { session, end: once(() => closing(session, database, connection, gone)) };
    } catch (error) {
      leave?.();
      forget();
      throw error;
    }
  }
}

function closing(session: Session, { duckdb }: Database, connection: Connection, gone: () => void): void {
  session.stop();
  // A connection goes when what it is doing has ended: DuckDB would otherwise be working on freed memory.
  void session.idle().then(() => {
    duckdb.disconnect_sync(connection);
    gone();
  });
}

// Two instances must not spill into one folder: their files have the same names.
async function openSmall(settings: DatabaseSettings, memoryLimitBytes: number): Promise<Database> {
  const spillFolder = await mkdtemp(join(settings.spillFolder, 'small-'));
  const remove = () => rmSync(spillFolder, { recursive: true, force: true });
  try {
    const database = await openDatabase({ ...settings, memoryLimitBytes, spillFolder });
    const close = () => {
      database.close();
      remove();
    };
    return { ...database, close };
  } catch (error) {
    remove();
    throw error;
  }
}

const defaults = () => ({
  maxSpillBytes: 20 * 1024 ** 3,
  memoryLimitBytes: Math.floor(totalmem() / 2),
  threads: availableParallelism(),
  macros: [],
  scalarFunctions: [],
});

// Two threads of the pool stay free for files.
function defaultPlaces(): { query: number; task: number; stream: number } {
  const threads = Number(process.env.UV_THREADPOOL_SIZE ?? 4);
  const task = Math.max(1, Math.floor(threads / 4));
  const stream = Math.max(1, Math.floor(threads / 8));
  return { query: Math.max(1, threads - task - stream - 2), task, stream };
}

async function* endingWith(chunks: AsyncIterable<Chunk>, end: () => void): AsyncGenerator<Chunk, void, undefined> {
  try {
    yield* chunks;
  } finally {
    end();
  }
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}
