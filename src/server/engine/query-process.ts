// Service side of a query process: a child process with a database of its own, for one session at a
// time. It can be killed at any moment, which frees all of its memory.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Attachments } from './attached-tables.ts';
import { childEnvironment, programNamed } from './child-program.ts';
import { residentBytesOf } from './process-memory.ts';
import type {
  AnswerTo,
  ProcessAnswer,
  ProcessRequest,
  ProcessSettings,
  ProcessSignal,
} from './process-messages.ts';
import { EngineError, FunctionLimitExceeded, isFatal, OutOfMemory } from './refusals.ts';

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

export interface SessionSettings {
  readonly memoryBytes: number;
  readonly threads: number;
  readonly tables: Attachments | undefined;
  readonly mayKeep: boolean; // its only query may stay prepared for the next session
  readonly bits: number | undefined; // the range of its group tables
}

export class QueryProcess {
  readonly #child: ChildProcess;
  readonly #spillFolder: string;
  readonly #waiting: Waiting[] = [];
  readonly #gone: Promise<void>;
  #reportedBytes = 0;
  #tablesRevision = 0;
  #limitBytes: number | undefined;
  #isBroken = false;
  #end: unknown; // reason why it accepts no more requests

  /** Starts a process and opens its database. Rejects on failure. */
  static async start(settings: ProcessSettings): Promise<QueryProcess> {
    // Each database needs its own spill folder: their files have the same names.
    const spillFolder = mkdtempSync(join(settings.spillFolder, 'process-'));
    const started = new QueryProcess(spillFolder, settings.threads);
    try {
      await started.ask({
        kind: 'open',
        settings: {
          ...settings,
          spillFolder,
          allowedFolders: [...settings.allowedFolders, spillFolder],
        },
      });
      return started;
    } catch (error) {
      started.kill(error);
      throw error;
    }
  }

  private constructor(spillFolder: string, threads: number) {
    this.#spillFolder = spillFolder;
    this.#child = fork(programNamed('query-process'), [], {
      serialization: 'advanced',
      execArgv: [],
      env: {
        ...childEnvironment(),
        // Each thread that allocates keeps memory for itself: one runs a statement, one sets limits
        UV_THREADPOOL_SIZE: '2',
        MALLOC_ARENA_MAX: String(threads),
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child.on('message', (answer: ProcessAnswer) => this.#receive(answer));
    this.#child.on('error', (error) => this.#recordEnd(error));
    this.#gone = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#recordEnd(failureOf(code, signal));
        rmSync(this.#spillFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
        resolve();
      });
    });
    // The service exits without waiting for its processes: they end with their channel.
    this.#child.unref();
    this.#child.channel?.unref();
  }

  /** Whether it accepts requests. */
  get isAlive(): boolean {
    return this.#end === undefined;
  }

  /** Whether its database refuses all statements, because DuckDB has failed. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Resident memory in bytes. */
  get memoryBytes(): number {
    const { pid } = this.#child;
    return (
      (pid === undefined || !this.isAlive ? undefined : residentBytesOf(pid)) ?? this.#reportedBytes
    );
  }

  /** Whether it is alive and has data on disk, some of which may stay there until it ends. */
  get hasSpilled(): boolean {
    return this.isAlive && readdirSync(this.#spillFolder).length > 0;
  }

  /**
   * Sends a request and waits for the reply. Rejects with DuckDB's error, or with the reason why
   * the process has ended.
   */
  ask<Request extends ProcessRequest>(request: Request): Promise<AnswerTo[Request['kind']]> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) return reject(this.#end);
      this.#waiting.push({ resolve: resolve as Waiting['resolve'], reject });
      if (this.#waiting.length === 1) this.#child.channel?.ref();
      this.#child.send(request, (error) => error && this.#recordEnd(error));
    });
  }

  /**
   * Begins a session whose statements read `tables`. Returns the names of those whose files are
   * missing or damaged. Requests may follow before this resolves.
   */
  async begin({ tables, ...settings }: SessionSettings): Promise<readonly string[]> {
    const changed = tables && tables.revision > this.#tablesRevision ? tables : undefined;
    this.#limitBytes = settings.memoryBytes;
    const damaged = await this.ask({ kind: 'begin', ...settings, tables: changed });
    if (changed) this.#tablesRevision = changed.revision;
    return damaged;
  }

  /** Changes the memory limit of the running session, or of the idle process. */
  limit(memoryBytes: number): void {
    if (memoryBytes === this.#limitBytes) return;
    this.#limitBytes = memoryBytes;
    this.tell({ kind: 'limit', memoryBytes });
  }

  /** Sends a message that overtakes requests and has no reply. */
  tell(message: ProcessSignal): void {
    if (this.isAlive) this.#child.send(message, (error) => error && this.#recordEnd(error));
  }

  /** Ends the process at once; pending requests fail with the reason. */
  kill(reason: unknown): void {
    this.#recordEnd(reason);
    this.#child.kill('SIGKILL');
  }

  /** Ends the process at once, and settles after its exit. */
  async close(): Promise<void> {
    this.#child.ref(); // keep the event loop alive until the exit
    this.kill(new EngineError('The query process is closed'));
    await this.#gone;
  }

  #receive(answer: ProcessAnswer): void {
    if (answer.kind === 'memory') {
      this.#reportedBytes = answer.bytes;
      return;
    }
    const waiting = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#child.channel?.unref();
    if (answer.kind === 'done') waiting?.resolve(answer.answer);
    else {
      const error = answer.isLimit
        ? new FunctionLimitExceeded(answer.message)
        : new Error(answer.message);
      this.#isBroken ||= isFatal(error);
      waiting?.reject(error);
    }
  }

  #recordEnd(reason: unknown): void {
    this.#end ??= reason;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#end);
  }
}

// The operating system kills the process that uses most memory, and V8 aborts when it is out of
// memory.
function failureOf(code: number | null, signal: NodeJS.Signals | null): Error {
  if (signal === 'SIGKILL' || signal === 'SIGABRT' || code === 134)
    return new OutOfMemory('memory');
  return new EngineError(
    `A query process has ended with ${signal ? `signal [${signal}]` : `exit code [${code}]`}`,
  );
}
