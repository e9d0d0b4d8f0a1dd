// Processes for planning: started on demand, ended after idle time, and killed to abort a job.
// Threads are unsuitable: V8 ends the whole process when a single step of a thread, such as joining
// a list, needs more memory than the thread may have.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { InvalidTime } from '../../model/instant.ts';
import type { Catalog } from '../../sql/catalog.ts';
import { SqlError } from '../../sql/sql-error.ts';
import { Admission } from '../engine/admission.ts';
import { childEnvironment, programNamed } from '../engine/child-program.ts';
import type { MemoryWatch } from '../engine/memory-watch.ts';
import { residentBytesOf } from '../engine/process-memory.ts';
import { EngineError, queryCancelled } from '../engine/refusals.ts';
import { CatalogCalls } from './catalog-calls.ts';
import { FrameReader, frameOf } from './frames.ts';
import {
  type CatalogAnswer,
  type CatalogCall,
  channelOfService,
  type Job,
  type PlanningOutcome,
} from './messages.ts';
import type { PlanningResult } from './plan.ts';
import { planTooLarge } from './refusals.ts';

export interface PlanningProcessesSettings {
  readonly heapBytes: number; // of each process
  readonly memory: MemoryWatch;
  readonly idleMs?: number; // after which a process without a job ends
}

export class PlanningProcesses {
  readonly #settings: PlanningProcessesSettings;
  readonly #admission = new Admission(mostProcesses, mostWaiting);
  readonly #idle: PlanningProcess[] = [];
  readonly #running = new Set<PlanningProcess>();

  constructor(settings: PlanningProcessesSettings) {
    this.#settings = settings;
  }

