// SQL tasks: one controller and one worker run a statement in stages (Druid: multi-stage-query).

import { totalmem } from 'node:os';
import type { Dialect } from '../../../model/dialect.ts';
import { formatInstant } from '../../../model/instant.ts';
import { formatInterval, type Interval } from '../../../model/interval.ts';
import type {
  IngestStatement,
  SelectStatement,
  TranslatedStatement,
} from '../../../sql/statement.ts';
import { isObject, SpecFields } from '../../checks/spec-fields.ts';
import type { Engine, QueryOptions } from '../../engine/engine.ts';
import { OutOfMemory } from '../../engine/refusals.ts';
import type { Session } from '../../engine/session.ts';
import type { Outside } from '../../ingestion/outside.ts';
import { memoryForRows } from '../../ingestion/overflow.ts';
import {
  cancellationOf,
  failureOf,
  isRetryable,
  lockLost,
  notSupported,
  type QueryFailed,
  tooManyAttempts,
  tooManyWorkers,
} from '../../statements/faults.ts';
import { selectDestinationIn } from '../../statements/select-destination.ts';
import { ownerOf } from '../../statements/statement-payload.ts';
import type { LookupFiles } from '../../storage/lookup-files.ts';
import type { Metadata } from '../../storage/metadata.ts';
import type { ResultStore } from '../../storage/result-store.ts';
import type { SegmentStore, StagedSegment } from '../../storage/segment-store.ts';
import { forgetUpgrades } from '../../storage/upgrade-segments.ts';
import { locksOn } from '../../tasks/batch-run.ts';
import { statementLockType } from '../../tasks/lock-types.ts';
import { idsOf } from '../../tasks/segment-places.ts';
import type { RunningTask, TaskType } from '../../tasks/task-type.ts';
import type { Export } from '../multi-stage/export-destination.ts';
import { exportRows } from '../multi-stage/export-rows.ts';
import { insertRows } from '../multi-stage/insert-rows.ts';
import {
  addReading,
  checkColumnCount,
  makeRows,
  openInputs,
  type QueryRun,
  signatureOf,
} from '../multi-stage/query-run.ts';
import { channelOfPages, MultiStageReport } from '../multi-stage/report.ts';
import { reportOf, type SelectResult, writeResult } from '../multi-stage/select-result.ts';
import { type QuerySettings, settingsIn } from '../multi-stage/settings.ts';
import { findOverwritten } from '../multi-stage/target.ts';
import { maxRelaunches, Workers } from '../multi-stage/workers.ts';
import { type StatementParts, statementOf } from './controlled-statement.ts';

export interface ControllerParts extends StatementParts {
  readonly engine: Engine;
  readonly metadata: Metadata;
  readonly segments: SegmentStore;
  readonly results: ResultStore;
  readonly lookupFiles: LookupFiles;
  readonly outside: Outside;
  readonly worker: { readonly host: string }; // and port, for reports
  readonly capacity: number; // task slots
  readonly dialect: Dialect;
  /** The effect of the retention rules on a segment of an interval after publication. */
  loadingOf(dataSource: string, interval: Interval): SegmentLoading;
}

/** On a server, in deep storage only, or marked unused. */
export type SegmentLoading = 'loaded' | 'onDemand' | 'dropped';

/** Type of query_controller tasks. The SQL endpoints create them. */
export const queryController = (parts: ControllerParts): TaskType => ({
  priority: 50,
  // The controller and its first worker start together, so that controllers never wait for each
  // other's slots
  slots: () => 2,
  prepare(given) {
    const fields = new SpecFields(given, '');
    const dataSource = fields.text('dataSource');
    fields.text('sqlQuery');
    const { type: _, id: __, groupId: ___, resource: ____, context: _____, ...payload } = given;
    return { dataSource, payload };
  },
  locks: ({ spec, sqlQueryContext }) =>
    locksOn(replacedIntervalsOf(spec), statementLockType(sqlQueryContext, true)),
  async run(task) {
    const query = new ControlledQuery(task, parts);
    task.reportWith(() => query.report.json(task.payload.context));
    await query.run();
  },
});

// The time chunks of a REPLACE are locked before it starts (Druid: MSQControllerTask.isReady). An
// INSERT determines its locks from its rows.
function replacedIntervalsOf(spec: unknown): readonly Interval[] {
  const destination = isObject(spec) && isObject(spec.destination) ? spec.destination : {};
  return (
    new SpecFields(destination, 'spec.destination').optionalIntervals('replaceTimeChunks') ?? []
  );
}

