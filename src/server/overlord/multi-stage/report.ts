// The report of a multi-stage query, live while it runs (Druid: multi-stage-query, "Get the report for a query task"). All in it is counted and timed.
import { formatInstant } from '../../../model/instant.ts';
import type { Reports } from '../task-type.ts';
import type { Fault } from './faults.ts';

export type Phase = 'NEW' | 'READING_INPUT' | 'POST_READING' | 'RESULTS_READY' | 'FINISHED' | 'FAILED';

export interface SignatureColumn {
  readonly name: string;
  readonly type: string | null;
}

/** One stage of a query: what it is, and how far it is. Handlers of the query change it as they go. */
export class Stage {
  readonly #definition: StageDefinition;
  readonly #now: () => number;
  phase: Phase = 'NEW';
  partitionCount: number | undefined;
  readonly counters: Record<string, Counter> = {};
  #startedMs: number | undefined;
  #endedMs: number | undefined;

  constructor(definition: StageDefinition, now: () => number) {
    this.#definition = definition;
    this.#now = now;
  }

  start(phase: Phase = 'READING_INPUT'): void {
    this.#startedMs ??= this.#now();
    this.phase = phase;
  }

  end(phase: Phase = 'FINISHED'): void {
    if (this.#startedMs === undefined || this.#endedMs !== undefined) return;
    this.#endedMs = this.#now();
    this.phase = phase;
  }

  json(taskId: string, stageNumber: number): Readonly<Record<string, unknown>> {
    const { input, processor, signature, shuffle, sorts } = this.#definition;
    const started = this.#startedMs;
    return {
      stageNumber,
      definition: {
        id: `${taskId}_${stageNumber}`,
        input,
        processor,
        signature,
        ...(shuffle && { shuffleSpec: shuffle }),
        maxWorkerCount: 1,
      },
      ...(started !== undefined && {
        phase: this.phase,
        workerCount: 1,
        ...(this.partitionCount !== undefined && { partitionCount: this.partitionCount }),
        ...(shuffle && { shuffle: sorts ? 'globalSort' : 'mix', output: 'localStorage' }),
        startTime: formatInstant(started),
        duration: (this.#endedMs ?? this.#now()) - started,
        ...(sorts && { sort: true }),
      }),
    };
  }
}

export interface StageDefinition {
  readonly input: readonly Readonly<Record<string, unknown>>[];
  readonly processor: Readonly<Record<string, unknown>>;
  readonly signature: readonly SignatureColumn[];
  readonly shuffle?: Readonly<Record<string, unknown>>;
  readonly sorts?: boolean;
}

export type Counter = Readonly<Record<string, unknown>>;

/** Rows, bytes and files that went through a channel, in one partition. */
export const channel = (counts: {
  readonly rows: number;
  readonly bytes?: number;
  readonly files?: number;
  readonly totalFiles?: number;
}): Counter => ({
  type: 'channel',
  rows: [counts.rows],
  bytes: [counts.bytes ?? 0],
  frames: [counts.rows === 0 ? 0 : 1],
  ...(counts.files !== undefined && { files: [counts.files] }),
  ...(counts.totalFiles !== undefined && { totalFiles: [counts.totalFiles] }),
});

/** Rows and bytes that went into pages, each a partition of its own. */
export const pagedChannel = (pages: readonly { readonly numRows: number; readonly sizeInBytes: number }[]): Counter => ({
  type: 'channel',
  rows: pages.map(({ numRows }) => numRows),
  bytes: pages.map(({ sizeInBytes }) => sizeInBytes),
  frames: pages.map(() => 1),
});

/** A sort that has ended: DuckDB does it in one go. */
export const sorted = (): Counter => ({
  type: 'sortProgress',
  totalMergingLevels: 1,
  levelToTotalBatches: { 0: 1 },
  levelToMergedBatches: { 0: 1 },
  totalMergersForUltimateLevel: 1,
  progressDigest: 1,
  triviallyComplete: false,
});

export const segmentProgress = (rowsProcessed: number, rowsPersisted: number, rowsPushed: number): Counter => ({
  type: 'segmentGenerationProgress',
  rowsProcessed,
  rowsPersisted,
  rowsMerged: rowsPersisted,
  rowsPushed,
});

export interface Worker {
  readonly id: string;
  readonly startedMs: number;
  state: 'RUNNING' | 'SUCCESS' | 'FAILED';
  endedMs: number | undefined;
}

/** All that a query says about itself. */
export class MultiStageReport {
  readonly #taskId: string;
  readonly #startedMs: number;
  readonly #now: () => number;
  readonly stages: Stage[] = [];
  readonly workers: Worker[] = [];
  readonly warnings: Fault[] = [];
  status: 'RUNNING' | 'SUCCESS' | 'FAILED' = 'RUNNING';
  fault: Fault | undefined;
  host: string | null = null;
  segmentLoad: Readonly<Record<string, unknown>> | undefined;
  segmentReport: Readonly<Record<string, unknown>> | undefined;
  results: Readonly<Record<string, unknown>> | undefined;
  #endedMs: number | undefined;

  constructor(taskId: string, startedMs: number, now: () => number) {
    this.#taskId = taskId;
    this.#startedMs = startedMs;
    this.#now = now;
  }

  addStage(definition: StageDefinition): Stage {
    const stage = new Stage(definition, this.#now);
    this.stages.push(stage);
    return stage;
  }

  end(fault?: Fault): void {
    this.#endedMs ??= this.#now();
    this.status = fault ? 'FAILED' : 'SUCCESS';
    this.fault = fault;
    for (const stage of this.stages) stage.end(fault ? 'FAILED' : 'FINISHED');
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
        this.stages.flatMap(({ counters }, number) => (Object.keys(counters).length > 0 ? [[number, { 0: counters }]] : [])),
      ),
      ...(this.results && { results: this.results }),
    };
    return {
      multiStageQuery: { type: 'multiStageQuery', taskId, payload },
      taskContext: { type: 'taskContext', taskId, payload: context ?? {} },
    };
  }

  #statusJson(): Readonly<Record<string, unknown>> {
    const { fault, segmentLoad, segmentReport } = this;
    const errorReport = (error: Fault) => ({ taskId: this.#taskId, host: this.host, error });
    return {
      status: this.status,
      ...(fault && { errorReport: errorReport(fault) }),
      ...(this.warnings.length > 0 && { warnings: this.warnings.map(errorReport) }),
      startTime: formatInstant(this.#startedMs),
      durationMs: (this.#endedMs ?? this.#now()) - this.#startedMs,
      workers: { ...(this.workers.length > 0 && { 0: this.workers.map((worker) => this.#workerJson(worker)) }) },
      pendingTasks: 0,
      runningTasks: 1,
      // The specification says segmentLoadStatus, the real engine segmentLoadWaiterStatus.
      ...(segmentLoad && { segmentLoadWaiterStatus: segmentLoad, segmentLoadStatus: segmentLoad }),
      ...(segmentReport && { segmentReport }),
    };
  }

  #workerJson({ id, state, startedMs, endedMs }: Worker): Readonly<Record<string, unknown>> {
    const durationMs = endedMs === undefined ? -1 : endedMs - startedMs;
    return { workerId: id, workerDesc: id, state, status: state, durationMs, pendingMs: 0 };
  }
}
