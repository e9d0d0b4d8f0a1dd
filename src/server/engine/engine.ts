// Query engine: runs DuckDB SQL with a limit on concurrent queries, a time limit, and cancellation.
// Short statements that use only DuckDB's own functions run on a database in this process: DuckDB
// accounts for their memory, and they can be interrupted. All others run in query processes.

import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { leastMemoryBytes, memoryOrHalf, threadsFor } from '../../model/memory.ts';

import { Admission } from './admission.ts';
import { AttachedTables } from './attached-tables.ts';
import { openDatabase } from './duckdb.ts';
import { mostKeptBytes, RecentTexts } from './kept-statements.ts';
import { MemoryWatch } from './memory-watch.ts';
import { readsFewRows } from './parallelism.ts';
import { programBytes } from './process-memory.ts';
import { ProcessSession } from './process-session.ts';
import { QueryProcesses, type TakenProcess } from './query-processes.ts';
import {
  capacityExceeded,
  DamagedFile,
  MissingFunction,
  OutOfMemory,
  queryCancelled,
  refusalFor,
  resultNotRead,
  YieldsToTask,
} from './refusals.ts';
import { type DatabaseShare, ServiceDatabase } from './service-database.ts';
import type { Aside, Chunk, DuckColumn, Session, StreamedResult } from './session.ts';
import { type Lane, type Stop, type StopOptions, Stops } from './stops.ts';
import { bytesOfKeptValues, type Grouping } from './uncounted-memory.ts';
import { bytesOfChunk, UnreadResults } from './unread-results.ts';

export interface EngineSettings {
  // absolute; queries and COPY can access only these
  readonly allowedFolders: readonly string[];
  readonly spillFolder: string;
  // Macros of the database in this process; query processes have all of them
  readonly macros?: readonly string[];
  readonly memoryLimitBytes?: number; // of this process and the query processes together
  // At most, for each query process; the rest is put on disk
  readonly processMemoryBytes?: number;
  readonly maxSpillBytes?: number; // of each database
  readonly threads?: number; // of each database
  readonly maxRunningQueries?: number;
  readonly maxQueuedQueries?: number;
  // Limit on running and waiting queries together, in place of a limit on waiting ones
  readonly maxQueries?: number;
  readonly maxRunningTasks?: number;
}

export interface QueryOptions extends StopOptions {
  // Upper limit for the session; the rest is put on disk
  readonly memoryBytes?: number | undefined;
  readonly user?: string | undefined; // the query's user: one user cannot occupy all places
  readonly isolated?: boolean | undefined; // run in a query process even if it is short
  readonly grouping?: Grouping | undefined;
  readonly encoded?: readonly number[] | undefined; // columns whose texts may come as bytes
}

/**
 * A result while it is being computed. It occupies its place until the chunks are read to the end,
 * `return`ed or `close`d.
 */
export interface QueryResult extends StreamedResult {
  readonly signal: AbortSignal; // aborted when it is stopped before its end, with the reason
  close(): Promise<void>;
}

export class Engine {
  /** Watches the memory of this process and of all child processes. */
  readonly memory: MemoryWatch;
  /** Tables that queries read by name; sessions do not have them. */
  readonly tables = new AttachedTables();
  readonly #databases: readonly ServiceDatabase[]; // the one for few rows first
  readonly #notHere = new RecentTexts(); // of statements that need a query process
  readonly #allowedFolders: readonly string[];
  readonly #spillFolder: string;
  readonly #memoryLimitBytes: number;
  readonly #processMemoryBytes: number;
  readonly #threads: number;
  readonly #processes: QueryProcesses;
  readonly #unread: UnreadResults;
  readonly #mostQueries: number; // in this process and in query processes together
  readonly #here: Admission;
  readonly #lanes: Readonly<Record<Lane, Admission>>;
  readonly #stops = new Stops();
  #closed: Promise<void> | undefined;

