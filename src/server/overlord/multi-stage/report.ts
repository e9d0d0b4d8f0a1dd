// Report of a multi-stage query, live during its run (Druid: multi-stage-query, "Get the report for
// a query task"). All values are counted or measured.
import type { Dialect } from '../../../model/dialect.ts';
import { formatInstant } from '../../../model/instant.ts';
import type { Fault } from '../../statements/faults.ts';
import type { Reports } from '../../tasks/task-type.ts';
import { stackTraceOf } from './stack-trace.ts';

export type Phase = 'NEW' | 'READING_INPUT' | 'POST_READING' | 'FAILED' | EndedPhase;
type EndedPhase = Dialect['endedPhase'];

export interface SignatureColumn {
  readonly name: string;
  readonly type: string | null;
}

/** One stage of a query: definition and progress. Handlers of the query update it. */
export class Stage {
  readonly #definition: StageDefinition;
  readonly #now: () => number;
  readonly #endedPhase: EndedPhase;
  phase: Phase = 'NEW';
  workerCount = 1;
  partitionCount: number | undefined;
  readonly #counters = new Map<number, Record<string, Counter>>(); // by worker
  #startedMs: number | undefined;
  #endedMs: number | undefined;

  constructor(definition: StageDefinition, now: () => number, endedPhase: EndedPhase) {
    this.#definition = definition;
    this.#now = now;
    this.#endedPhase = endedPhase;
  }

  start(phase: Phase = 'READING_INPUT'): void {
    this.#startedMs ??= this.#now();
    this.phase = phase;
  }

