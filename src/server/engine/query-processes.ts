// Query processes of a service: started on demand, reused, and ended when they have been idle for
// long or have grown. The processes at work share the service's memory.
import type { AttachedTables } from './attached-tables.ts';
import { mostKeptBytes } from './kept-statements.ts';
import type { MemoryWatch } from './memory-watch.ts';
import { readsFewRows } from './parallelism.ts';
import { programBytes } from './process-memory.ts';
import type { ProcessSettings } from './process-messages.ts';
import { QueryProcess } from './query-process.ts';
import { EngineError, queryCancelled } from './refusals.ts';
import { type Grouping, uncountedMemory } from './uncounted-memory.ts';

export interface QueryProcessesSettings extends ProcessSettings {
  readonly memoryLimitBytes: number; // of all processes at work together
  readonly memory: MemoryWatch;
}

export class QueryProcesses {
  readonly #settings: QueryProcessesSettings;
  // With the memory limit of each, in bytes
  readonly #working = new Map<QueryProcess, number>();
  readonly #idle: IdleProcess[] = [];
  readonly #mostIdleBytes: number; // of one process: a new one costs more time than a small query
  #isClosed = false;

  constructor(settings: QueryProcessesSettings) {
    this.#settings = settings;
    this.#mostIdleBytes = Math.max(320 * 1024 ** 2, settings.memoryLimitBytes / 4);
  }

  /** Number of processes at work. */
  get working(): number {
    return this.#working.size;
  }

  /**
   * Takes a process for one session, with at most `memoryBytes` of memory, and with `tables`.
   * `isQuery`: the session has one query over data that never change. The session has begun when
   * `begun` settles.
   */
  async take(
    memoryBytes = Number.POSITIVE_INFINITY,
    tables?: AttachedTables,
    isQuery = false,
    grouping?: Grouping,
  ): Promise<TakenProcess> {
    const process = this.#idleOne() ?? (await QueryProcess.start(this.#settings));
    for (const idle of this.#idle) this.#limitIdle(idle);
    if (this.#isClosed) {
      await process.close();
      throw queryCancelled();
    }
    this.#shareOut(1);
    this.#working.set(process, memoryBytes);
    this.#settings.memory.watch(process, true);
    const shareBytes = this.#shareOf(memoryBytes);
    const threads = isQuery && readsFewRows(grouping) ? 1 : this.#settings.threads;
    const { tableBits, bytes } = uncountedMemory(
      isQuery ? grouping : undefined,
      shareBytes / 3,
      threads,
    );
    const ownBytes = Math.max(Math.min(leastShareBytes, shareBytes), shareBytes - bytes);
    if (bytes > 0) this.#working.set(process, ownBytes);
    const begun = process
      .begin({
        memoryBytes: ownBytes,
        threads,
        tables: tables?.wanted,
        mayKeep: isQuery && bytes <= mostKeptBytes,
        bits: tableBits,
      })
      .then((damaged) => tables?.distrust(damaged));
    begun.catch(() => undefined); // the session's first statement throws it
    return { process, begun };
  }

  /** Returns a process after its session has ended. */
  giveBack(process: QueryProcess): void {
    this.#working.delete(process);
    this.#settings.memory.forget(process);
    this.#shareOut();
    if (!process.isAlive) return;
    const isUsable = !process.isBroken && !process.hasSpilled;
    if (this.#isClosed || this.#idle.length >= maxIdle || !isUsable) {
      process.kill(noLongerNeeded());
      return;
    }
    const sinceMs = performance.now();
    const timer = setInterval(() => {
      if (!idle.isLimited) return this.#limitIdle(idle);
      const isLarge = process.memoryBytes > this.#mostIdleBytes;
      if (!isLarge && performance.now() - sinceMs < idleMs) return;
      clearInterval(timer);
      this.#idle.splice(
        this.#idle.findIndex((idle) => idle.process === process),
        1,
      );
      this.#settings.memory.forget(process);
      process.kill(noLongerNeeded());
    }, returnMs).unref();
    const idle: IdleProcess = { process, timer, isLimited: false };
    this.#idle.push(idle);
    this.#settings.memory.watch(process, false);
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { timer } of this.#idle) clearInterval(timer);
    await Promise.all(
      [...this.#working.keys(), ...this.#idle.splice(0).map(({ process }) => process)].map(
        (process) => process.close(),
      ),
    );
  }

  #idleOne(): QueryProcess | undefined {
    for (;;) {
      const idle = this.#idle.pop();
      clearInterval(idle?.timer);
      if (!idle || idle.process.isAlive) return idle?.process;
    }
  }

  // Data that are read again stay in memory, as far as there is room for them. A new limit makes
  // DuckDB return all free memory, which the next query would have to get again: a process that is
  // used all the time keeps its limit.
  #limitIdle(idle: IdleProcess): void {
    if (idle.isLimited) return;
    idle.isLimited = true;
    idle.process.limit(this.#mostIdleBytes - programBytes);
  }

  #shareOf(memoryBytes: number, further = 0): number {
    const processes = Math.max(1, this.#working.size + further);
    const dataBytes = this.#settings.memoryLimitBytes - (processes - 1) * programBytes;
    return Math.min(memoryBytes, Math.max(leastShareBytes, dataBytes / processes));
  }

  // Limits the working processes to their shares beside `further` ones, which get their own with
  // the session that begins: DuckDB returns its free memory for every other limit.
  #shareOut(further = 0): void {
    for (const [process, memoryBytes] of this.#working)
      process.limit(this.#shareOf(memoryBytes, further));
  }
}

export interface TakenProcess {
  readonly process: QueryProcess;
  readonly begun: Promise<void>;
}

interface IdleProcess {
  readonly process: QueryProcess;
  readonly timer: NodeJS.Timeout;
  isLimited: boolean;
}

const noLongerNeeded = () =>
  new EngineError('The query process has ended: it was no longer needed');

const idleMs = 30_000;
const returnMs = 500; // to return memory to the operating system
const maxIdle = 2;
const leastShareBytes = 128 * 1024 ** 2; // with less, DuckDB occasionally runs out of memory