  /**
   * Runs a job in a process of its own. Aborting the signal kills the process and rejects with the
   * signal's reason. Rejects with errors of the translation or the catalog, and refuses a plan that
   * needs more memory than a process has.
   */
  async plan(
    job: Job,
    catalog: Catalog,
    signal: AbortSignal,
    user?: string,
  ): Promise<PlanningResult> {
    const { memory } = this.#settings;
    const leave = await this.#admission.enter(signal, user);
    if (signal.aborted) {
      leave();
      throw signal.reason;
    }
    const process =
      this.#idle.pop() ?? new PlanningProcess(this.#settings, (ended) => this.#forget(ended));
    this.#running.add(process);
    memory.watch(process, true);
    const end = () => process.kill(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    try {
      return await process.plan(job, catalog);
    } finally {
      signal.removeEventListener('abort', end);
      this.#running.delete(process);
      memory.forget(process);
      if (process.memoryBytes > mostIdleBytes) process.kill(queryCancelled());
      else if (!process.hasEnded) {
        this.#idle.push(process);
        memory.watch(process, false);
      }
      leave();
    }
  }

  /** Ends all processes and cancels running jobs. */
  async close(): Promise<void> {
    await Promise.all([...this.#idle, ...this.#running].map((process) => process.close()));
  }

  #forget(process: PlanningProcess): void {
    this.#settings.memory.forget(process);
    const at = this.#idle.indexOf(process);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

// A user gets at most two, so that one stays free for others. More processes would take processors
// from the queries.
const mostProcesses = 3;
const mostWaiting = 100;
// V8 retains the memory of a large plan: such a process costs more than starting the next one
const mostIdleBytes = 256 * 1024 ** 2;

class PlanningProcess {
  readonly #child: ChildProcess;
  readonly #channel: Socket;
  readonly #gone: Promise<void>;
  readonly #idleTimer: NodeJS.Timeout;
  readonly #onEnd: (process: PlanningProcess) => void;
  #catalog: CatalogCalls | undefined;
  #settle:
    | {
        readonly resolve: (outcome: PlanningOutcome) => void;
        readonly reject: (error: unknown) => void;
      }
    | undefined;
  hasEnded = false;

  constructor(
    { heapBytes, idleMs = 30_000 }: PlanningProcessesSettings,
    onEnd: (process: PlanningProcess) => void,
  ) {
    this.#onEnd = onEnd;
    this.#child = spawn(
      process.execPath,
      [...optionsOf(heapBytes), programNamed('planning-process')],
      {
        env: childEnvironment(),
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'], // V8 prints pages of text when it is out of memory
      },
    );
    this.#channel = this.#child.stdio[channelOfService] as Socket;
    const reader = new FrameReader((message) =>
      this.#receive(message as CatalogCall | PlanningOutcome),
    );
    this.#channel.on('data', (piece: Buffer) => reader.read(piece));
    this.#channel.on('error', () => undefined); // the process has ended: its exit contains the reason
    this.#child.on('error', (error) => this.#end(error));
    this.#gone = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#end(failureOf(code, signal, heapBytes));
        resolve();
      });
    });
    this.#ref(false);
    this.#idleTimer = setTimeout(
      () => this.#catalog === undefined && this.kill(queryCancelled()),
      idleMs,
    ).unref();
  }

  /** Resident memory in bytes. */
  get memoryBytes(): number {
    const { pid } = this.#child;
    return pid === undefined || this.hasEnded ? 0 : (residentBytesOf(pid) ?? 0);
  }

  async plan(job: Job, catalog: Catalog): Promise<PlanningResult> {
    const calls = new CatalogCalls(catalog);
    this.#catalog = calls;
    this.#ref(true);
    try {
      const outcome = await new Promise<PlanningOutcome>((resolve, reject) => {
        this.#settle = { resolve, reject };
        this.#send(frameOf(job));
      });
      return planIn(outcome, calls);
    } finally {
      this.#settle = undefined;
      this.#catalog = undefined;
      this.#ref(false);
      this.#idleTimer.refresh();
    }
  }

  /** Ends the process at once and rejects its job with the reason. */
  kill(reason: unknown): void {
    this.#end(reason);
    this.#child.kill('SIGKILL');
  }

  /** Ends the process at once, and settles after its exit. */
  async close(): Promise<void> {
    this.#child.ref(); // keep the event loop alive until the exit
    this.kill(queryCancelled());
    await this.#gone;
  }

  #receive(message: CatalogCall | PlanningOutcome): void {
    if ('kind' in message) this.#settle?.resolve(message);
    else if (this.#catalog) this.#send(answerOf(this.#catalog, message));
  }

  #send(frame: readonly Buffer[]): void {
    for (const part of frame) this.#channel.write(part);
  }

  #end(reason: unknown): void {
    if (!this.hasEnded) {
      this.hasEnded = true;
      clearTimeout(this.#idleTimer);
      this.#onEnd(this);
    }
    this.#settle?.reject(reason);
  }

  // An idle process does not keep the service from ending.
  #ref(isNeeded: boolean): void {
    for (const handle of [this.#child, this.#channel]) isNeeded ? handle.ref() : handle.unref();
  }
}

// The main thread's stack has 8 MiB by default, and less on Windows.
const optionsOf = (heapBytes: number): string[] => [
  `--max-old-space-size=${Math.ceil(heapBytes / 1024 ** 2)}`,
  ...(process.platform === 'win32' ? [] : ['--stack-size=6000']),
];

function answerOf(calls: CatalogCalls, call: CatalogCall): Buffer[] {
  try {
    return frameOf(calls.answer(call));
  } catch (error) {
    return frameOf(calls.keep(error) satisfies CatalogAnswer);
  }
}

// V8 aborts when it is out of memory, and the operating system kills the process that uses most.
function failureOf(code: number | null, signal: NodeJS.Signals | null, heapBytes: number): Error {
  if (signal !== null || (code ?? 0) > 128) return planTooLarge(heapBytes);
  return new EngineError(`A planning process has ended with exit code [${code}]`);
}

function planIn(outcome: PlanningOutcome, calls: CatalogCalls): PlanningResult {
  switch (outcome.kind) {
    case 'planned':
      return outcome.plan;
    case 'refused':
      throw new SqlError(outcome.message, outcome.fields);
    case 'invalidTime':
      throw new InvalidTime(outcome.message);
    case 'thrown':
      throw calls.error(outcome.id);
    case 'failed':
      throw Object.assign(new Error(outcome.message), { stack: outcome.stack });
  }
}