  /** Loads nothing: `ready` or the first query loads DuckDB. */
  constructor(settings: EngineSettings) {
    const { spillFolder, macros = [], maxSpillBytes = 20 * 1024 ** 3 } = settings;
    this.#spillFolder = spillFolder;
    this.#allowedFolders = [...settings.allowedFolders, spillFolder];
    this.#processMemoryBytes = settings.processMemoryBytes ?? Number.POSITIVE_INFINITY;
    this.#memoryLimitBytes = memoryOrHalf(settings.memoryLimitBytes);
    const memory = memoryOf(this.#memoryLimitBytes);
    this.#threads = settings.threads ?? threadsFor(memory.processesBytes, availableParallelism());
    const database = {
      allowedFolders: this.#allowedFolders,
      spillFolder,
      maxSpillBytes,
      threads: this.#threads,
    };
    const open = ({ memoryBytes, threads }: DatabaseShare) =>
      openDatabase({
        ...database,
        memoryLimitBytes: memoryBytes,
        threads,
        macros,
        scalarFunctions: [],
        isLocked: true,
      });
    this.#databases = sharesOf(memory.hereBytes, this.#threads).map(
      (share) => new ServiceDatabase({ ...share, tables: this.tables, open }),
    );
    this.memory = new MemoryWatch(Math.max(leastMemoryBytes, this.#memoryLimitBytes));
    this.#processes = new QueryProcesses({
      ...database,
      memoryLimitBytes: memory.processesBytes,
      memory: this.memory,
    });
    this.#unread = new UnreadResults(this.#memoryLimitBytes / 4);
    this.#mostQueries = settings.maxQueries ?? Number.POSITIVE_INFINITY;
    const places = defaultPlaces(this.#memoryLimitBytes);
    const {
      maxRunningQueries = places.here,
      maxQueuedQueries = 100,
      maxQueries = maxRunningQueries + maxQueuedQueries,
    } = settings;
    const running = Math.min(maxRunningQueries, maxQueries);
    this.#here = new Admission(running, maxQueries - running);
    this.#lanes = {
      query: new Admission(Math.min(places.query, running), maxQueries - running),
      task: new Admission(settings.maxRunningTasks ?? places.task, Number.POSITIVE_INFINITY),
      stream: new Admission(1, Number.POSITIVE_INFINITY),
      cache: new Admission(1, Number.POSITIVE_INFINITY),
    };
  }

  /**
   * Settles when DuckDB is loaded and has all tables, so that the next query waits for neither.
   */
  async ready(): Promise<void> {
    await this.#databases[0]?.ready();
  }

