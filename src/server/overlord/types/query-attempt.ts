// One attempt of a SQL task: the statement runs in one session, and its results become visible at
// once.
import { formatInstant } from '../../../model/instant.ts';
import { formatInterval, type Interval } from '../../../model/interval.ts';
import type { IngestStatement, SelectStatement } from '../../../sql/statement.ts';
import type { Engine, QueryOptions } from '../../engine/engine.ts';
import { OutOfMemory } from '../../engine/refusals.ts';
import type { Session } from '../../engine/session.ts';
import type { Outside } from '../../ingestion/outside.ts';
import { memoryForRows } from '../../ingestion/overflow.ts';
import { lockLost } from '../../statements/faults.ts';
import { selectDestinationIn } from '../../statements/select-destination.ts';
import { ownerOf } from '../../statements/statement-payload.ts';
import type { ResultStore } from '../../storage/result-store.ts';
import type { SegmentStore, StagedSegment } from '../../storage/segment-store.ts';
import { idsOf } from '../../tasks/segment-places.ts';
import type { RunningTask } from '../../tasks/task-type.ts';
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
import { channelOfPages, type MultiStageReportBuilder } from '../multi-stage/report.ts';
import { reportOf, type SelectResult, writeResult } from '../multi-stage/select-result.ts';
import type { QuerySettings } from '../multi-stage/settings.ts';
import type { Workers } from '../multi-stage/workers.ts';

/** The parts of the service that an attempt uses. */
export interface AttemptServices {
  readonly engine: Engine;
  readonly segments: SegmentStore;
  readonly results: ResultStore;
  readonly outside: Outside;
  readonly now: () => number;
  /** The effect of the retention rules on a segment of an interval after publication. */
  loadingOf(dataSource: string, interval: Interval): SegmentLoading;
}

/** On a server, in deep storage only, or marked unused. */
export type SegmentLoading = 'loaded' | 'onDemand' | 'dropped';

interface AttemptParts extends AttemptServices {
  readonly task: RunningTask;
  readonly report: MultiStageReportBuilder;
  readonly settings: QuerySettings;
  readonly workers: Workers;
}

export class QueryAttempt {
  readonly #parts: AttemptParts;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  /** Runs the statement to its end; throws its failure. */
  async run(statement: SelectStatement | IngestStatement): Promise<void> {
    const { task, engine, segments, outside, report, settings, workers } = this.#parts;
    const stagingFolder = await segments.makeStagingFolder(task.id);
    try {
      const make = (session: Session): Promise<Made> => {
        const run = {
          task,
          session,
          settings,
          report,
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
      else await this.#publish(made);
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
    const { engine, task, report } = this.#parts;
    try {
      return await engine.session(make, { ...options, memoryBytes: selectMemoryBytes });
    } catch (error) {
      if (
        !(error instanceof OutOfMemory) ||
        error.lacking === 'disk' ||
        engine.limits.memoryBytes <= selectMemoryBytes
      )
        throw error;
      task.log(
        `The query needs more than [${selectMemoryBytes}] bytes of memory and runs again with more`,
      );
      report.again();
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
    this.#parts.report.results = reportOf(result);
    workers.log(0, `Query returned [${result.numRows}] rows`);
    return { staged: [], result };
  }

  // The result becomes visible at the same moment as the task's success.
  async #keep({ file, columns, pages, numRows, sizeBytes, sample }: SelectResult): Promise<void> {
    const { task, results, report } = this.#parts;
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
    await results.keep(known, file, (tx) => {
      report.end();
      task.succeed(tx);
    });
  }

  async #publish({ staged, exported }: Made): Promise<void> {
    const { task, segments, now, loadingOf, report, settings } = this.#parts;
    const startedMs = now();
    if (settings.waitUntilSegmentsLoad && !exported) {
      const loadings = staged.map(({ interval }) => loadingOf(task.dataSource, interval));
      report.segmentLoad = () => loadStatus(task.dataSource, loadings, startedMs, now());
    }
    try {
      await exported?.publish();
      await segments.publish(
        staged,
        (tx, records) => {
          report.end();
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