class ControlledQuery {
  readonly report: MultiStageReport;
  readonly #task: RunningTask;
  readonly #parts: ControllerParts;

  constructor(task: RunningTask, parts: ControllerParts) {
    this.#task = task;
    this.#parts = parts;
    this.report = new MultiStageReport(task.id, task.startedMs, parts.now, parts.dialect);
    this.report.host = parts.worker.host;
  }

  async run(): Promise<void> {
    const task = this.#task;
    const letGo = this.#parts.lookupFiles.hold();
    try {
      const planned = await this.#statement();
      const statement = (await this.#lock(planned)) ? await this.#statement() : planned;
      if (statement.kind === 'explain') throw notSupported('EXPLAIN does not run as a task');
      const settings = settingsIn(statement.context);
      if (settings.maxWorkers > maxWorkers) throw tooManyWorkers(settings.maxWorkers, maxWorkers);
      await this.#attempts(statement, settings);
    } catch (error) {
      const failure = task.signal.aborted
        ? cancellationOf('TASK_SHUTDOWN')
        : this.#failureOf(error);
      this.report.end(failure.fault, failure.cause instanceof Error ? failure.cause : undefined);
      throw failure;
    } finally {
      letGo();
    }
  }

  #statement(): Promise<TranslatedStatement> {
    const { payload, signal } = this.#task;
    return statementOf(payload, this.#parts, { signal });
  }

  #failureOf(error: unknown, settings?: QuerySettings): QueryFailed {
    const { engine, capacity } = this.#parts;
    const { memoryBytes, threads } = engine.limits;
    return failureOf(error, {
      serverMemory: totalmem(),
      usableMemory: memoryBytes,
      serverWorkers: capacity,
      serverThreads: threads,
      inputWorkers: settings?.maxWorkers ?? 1,
    });
  }

  // The replaced intervals are locked before they are read, and the read sees the data at that
  // time: segments appended later are not read, and survive the replacement.
  async #lock(statement: TranslatedStatement): Promise<boolean> {
    const targets =
      statement.kind === 'replace' && statement.target.kind !== 'export'
        ? findOverwritten(statement)
        : undefined;
    if (!targets) return false;
    await this.#task.lock(locksOn(targets, statementLockType(statement.context, true)));
    forgetUpgrades(this.#parts.metadata, this.#task.id);
    return true;
  }

