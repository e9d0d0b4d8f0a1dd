// Query processes of a service: started on demand, reused, and ended when they have been idle for
// long or have grown. The processes at work share the service's memory.
import type { AttachedTables } from './attached-tables.ts';
import { bytesOfGroups, type Grouping, groupBits } from './group-table.ts';
import { mostKeptBytes } from './kept-statements.ts';
import type { MemoryWatch } from './memory-watch.ts';
import { programBytes } from './process-memory.ts';
import type { ProcessSettings } from './process-messages.ts';
import { QueryProcess } from './query-process.ts';
import { EngineError, queryCancelled } from './refusals.ts';

export interface QueryProcessesSettings extends ProcessSettings {
  readonly memoryLimitBytes: number; // of all processes at work together
  readonly memory: MemoryWatch;
}

export class QueryProcesses {
  readonly #settings: QueryProcessesSettings;
  // With the memory limit of each, in bytes
  readonly #working = new Map<QueryProcess, number>();
  readonly #idle: { readonly process: QueryProcess; readonly timer: NodeJS.Timeout }[] = [];
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
   * `isQuery`: the session has one query over data that never change.
   */
  async take(
    memoryBytes = Number.POSITIVE_INFINITY,
    tables?: AttachedTables,
    isQuery = false,
    grouping?: Grouping,
  ): Promise<QueryProcess> {
    const process = this.#idleOne() ?? (await QueryProcess.start(this.#settings));
    if (this.#isClosed) {
      await process.close();
      throw queryCancelled();
    }
    this.#working.set(process, memoryBytes);
    this.#shareOut();
    this.#settings.memory.watch(process, true);
    try {
      const shareBytes = this.#shareOf(memoryBytes);
      const { threads } = this.#settings;
      const bits = isQuery && grouping ? groupBits(grouping, shareBytes / 3, threads) : undefined;
      const tableBytes = bits && grouping ? bytesOfGroups(bits, grouping, threads) : 0;
      const ownBytes = shareBytes - tableBytes;
      if (tableBytes > 0) this.#working.set(process, ownBytes);
      const isKept = isQuery && tableBytes <= mostKeptBytes;
      const damaged = await process.begin(ownBytes, tables?.wanted, isKept, bits);
      tables?.distrust(damaged);
      return process;
    } catch (error) {
      this.giveBack(process);
      throw error;
    }
  }

  /** Returns a process after its session has ended. */
  giveBack(process: QueryProcess): void {
    this.#working.delete(process);
    this.#settings.memory.forget(process);
    this.#shareOut();
    if (!process.isAlive) return;
    if (this.#isClosed || this.#idle.length >= maxIdle || process.hasSpilled) {
      process.kill(noLongerNeeded());
      return;
    }
    // Data that are read again stay in memory, as far as there is room for them.
    process.tell({ kind: 'limit', memoryBytes: this.#mostIdleBytes - programBytes });
    const sinceMs = performance.now();
    const timer = setInterval(() => {
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
    this.#idle.push({ process, timer });
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

  #shareOf(memoryBytes: number): number {
    const processes = Math.max(1, this.#working.size);
    const dataBytes = this.#settings.memoryLimitBytes - (processes - 1) * programBytes;
    return Math.min(memoryBytes, Math.max(leastShareBytes, dataBytes / processes));
  }

  #shareOut(): void {
    for (const [process, memoryBytes] of this.#working)
      process.tell({ kind: 'limit', memoryBytes: this.#shareOf(memoryBytes) });
  }
}

const noLongerNeeded = () =>
  new EngineError('The query process has ended: it was no longer needed');

const idleMs = 30_000;
const returnMs = 500; // to return memory to the operating system
const maxIdle = 2;
const leastShareBytes = 128 * 1024 ** 2; // with less, DuckDB occasionally runs out of memory