  // A task and the segment cache share the memory of processes, and a task needs most of it.
  get #hasLittleMemory(): boolean {
    return this.#memoryLimitBytes < leastForBoth;
  }

  /** Limits of all queries together. */
  get limits(): { readonly memoryBytes: number; readonly threads: number } {
    return { memoryBytes: this.#memoryLimitBytes, threads: this.#threads };
  }

  /** Number of running and waiting queries. */
  get load(): { readonly running: number; readonly queued: number } {
    const lanes = [this.#here, this.#lanes.query];
    return {
      running: lanes.reduce((sum, lane) => sum + lane.running, 0),
      queued: lanes.reduce((sum, lane) => sum + lane.queued, 0),
    };
  }

  /** Whether a query process works, which would have to share its memory with another one. */
  get isProcessing(): boolean {
    return this.#processes.working > 0;
  }

  /** Whether the segment cache would take memory that a task at work needs. */
  get needsAllForTask(): boolean {
    return this.#hasLittleMemory && this.#lanes.task.running > 0;
  }

  /**
   * Runs one query over files that never change, unless its lane says otherwise. When this returns,
   * its first rows are available, so earlier failures are thrown here. Refuses with `Query capacity
   * exceeded`, `Query timeout`, `Query cancelled` or `Resource limit exceeded`.
   */
  async query(sql: string, options: QueryOptions = {}): Promise<QueryResult> {
    const { lane = 'query', isolated = false, grouping } = options;
    if (lane === 'query') this.#checkCapacity();
    const stop = this.#stops.begin(options);
    const { revision } = this.tables.wanted;
    const isShort =
      !isolated &&
      lane === 'query' &&
      sql.length <= maxLengthHere &&
      !this.#notHere.has(sql) &&
      (grouping?.numRows ?? 0) * bytesOfRow + bytesOfKeptValues(grouping) <=
        this.#databaseFor(grouping).memoryBytes;
    try {
      try {
        return await this.#run(sql, isShort, stop, options);
      } catch (error) {
        if (!(error instanceof DamagedFile) || lane !== 'query') throw error;
        this.tables.distrust();
        if (this.tables.wanted.revision === revision) throw error;
        return await this.#run(sql, isShort, stop, options);
      }
    } catch (error) {
      stop.forget();
      throw error;
    }
  }

  async #run(
    sql: string,
    isShort: boolean,
    stop: Stop,
    options: QueryOptions,
  ): Promise<QueryResult> {
    if (isShort) {
      try {
        return await this.#stream(sql, await this.#beginHere(sql, stop, options), stop, options);
      } catch (error) {
        if (!needsProcess(error)) throw error;
        this.#notHere.add(sql);
      }
    }
    return await this.#stream(sql, await this.#beginIsolated(stop, options, true), stop, options);
  }

  /** Runs one query and reads all rows, for results known to be small. */
  async rows(
    sql: string,
    options: QueryOptions = {},
  ): Promise<{ readonly columns: readonly DuckColumn[]; readonly chunks: readonly Chunk[] }> {
    const { columns, chunks } = await this.query(sql, options);
    const read: Chunk[] = [];
    for await (const chunk of chunks) read.push(chunk);
    return { columns, chunks: read };
  }

  /**
   * Several statements on one connection of a query process: temporary tables and views live until
   * `work` is done. They count as one query.
   */
  async session<Answer>(
    work: (session: Session) => Promise<Answer>,
    options: QueryOptions = {},
  ): Promise<Answer> {
    const { lane } = options;
    if (lane === 'cache' && this.needsAllForTask) throw new YieldsToTask();
    const stop = this.#stops.begin(options);
    if (lane === 'task' && this.#hasLittleMemory)
      this.#stops.abort('cache', () => new YieldsToTask());
    try {
      const { session, end } = await this.#beginIsolated(stop, options, false);
      try {
        return await work(session);
      } finally {
        await endOrAbort(end(), stop.signal);
      }
    } finally {
      stop.forget();
    }
  }

  /** Stops all queries with an id, including waiting ones; returns whether there were any. */
  cancel(queryId: string): boolean {
    return this.#stops.cancel(queryId);
  }

  /** Stops all queries; tasks and streams continue. */
  stopQueries(): void {
    this.#stops.abort('query', queryCancelled);
  }

  /** Stops everything and releases DuckDB. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#stops.cancelAll();
    const releases = this.#databases.map((database) => database.retire());
    await this.#processes.close();
    await Promise.all(releases.map((release) => release()));
  }

  #databaseFor(grouping: Grouping | undefined): ServiceDatabase {
    const [forFew, forMany = forFew] = this.#databases;
    const chosen = readsFewRows(grouping) ? forFew : forMany;
    if (!chosen) throw new Error('The service has no database');
    return chosen;
  }

  #checkCapacity(): void {
    const { running, queued } = this.load;
    if (running + queued >= this.#mostQueries) throw capacityExceeded(this.#mostQueries);
  }

  async #beginHere(
    sql: string,
    { signal }: Stop,
    { user, grouping }: QueryOptions,
  ): Promise<Begun> {
    const place = await QueryPlace.enter(this.#here, signal, user);
    try {
      const begun = await this.#databaseFor(grouping).begin(sql, grouping, {
        signal,
        translate: (error) => this.#translate(error),
        aside: place.aside,
      });
      const end = once(async () => {
        await begun.end();
        place.leave();
      });
      return { session: begun.session, place, end, heldBytes: streamBytes };
    } catch (error) {
      place.leave();
      throw error;
    }
  }

  async #beginIsolated(
    { signal }: Stop,
    { lane = 'query', memoryBytes, user, grouping }: QueryOptions,
    isQuery: boolean,
  ): Promise<Begun> {
    const place = await QueryPlace.enter(this.#lanes[lane], signal, user);
    let taken: TakenProcess;
    try {
      taken = await this.#processes.take(
        Math.min(this.#processMemoryBytes, memoryBytes ?? Number.POSITIVE_INFINITY),
        lane === 'query' ? this.tables : undefined,
        isQuery && lane === 'query',
        grouping,
      );
    } catch (error) {
      place.leave();
      throw this.#translate(error);
    }
    const session = new ProcessSession({
      ...taken,
      signal,
      translate: (error) => this.#translate(error),
      aside: place.aside,
    });
    const end = once(async () => {
      await session.end();
      this.#processes.giveBack(taken.process);
      place.leave();
    });
    return { session, place, end, heldBytes: streamBytes + programBytes };
  }

  async #stream(
    sql: string,
    { session, place, end, heldBytes }: Begun,
    { signal, abort, forget }: Stop,
    { user, encoded }: QueryOptions,
  ): Promise<QueryResult> {
    try {
      const { columns, chunks } = await session.query(sql, encoded);
      const close = async () => {
        forget();
        await end();
      };
      const setAside = (chunk: Chunk) => {
        place.giveUp();
        const bytes = heldBytes + 2 * bytesOfChunk(chunk); // the next one is computed, too
        const result = { user, bytes, stop: () => abort(resultNotRead()) };
        this.#unread.add(result);
        return () => this.#unread.delete(result);
      };
      return { columns, chunks: endingWith(chunks, place, setAside, close), signal, close };
    } catch (error) {
      await endOrAbort(end(), signal);
      throw error;
    }
  }

  #translate(error: unknown): unknown {
    return refusalFor(error, this.#allowedFolders, dirname(this.#spillFolder));
  }
}

// Query processes have further functions, and more memory than DuckDB in this process.
const needsProcess = (error: unknown) =>
  error instanceof MissingFunction || (error instanceof OutOfMemory && error.lacking === 'memory');

interface Begun {
  readonly session: Session;
  readonly place: QueryPlace;
  readonly heldBytes: number; // by an unread result, without its rows
  end(): Promise<void>;
}

/** A place for running work, which is released while the work waits for something else. */
class QueryPlace {
  readonly #admission: Admission;
  readonly #signal: AbortSignal;
  readonly #user: string | undefined;
  #leave: (() => void) | undefined;
  #hasEnded = false;

  static async enter(
    admission: Admission,
    signal: AbortSignal,
    user: string | undefined,
  ): Promise<QueryPlace> {
    const place = new QueryPlace(admission, signal, user);
    place.#take(await admission.enter(signal, user));
    return place;
  }

  private constructor(admission: Admission, signal: AbortSignal, user: string | undefined) {
    this.#admission = admission;
    this.#signal = signal;
    this.#user = user;
  }

  readonly aside: Aside = async (wait) => {
    this.giveUp();
    try {
      return await wait();
    } finally {
      await this.reenter();
    }
  };

  /** Waits for a place again, unless it has one. */
  async reenter(): Promise<void> {
    if (this.#leave || this.#hasEnded) return;
    this.#take(await this.#admission.reenter(this.#signal, this.#user));
  }

  #take(leave: () => void): void {
    if (this.#hasEnded) leave();
    else this.#leave = leave;
  }

  giveUp(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  leave(): void {
    this.#hasEnded = true;
    this.giveUp();
  }
}

// A client that does not read loses its place.
async function* endingWith(
  chunks: AsyncIterable<Chunk>,
  place: QueryPlace,
  setAside: (chunk: Chunk) => () => void,
  end: () => Promise<void>,
): AsyncGenerator<Chunk, void, undefined> {
  let unread: NodeJS.Timeout | undefined;
  let resume = () => {};
  try {
    for await (const chunk of chunks) {
      unread = setTimeout(() => {
        resume = setAside(chunk);
      }, unreadMs);
      yield chunk;
      clearTimeout(unread);
      await place.reenter();
      resume();
    }
  } finally {
    clearTimeout(unread);
    resume();
    await end();
  }
}

// A cancelled query does not wait for its process to notice.
async function endOrAbort(ended: Promise<void>, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await ended;
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

// DuckDB needs memory beyond its limit for rows in progress, and each process needs memory of its
// own.
function memoryOf(limitBytes: number): {
  readonly hereBytes: number;
  readonly processesBytes: number;
} {
  const forDataBytes = Math.max(limitBytes / 2, limitBytes - 128 * 1024 ** 2);
  return {
    hereBytes: Math.floor(forDataBytes * 0.25),
    processesBytes: Math.floor(forDataBytes * 0.75),
  };
}

// A second thread costs a small statement more time than it saves. With little memory there is one
// database for all statements.
function sharesOf(memoryBytes: number, threads: number): readonly DatabaseShare[] {
  const statementBytes = mostKeptBytes;
  if (threads === 1 || memoryBytes < leastSharedBytes)
    return [{ memoryBytes, threads, statementBytes }];
  const fewBytes = Math.min(mostFewBytes, memoryBytes / 4);
  return [
    { memoryBytes: fewBytes, threads: 1, statementBytes: statementBytes / 4 },
    { memoryBytes: memoryBytes - fewBytes, threads, statementBytes },
  ];
}

const leastForBoth = 2_000_000_000;
const leastSharedBytes = 64 * 1024 ** 2;
const mostFewBytes = 64 * 1024 ** 2;

// Two threads of the pool stay free for files. Each query process itself needs some 60 MB.
function defaultPlaces(memoryLimitBytes: number): {
  readonly here: number;
  readonly query: number;
  readonly task: number;
} {
  const threads = Number(process.env.UV_THREADPOOL_SIZE ?? 4);
  const hasMuchMemory = memoryLimitBytes >= 2 * 1024 ** 3;
  return {
    here: Math.max(2, threads - 4),
    query: hasMuchMemory ? 4 : 2,
    task: hasMuchMemory ? 4 : 2,
  };
}

// In characters of DuckDB's SQL: planning a longer statement takes long and cannot be interrupted
const maxLengthHere = 64 * 1024;
const unreadMs = 250;
const streamBytes = 8 * 1024 ** 2; // of rows in DuckDB, and of their text on its way
const bytesOfRow = 16; // of the memory for groups, if most rows are groups of their own