  // In fault tolerance mode, a failed worker is relaunched, together with all others: their input
  // was lost with the session.
  async #attempts(
    statement: SelectStatement | IngestStatement,
    settings: QuerySettings,
  ): Promise<void> {
    const task = this.#task;
    let slots = 1;
    for (let attempt = 0; ; attempt++) {
      const workers = new Workers(task, this.report, this.#parts.now, attempt, slots);
      try {
        return await this.#attempt(statement, settings, workers);
      } catch (error) {
        const failure = task.signal.aborted
          ? cancellationOf('TASK_SHUTDOWN')
          : this.#failureOf(workers.signal.aborted ? workers.signal.reason : error, settings);
        workers.fail(failure.message);
        if (!settings.faultTolerance || !isRetryable(failure)) throw failure;
        if (attempt === maxRelaunches)
          throw tooManyAttempts(maxRelaunches, workers.idOf(0), 0, failure.message);
        task.log(
          `Attempt [${attempt + 1}] failed; the task retries it: ${failure.message}`,
          'WARN',
        );
        slots = workers.slots;
        this.report.again();
      }
    }
  }

  async #attempt(
    statement: SelectStatement | IngestStatement,
    settings: QuerySettings,
    workers: Workers,
  ): Promise<void> {
    const task = this.#task;
    const { engine, segments, outside } = this.#parts;
    const stagingFolder = await segments.makeStagingFolder(task.id);
    try {
      const make = (session: Session): Promise<Made> => {
        const run = {
          task,
          session,
          settings,
          report: this.report,
          workers,
          segments,
          outside,
          stagingFolder,
          memory: engine.memory,
          memoryBytes: engine.limits.memoryBytes,
        };
        if (statement.kind === 'select') return this.#select(run, statement);
        const { target } = statement;
        if (target.kind === 'export')
          return exportRows(run, statement, target).then((exported) => ({ staged: [], exported }));
        return insertRows(run, statement).then((staged) => ({ staged }));
      };
      const options = {
        signal: workers.signal,
        lane: 'task',
        timeoutMs: settings.timeoutMs,
      } as const;
      const made = await (statement.kind === 'select'
        ? this.#inLittleMemory(make, options)
        : engine.session(make, {
            ...options,
            memoryBytes: memoryForRows(engine.limits.memoryBytes),
          }));
      workers.succeed();
      if (made.result) await this.#keep(made.result);
      else await this.#publish(made, settings);
    } finally {
      await segments.removeStagingFolder(task.id);
    }
  }

  // The rows of a SELECT may be many, but they go to a file: most of them need not be in memory at
  // once, even for sorting. A step that needs all rows in memory is restarted with the memory of
  // all queries.
  async #inLittleMemory(
    make: (session: Session) => Promise<Made>,
    options: QueryOptions,
  ): Promise<Made> {
    const { engine } = this.#parts;
    try {
      return await engine.session(make, { ...options, memoryBytes: selectMemoryBytes });
    } catch (error) {
      if (
        !(error instanceof OutOfMemory) ||
        error.lacking === 'disk' ||
        engine.limits.memoryBytes <= selectMemoryBytes
      )
        throw error;
      this.#task.log(
        `The query needs more than [${selectMemoryBytes}] bytes of memory and runs again with more`,
      );
      this.report.again();
      return engine.session(make, options);
    }
  }

  async #select(run: QueryRun, statement: SelectStatement): Promise<Made> {
    const { session, settings, workers, stagingFolder } = run;
    checkColumnCount(statement.columns);
    const reading = addReading(run, statement, {
      processor: { type: 'scan' },
      signature: signatureOf(statement.columns),
    });
    const { stage } = reading;
    await openInputs(run, statement, reading);
    const rowsPerPage =
      selectDestinationIn(statement.context) === 'durableStorage'
        ? settings.rowsPerPage
        : undefined;
    const result = await makeRows(session, statement, () =>
      writeResult(session, statement, stagingFolder, rowsPerPage),
    );
    stage.count('output', channelOfPages(result.pages));
    stage.partitionCount = result.pages.length;
    stage.end();
    this.report.results = reportOf(result);
    workers.log(0, `Query returned [${result.numRows}] rows`);
    return { staged: [], result };
  }

  // The result becomes visible at the same moment as the task's success.
  async #keep({ file, columns, pages, numRows, sizeBytes, sample }: SelectResult): Promise<void> {
    const task = this.#task;
    const known = {
      queryId: task.id,
      createdMs: task.startedMs,
      identity: ownerOf(task.payload),
      columns,
      pages,
      numRows,
      sizeBytes,
      sample,
    };
    await this.#parts.results.keep(known, file, (tx) => {
      this.report.end();
      task.succeed(tx);
    });
  }

  async #publish({ staged, exported }: Made, settings: QuerySettings): Promise<void> {
    const task = this.#task;
    const { segments, now, loadingOf } = this.#parts;
    const startedMs = now();
    if (settings.waitUntilSegmentsLoad && !exported) {
      const loadings = staged.map(({ interval }) => loadingOf(task.dataSource, interval));
      this.report.segmentLoad = () => loadStatus(task.dataSource, loadings, startedMs, now());
    }
    try {
      await exported?.publish();
      await segments.publish(
        staged,
        (tx, records) => {
          this.report.end();
          try {
            task.succeed(tx, idsOf(records));
          } catch (error) {
            throw task.signal.aborted ? error : lockLost();
          }
        },
        task.id,
      );
    } catch (error) {
      await exported?.undo();
      throw error;
    }
    for (const { interval, version, numRows } of staged)
      task.log(
        `Published a segment of [${formatInterval(interval)}], version [${version}], with [${numRows}] rows`,
      );
  }
}

/** Unpublished results of a query. */
interface Made {
  readonly staged: readonly StagedSegment[];
  readonly exported?: Export;
  readonly result?: SelectResult; // of a SELECT
}

const maxWorkers = 1000;

const selectMemoryBytes = 128 * 1024 ** 2;

// Published segments are served at once if the rules load them: the one Historical is in this
// process.
function loadStatus(
  dataSource: string,
  loadings: readonly SegmentLoading[],
  startedMs: number,
  nowMs: number,
): Readonly<Record<string, unknown>> {
  const count = (loading: SegmentLoading) => loadings.filter((other) => other === loading).length;
  return {
    state: 'SUCCESS',
    dataSource,
    startTime: formatInstant(startedMs),
    duration: nowMs - startedMs,
    totalSegments: loadings.length,
    usedSegments: loadings.length - count('dropped'),
    precachedSegments: count('loaded'),
    onDemandSegments: count('onDemand'),
    pendingSegments: 0,
    unknownSegments: count('dropped'),
  };
}