  end(phase: Phase = this.#endedPhase): void {
    if (this.#startedMs === undefined || this.#endedMs !== undefined) return;
    this.#endedMs = this.#now();
    this.phase = phase;
  }

  get isRunning(): boolean {
    return this.#startedMs !== undefined && this.#endedMs === undefined;
  }

  /** Sets a counter of a worker to its current value. */
  count(name: string, counter: Counter, worker = 0): void {
    this.#counters.set(worker, { ...this.#counters.get(worker), [name]: counter });
  }

  get countersJson(): Readonly<Record<string, unknown>> | undefined {
    return this.#counters.size > 0 ? Object.fromEntries(this.#counters) : undefined;
  }

  json(taskId: string, stageNumber: number): Readonly<Record<string, unknown>> {
    const { input, broadcast = [], processor, signature, shuffle, sorts } = this.#definition;
    const started = this.#startedMs;
    return {
      stageNumber,
      definition: {
        id: `${taskId}_${stageNumber}`,
        input,
        ...(broadcast.length > 0 && { broadcast }),
        processor,
        signature,
        ...(shuffle && { shuffleSpec: shuffle }),
        maxWorkerCount: this.#definition.maxWorkers,
      },
      ...(started !== undefined && {
        phase: this.phase,
        workerCount: this.workerCount,
        ...(this.partitionCount !== undefined && { partitionCount: this.partitionCount }),
        ...(shuffle && {
          shuffle:
            shuffle.type === 'hash'
              ? sorts
                ? 'hashLocalSort'
                : 'hash'
              : sorts
                ? 'globalSort'
                : 'mix',
          output: 'localStorage',
        }),
        startTime: formatInstant(started),
        duration: (this.#endedMs ?? this.#now()) - started,
        ...(sorts && { sort: true }),
      }),
    };
  }
}

export interface StageDefinition {
  readonly input: readonly Readonly<Record<string, unknown>>[];
  readonly broadcast?: readonly number[]; // inputs that all workers have
  readonly processor: Readonly<Record<string, unknown>>;
  readonly signature: readonly SignatureColumn[];
  readonly shuffle?: Readonly<Record<string, unknown>>;
  readonly sorts?: boolean;
  readonly maxWorkers: number;
}

export type Counter = Readonly<Record<string, unknown>>;

/**
 * Rows, bytes and files of a channel; rows by partition if there are several. Values that were not
 * counted are omitted.
 */
export const channel = (counts: {
  readonly rows: number | readonly number[];
  readonly bytes?: number;
  readonly files?: number;
  readonly totalFiles?: number;
}): Counter => ({
  type: 'channel',
  rows: typeof counts.rows === 'number' ? [counts.rows] : counts.rows,
  ...(counts.bytes !== undefined && { bytes: [counts.bytes] }),
  ...(counts.files !== undefined && { files: [counts.files] }),
  ...(counts.totalFiles !== undefined && { totalFiles: [counts.totalFiles] }),
});

/** Rows and bytes of pages, each a separate partition. */
export const channelOfPages = (
  pages: readonly { readonly numRows: number; readonly sizeInBytes: number }[],
): Counter => ({
  type: 'channel',
  rows: pages.map(({ numRows }) => numRows),
  bytes: pages.map(({ sizeInBytes }) => sizeInBytes),
});

/** A completed sort: DuckDB reports no progress for it. */
export const sortedCounter = (): Counter => ({
  type: 'sortProgress',
  totalMergingLevels: 1,
  levelToTotalBatches: { 0: 1 },
  levelToMergedBatches: { 0: 1 },
  totalMergersForUltimateLevel: 1,
  progressDigest: 1,
  triviallyComplete: false,
});

export const segmentProgress = (
  rowsProcessed: number,
  rowsPersisted: number,
  rowsPushed: number,
): Counter => ({
  type: 'segmentGenerationProgress',
  rowsProcessed,
  rowsPersisted,
  rowsMerged: rowsPersisted,
  rowsPushed,
});

export interface WorkerReport {
  readonly id: string;
  readonly number: number;
  readonly startedMs: number;
  readonly pendingMs: number; // from the request to the start of its run
  state: 'RUNNING' | 'SUCCESS' | 'FAILED';
  endedMs: number | undefined;
}

export interface Warning {
  readonly taskId: string;
  readonly stageNumber: number;
  readonly error: Fault;
}

/** The complete report of a query. */
export class MultiStageReportBuilder {
  readonly #taskId: string;
  readonly #startedMs: number;
  readonly #now: () => number;
  readonly #endedPhase: EndedPhase;
  stages: Stage[] = [];
  readonly workers: WorkerReport[] = [];
  readonly warnings: Warning[] = [];
  status: 'RUNNING' | 'SUCCESS' | 'FAILED' = 'RUNNING';
  fault: Fault | undefined;
  host: string | null = null;
  segmentLoad: (() => Readonly<Record<string, unknown>>) | undefined; // current value
  segmentReport: Readonly<Record<string, unknown>> | undefined;
  results: Readonly<Record<string, unknown>> | undefined;
  #endedMs: number | undefined;
  #failedStage: number | undefined;
  #exception: Error | undefined;

  constructor(
    taskId: string,
    startedMs: number,
    now: () => number,
    { endedPhase }: Pick<Dialect, 'endedPhase'>,
  ) {
    this.#taskId = taskId;
    this.#startedMs = startedMs;
    this.#now = now;
    this.#endedPhase = endedPhase;
  }

  /** Discards the results of a failed attempt; its workers stay. */
  again(): void {
    this.stages = [];
    this.warnings.length = 0;
  }

  addStage(definition: StageDefinition): Stage {
    const stage = new Stage(definition, this.#now, this.#endedPhase);
    this.stages.push(stage);
    return stage;
  }

  /**
   * Ends the query and its unfinished stages; `exception` is the service's error behind a fault.
   */
  end(fault?: Fault, exception?: Error): void {
    this.#endedMs ??= this.#now();
    const failed = this.stages.findLastIndex(({ isRunning }) => isRunning);
    this.#failedStage = fault && failed !== -1 ? failed : undefined;
    this.status = fault ? 'FAILED' : 'SUCCESS';
    this.fault = fault;
    this.#exception = exception;
    for (const stage of this.stages) stage.end(fault ? 'FAILED' : this.#endedPhase);
    for (const worker of this.workers) {
      worker.endedMs ??= this.#now();
      if (worker.state === 'RUNNING') worker.state = fault ? 'FAILED' : 'SUCCESS';
    }
  }

  /** The reports of the task, with its context. */
  json(context: unknown): Reports {
    const taskId = this.#taskId;
    const payload = {
      status: this.#statusJson(),
      stages: this.stages.map((stage, number) => stage.json(taskId, number)),
      counters: Object.fromEntries(
        this.stages.flatMap(({ countersJson }, number) =>
          countersJson ? [[number, countersJson]] : [],
        ),
      ),
      ...(this.results && { results: this.results }),
    };
    return {
      multiStageQuery: { type: 'multiStageQuery', taskId, payload },
      taskContext: { type: 'taskContext', taskId, payload: context ?? {} },
    };
  }

  #statusJson(): Readonly<Record<string, unknown>> {
    const { fault, segmentReport, host } = this;
    const segmentLoad = this.segmentLoad?.();
    const numbers = [...new Set(this.workers.map(({ number }) => number))];
    const attempts = (number: number) => this.workers.filter((worker) => worker.number === number);
    return {
      status: this.status,
      ...(fault && {
        errorReport: {
          taskId: this.#taskId,
          host,
          ...(this.#failedStage !== undefined && { stageNumber: this.#failedStage }),
          error: fault,
          ...(this.#exception && { exceptionStackTrace: stackTraceOf(this.#exception) }),
        },
      }),
      ...(this.warnings.length > 0 && {
        warnings: this.warnings.map(({ taskId, stageNumber, error }) => ({
          taskId,
          host,
          stageNumber,
          error,
        })),
      }),
      startTime: formatInstant(this.#startedMs),
      durationMs: (this.#endedMs ?? this.#now()) - this.#startedMs,
      workers: Object.fromEntries(
        numbers.map((number) => [
          number,
          attempts(number).map((worker) => this.#workerJson(worker)),
        ]),
      ),
      pendingTasks: 0,
      runningTasks: 1 + this.workers.filter(({ state }) => state === 'RUNNING').length,
      // The specification has segmentLoadStatus, the real engine segmentLoadWaiterStatus.
      ...(segmentLoad && { segmentLoadWaiterStatus: segmentLoad, segmentLoadStatus: segmentLoad }),
      ...(segmentReport && { segmentReport }),
    };
  }

  #workerJson({
    id,
    state,
    startedMs,
    endedMs,
    pendingMs,
  }: WorkerReport): Readonly<Record<string, unknown>> {
    const durationMs = endedMs === undefined ? -1 : endedMs - startedMs;
    return { workerId: id, workerDesc: id, state, status: state, durationMs, pendingMs };
  }
}
