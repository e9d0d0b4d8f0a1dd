// Threads that plan: started when they are needed, ended when nothing has been planned for a while, terminated to end a job.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { InvalidTime } from '../../model/instant.ts';
import type { Catalog } from '../../sql/catalog.ts';
import { SqlError } from '../../sql/sql-error.ts';
import { Admission } from '../engine/admission.ts';
import { queryCancelled } from '../engine/refusals.ts';
import { CatalogCalls } from './catalog-calls.ts';
import type { CatalogCall, Job, Outcome, WorkerStart } from './messages.ts';
import type { Plan } from './plan.ts';
import { planTooLarge } from './refusals.ts';

export interface WorkersSettings {
  readonly heapBytes: number; // of each worker
  readonly idleMs?: number; // after which a worker without a job ends
}

export class PlanningWorkers {
  readonly #heapBytes: number;
  readonly #idleMs: number;
  readonly #admission = new Admission(mostWorkers, mostWaiting);
  readonly #idle: PlanningThread[] = [];
  readonly #running = new Set<PlanningThread>();

  constructor({ heapBytes, idleMs = 30_000 }: WorkersSettings) {
    this.#heapBytes = heapBytes;
    this.#idleMs = idleMs;
  }

  /**
   * Runs a job in a worker of its own. Aborting the signal terminates the worker, and rejects with the signal's reason.
   * Rejects with what the translation or the catalog throws, and refuses a plan that needs more memory than a worker has.
   */
  async plan(job: Job, catalog: Catalog, signal: AbortSignal): Promise<Plan> {
    const leave = await this.#admission.enter(signal);
    if (signal.aborted) {
      leave();
      throw signal.reason;
    }
    const thread = this.#idle.pop() ?? new PlanningThread(this.#heapBytes, this.#idleMs, (ended) => this.#forget(ended));
    this.#running.add(thread);
    const end = () => thread.end(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    try {
      return await thread.plan(job, catalog);
    } finally {
      signal.removeEventListener('abort', end);
      this.#running.delete(thread);
      if (!thread.hasEnded) this.#idle.push(thread);
      leave();
    }
  }

  /** Ends all workers; jobs that run are cancelled. */
  async close(): Promise<void> {
    await Promise.all([...this.#idle, ...this.#running].map((thread) => thread.end(queryCancelled())));
  }

  #forget(thread: PlanningThread): void {
    const at = this.#idle.indexOf(thread);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

// The second worker goes on while the first has a long job. More workers would take processors from the queries.
const mostWorkers = 2;
const mostWaiting = 100;

class PlanningThread {
  readonly #worker: Worker;
  readonly #calls: MessagePort;
  readonly #answered = new Int32Array(new SharedArrayBuffer(4));
  readonly #idleTimer: NodeJS.Timeout;
  readonly #onEnd: (thread: PlanningThread) => void;
  readonly #heapBytes: number;
  #catalog: CatalogCalls | undefined;
  #settle: { readonly resolve: (outcome: Outcome) => void; readonly reject: (error: unknown) => void } | undefined;
  hasEnded = false;

  constructor(heapBytes: number, idleMs: number, onEnd: (thread: PlanningThread) => void) {
    const { port1, port2 } = new MessageChannel();
    const start: WorkerStart = { calls: port2, answered: this.#answered };
    this.#heapBytes = heapBytes;
    this.#onEnd = onEnd;
    this.#calls = port1;
    this.#worker = new Worker(entry(), {
      workerData: start,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(heapBytes / 1024 ** 2), stackSizeMb: 8 },
      env: {},
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on('message', (outcome: Outcome) => this.#settle?.resolve(outcome));
    this.#worker.on('error', (error: NodeJS.ErrnoException) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('A planning worker has ended')));
    this.#calls.on('message', (call: CatalogCall) => this.#answer(call));
    this.#calls.unref();
    this.#idleTimer = setTimeout(() => this.#catalog === undefined && void this.end(queryCancelled()), idleMs).unref();
  }

  async plan(job: Job, catalog: Catalog): Promise<Plan> {
    const calls = new CatalogCalls(catalog);
    this.#catalog = calls;
    this.#worker.ref();
    try {
      const outcome = await new Promise<Outcome>((resolve, reject) => {
        this.#settle = { resolve, reject };
        this.#worker.postMessage(job);
      });
      return planIn(outcome, calls);
    } finally {
      this.#settle = undefined;
      this.#catalog = undefined;
      this.#worker.unref();
      this.#idleTimer.refresh();
    }
  }

  /** Terminates the worker; its job is rejected with the reason. */
  async end(reason: unknown): Promise<void> {
    this.#fail(reason);
    await this.#worker.terminate();
  }

  #answer(call: CatalogCall): void {
    const calls = this.#catalog;
    if (!calls) return; // its job is over
    const answer = calls.answer(call);
    try {
      this.#calls.postMessage(answer);
    } catch (error) {
      this.#calls.postMessage(calls.keep(error));
    }
    Atomics.store(this.#answered, 0, 1);
    Atomics.notify(this.#answered, 0);
  }

  #fail(error: unknown): void {
    const isOutOfMemory = (error as NodeJS.ErrnoException)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!this.hasEnded) {
      this.hasEnded = true;
      clearTimeout(this.#idleTimer);
      this.#calls.close();
      this.#onEnd(this);
    }
    this.#settle?.reject(isOutOfMemory ? planTooLarge(this.#heapBytes) : error);
  }
}

function planIn(outcome: Outcome, calls: CatalogCalls): Plan {
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

// The build puts the worker next to the folder of this file's chunk; from the sources it is found in the build.
function entry(): string {
  const places = ['../planning-worker.cjs', '../../../dist/planning-worker.cjs'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const found = places.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`The planning worker is missing: ${places.join(', ')}`);
  return found;
}
