// SQL tasks: one controller and one worker run a statement in stages (Druid: multi-stage-query).
import { condensed, formatInterval, type Interval } from '../../../model/interval.ts';
import type { SegmentColumn } from '../../../model/segment.ts';
import type { Catalog } from '../../../sql/catalog.ts';
import type { BoundParameter } from '../../../sql/parameters.ts';
import type { IngestStatement, OutputColumn, SelectStatement, TranslatedStatement } from '../../../sql/statement.ts';
import { translate } from '../../../sql/translate.ts';
import type { Engine } from '../../engine/engine.ts';
import { duckdbTypeOf } from '../../engine/native-types.ts';
import type { Session } from '../../engine/session.ts';
import { shardSpecOf } from '../../ingestion/divide-rows.ts';
import { SpecFields } from '../../ingestion/spec-fields.ts';
import { groupedByChunk, type RowTable, sortRows, writeSegments } from '../../ingestion/write-segments.ts';
import type { ResultStore } from '../../storage/result-store.ts';
import type { SegmentStore, StagedSegment } from '../../storage/segment-store.ts';
import type { TaskPayload } from '../../storage/tasks.ts';
import { openExtern } from '../multi-stage/externs.ts';
import {
  canceled,
  cannotAllocate,
  failureOf,
  lockLost,
  nothingToInsert,
  QueryFailed,
  restrictedColumn,
  timeIsNull,
  tooManyBuckets,
  tooManyColumns,
  tooManyPartitions,
} from '../multi-stage/faults.ts';
import { channel, MultiStageReport, pagedChannel, type Stage, segmentProgress, sorted } from '../multi-stage/report.ts';
import { selectDestinationIn } from '../multi-stage/select-destination.ts';
import { reportOf, type SelectResult, writeResult } from '../multi-stage/select-result.ts';
import { type QuerySettings, settingsIn } from '../multi-stage/settings.ts';
import { checkBounds, chunkAt, divisionFor, emptied, granularityOf, overwrittenBy, rangeColumns } from '../multi-stage/target.ts';
import { appendPlace, idsOf, replacePlace, tombstones } from '../segment-places.ts';
import { ownerOf } from '../statement-payload.ts';
import type { RunningTask, Subtask, TaskType } from '../task-type.ts';

export interface ControllerParts {
  readonly engine: Engine;
  readonly segments: SegmentStore;
  readonly results: ResultStore;
  readonly allowedFolders: readonly string[];
  readonly catalog: () => Catalog;
  readonly now: () => number; // milliseconds since 1970
  readonly host: string; // and port, as reports name it
}

/** The type of query_controller tasks. They are made by the SQL endpoints, never submitted as they are. */
export const queryController = (parts: ControllerParts): TaskType => ({
  priority: 50,
  slots: () => 2, // the controller and its worker: both or none, so that controllers never wait for each other's slots
  prepare(given) {
    const fields = new SpecFields(given, '');
    const dataSource = fields.text('dataSource');
    fields.text('sqlQuery');
    const { type: _, id: __, groupId: ___, resource: ____, context: _____, ...payload } = given;
    return { dataSource, payload };
  },
  locks: () => [],
  async run(task) {
    const query = new ControlledQuery(task, parts);
    task.reportWith(() => query.report.json(task.payload.context));
    await query.run();
  },
});

/** The statement of a controller's payload. Throws SqlError when it means nothing any more. */
export function statementOf(payload: TaskPayload, catalog: Catalog, nowMs: number): TranslatedStatement {
  const { sqlQuery, sqlQueryContext, parameters } = payload;
  return translate(String(sqlQuery), {
    catalog,
    context: typeof sqlQueryContext === 'object' && sqlQueryContext !== null ? { ...sqlQueryContext } : {},
    parameters: Array.isArray(parameters) ? (parameters as (BoundParameter | null)[]) : [],
    nowMs: BigInt(nowMs),
    engine: 'msq-task',
  });
}

class ControlledQuery {
  readonly report: MultiStageReport;
  readonly #task: RunningTask;
  readonly #parts: ControllerParts;

  constructor(task: RunningTask, parts: ControllerParts) {
    this.#task = task;
    this.#parts = parts;
    this.report = new MultiStageReport(task.id, task.startedMs, parts.now);
    this.report.host = parts.host;
  }

  async run(): Promise<void> {
    const task = this.#task;
    const { engine, segments, catalog, now } = this.#parts;
    const worker = this.#startWorker();
    const stagingFolder = await segments.makeStagingFolder(task.id);
    try {
      const statement = statementOf(task.payload, catalog(), now());
      if (statement.kind === 'explain') throw new QueryFailed('QueryNotSupported', 'EXPLAIN is answered at once, not by a task');
      const settings = settingsIn(statement.context);
      const options = { signal: task.signal, lane: 'task' } as const;
      if (statement.kind === 'select') {
        const result = await engine.session((session) => this.#select(session, statement, settings, stagingFolder, worker), options);
        worker.succeed();
        await this.#keep(result);
      } else {
        const staged = await engine.session((session) => this.#ingest(session, statement, settings, stagingFolder, worker), options);
        worker.succeed();
        await this.#publish(staged, settings);
      }
    } catch (error) {
      const failure = task.signal.aborted ? canceled('USER_REQUEST') : failureOf(error, false);
      this.report.end(failure.fault);
      worker.fail(failure.message);
      throw failure;
    } finally {
      await segments.removeStagingFolder(task.id);
    }
  }

  #startWorker(): Subtask {
    const { id, dataSource } = this.#task;
    const worker = this.#task.startSubtask(`${id}-worker0_0`, 'query_worker', {
      controllerTaskId: id,
      dataSource,
      workerNumber: 0,
      retryCount: 0,
    });
    this.report.workers.push({ id: worker.id, startedMs: worker.startedMs, state: 'RUNNING', endedMs: undefined });
    return worker;
  }

  async #select(
    session: Session,
    statement: SelectStatement,
    settings: QuerySettings,
    stagingFolder: string,
    worker: Subtask,
  ): Promise<SelectResult> {
    const stage = this.report.addStage({
      input: inputsOf(statement),
      processor: { type: 'scan' },
      signature: signatureOf(statement.columns),
    });
    await this.#openInputs(session, statement, settings, stage, stagingFolder, worker);
    const destination = selectDestinationIn(statement.context);
    const rowsPerPage = destination === 'durableStorage' ? settings.rowsPerPage : undefined;
    const result = await writeResult(session, statement, stagingFolder, rowsPerPage);
    stage.counters.output = pagedChannel(result.pages);
    stage.partitionCount = result.pages.length;
    stage.end();
    this.report.results = reportOf(result);
    worker.log(`Query returned [${result.numRows}] rows`);
    return result;
  }

  async #ingest(
    session: Session,
    statement: IngestStatement,
    settings: QuerySettings,
    stagingFolder: string,
    worker: Subtask,
  ): Promise<StagedSegment[]> {
    const { dataSource } = this.#task;
    const { segments } = this.#parts;
    const { query } = statement;
    checkColumns(query.columns);
    const sorts = statement.clusteredBy.length > 0 || statement.partitionedBy !== 'ALL';
    const shuffle = { type: sorts ? 'targetSize' : 'mix', targetSize: settings.rowsPerSegment };
    const reading = this.report.addStage({
      input: inputsOf(query),
      processor: { type: 'scan' },
      signature: signatureOf(query.columns),
      shuffle,
      sorts,
    });
    const writing = this.report.addStage({
      input: [{ type: 'stage', stage: 0 }],
      processor: { type: 'segmentGenerator', dataSchema: { dataSource } },
      signature: [],
    });
    await this.#openInputs(session, query, settings, reading, stagingFolder, worker);
    const rows = await rowsOf(session, query);
    reading.start('POST_READING');
    const [[count, untimed] = []] = await session.rows('SELECT count(*), count(*) FILTER (t IS NULL) FROM query_rows');
    const numRows = Number(count);
    reading.counters.output = channel({ rows: numRows });
    if (Number(untimed) > 0) throw timeIsNull();
    if (numRows === 0 && settings.failOnEmptyInsert) throw nothingToInsert(dataSource);
    worker.log(`Query returned [${numRows}] rows`);
    const partitions = await sortRows(session, rows, await divisionFor(session, statement, rows, settings.rowsPerSegment));
    if (partitions.length > settings.maxPartitions) throw tooManyPartitions(settings.maxPartitions);
    reading.partitionCount = partitions.length;
    reading.counters.shuffle = channel({ rows: numRows });
    if (sorts) reading.counters.sortProgress = sorted();
    reading.end();
    const granularity = granularityOf(statement);
    const siblingsOf = groupedByChunk(partitions);
    if (siblingsOf.size > maxBuckets) throw tooManyBuckets(maxBuckets);
    const chunks = [...siblingsOf.keys()].map((start) => chunkAt(granularity, start));
    const targets = overwrittenBy(statement);
    if (targets) checkBounds(chunks, targets);
    const locked = targets ? condensed([...targets, ...chunks]) : condensed(chunks);
    const locks = await this.#task.lock(locked.map((interval) => ({ interval, type: 'EXCLUSIVE' })));
    writing.start();
    writing.counters.input0 = channel({ rows: numRows });
    let persisted = 0;
    const ranges = rangeColumns(statement, rows.columns);
    const staged = await writeSegments(partitions, {
      session,
      rows,
      dataSource,
      folder: stagingFolder,
      placeOf: (partition) => {
        const chunk = chunkAt(granularity, partition.chunkStart);
        const siblings = siblingsOf.get(partition.chunkStart) ?? [];
        if (!targets) return this.#joining(() => appendPlace(segments, dataSource, chunk, locks));
        const spec =
          ranges.length > 0
            ? { type: 'range' as const, partitionDimensions: ranges, targetRowsPerSegment: settings.rowsPerSegment }
            : { type: 'dynamic' as const, maxRowsPerSegment: settings.rowsPerSegment };
        return replacePlace(chunk, siblings, partition, shardSpecOf(spec, partition, siblings), locks);
      },
      onWritten: (segment) => {
        persisted += segment.numRows;
        writing.phase = 'READING_INPUT';
        writing.counters.segmentGenerationProgress = segmentProgress(numRows, persisted, persisted);
        worker.log(`Wrote a segment of [${formatInterval(segment.interval)}]: [${segment.numRows}] rows in [${segment.sizeBytes}] bytes`);
      },
    });
    writing.counters.segmentGenerationProgress = segmentProgress(numRows, persisted, persisted);
    writing.partitionCount = partitions.length;
    writing.end();
    this.report.segmentReport = segmentReport(staged);
    return [...staged, ...this.#hidden(targets, chunks, staged, locks)];
  }

  async #openInputs(
    session: Session,
    statement: SelectStatement,
    settings: QuerySettings,
    stage: Stage,
    stagingFolder: string,
    worker: Subtask,
  ): Promise<void> {
    const { allowedFolders } = this.#parts;
    const { signal } = this.#task;
    stage.start();
    const place = { allowedFolders, stagingFolder, signal };
    for (const [number, extern] of statement.externs.entries()) {
      const details = await openExtern(extern, number, {
        session,
        place,
        maxParseExceptions: settings.maxParseExceptions,
        stage,
        log: (message) => worker.log(message),
      });
      for (const errorMessage of details) this.report.warnings.push({ errorCode: 'CannotParseExternalData', errorMessage });
    }
    // Which segment files a query reads is in its text.
    const files = [...new Set(statement.duckdb.match(/[^']+\.parquet(?=')/g) ?? [])];
    if (files.length > 0) {
      const [[rows, bytes] = []] = await session.rows(
        `SELECT sum(num_rows)::BIGINT, sum(file_size_bytes)::BIGINT FROM parquet_file_metadata([${files.map((file) => `'${file}'`).join(', ')}])`,
      );
      stage.counters[`input${statement.externs.length}`] = channel({
        rows: Number(rows),
        bytes: Number(bytes),
        files: files.length,
        totalFiles: files.length,
      });
    }
  }

  #joining<Answer>(place: () => Answer): Answer {
    try {
      return place();
    } catch (error) {
      throw cannotAllocate(this.#task.dataSource, error instanceof Error ? error.message : String(error));
    }
  }

  #hidden(
    targets: readonly Interval[] | undefined,
    chunks: readonly Interval[],
    staged: readonly StagedSegment[],
    locks: Parameters<typeof tombstones>[4],
  ): StagedSegment[] {
    if (!targets) return [];
    const { segments } = this.#parts;
    const { dataSource } = this.#task;
    return tombstones(segments, dataSource, emptied(segments, dataSource, targets, chunks), staged, locks);
  }

  // Known to be there in the same moment as the task's success.
  async #keep({ file, columns, pages, numRows, sizeBytes, sample }: SelectResult): Promise<void> {
    const task = this.#task;
    const { results } = this.#parts;
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
      this.report.end();
      task.succeed(tx);
    });
  }

  async #publish(staged: readonly StagedSegment[], settings: QuerySettings): Promise<void> {
    const task = this.#task;
    const startedMs = this.#parts.now();
    if (settings.waitUntilSegmentsLoad) {
      this.report.segmentLoad = loadStatus(task.dataSource, staged.length, new Date(startedMs).toISOString());
    }
    await this.#parts.segments.publish(staged, (tx, records) => {
      this.report.end();
      try {
        task.succeed(tx, idsOf(records));
      } catch (error) {
        throw task.signal.aborted ? error : lockLost();
      }
    });
    for (const { interval, version, numRows } of staged)
      task.log(`Published a segment of [${formatInterval(interval)}], version [${version}], with [${numRows}] rows`);
  }
}

const maxColumns = 2000;
const maxBuckets = 5000;

function checkColumns(columns: readonly OutputColumn[]): void {
  if (columns.length > maxColumns) throw tooManyColumns(columns.length, maxColumns);
  const restricted = columns.find(({ name }) => name === '__boost' || name === '__partition');
  if (restricted) throw restrictedColumn(restricted.name);
}

// The rows of the statement as a table with the time first; without a column __time all of them are of 1970.
async function rowsOf(session: Session, { duckdb, columns }: SelectStatement): Promise<RowTable> {
  const time = columns.findIndex(({ name }) => name === '__time');
  const others = columns.map((column, index) => ({ column: segmentColumn(column), index })).filter(({ index }) => index !== time);
  const values = others.map(({ column, index }, position) => `CAST(q${index} AS ${duckdbTypeOf(column)}) AS c${position}`);
  const names = columns.map((_, index) => `q${index}`).join(', ');
  await session.run(
    `CREATE TEMP TABLE query_rows AS SELECT ${[`${time === -1 ? '0::BIGINT' : `CAST(q${time} AS BIGINT)`} AS t`, ...values].join(', ')} FROM (${duckdb}) AS q(${names})`,
  );
  return {
    table: 'query_rows',
    columns: [{ name: '__time', type: 'LONG', multiValue: false }, ...others.map(({ column }) => column)],
    dimensions: others.map(({ column }) => column.name),
    metrics: [],
    discovered: [],
  };
}

const segmentColumn = ({ name, type, nativeType }: OutputColumn): SegmentColumn => ({
  name,
  type: nativeType ?? 'STRING',
  multiValue: type.multiValue ?? false,
});

const signatureOf = (columns: readonly OutputColumn[]) => columns.map(({ name, nativeType }) => ({ name, type: nativeType }));

const inputsOf = ({ externs, resources }: SelectStatement): Readonly<Record<string, unknown>>[] => [
  ...externs.map(({ inputSource, inputFormat, signature }) => ({ type: 'external', inputSource, inputFormat, signature })),
  ...resources
    .filter(({ type, action }) => type === 'DATASOURCE' && action === 'READ')
    .map(({ name }) => ({ type: 'table', dataSource: name, intervals: ['-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z'] })),
];

function segmentReport(staged: readonly StagedSegment[]): Readonly<Record<string, unknown>> {
  const type = staged[0]?.shardSpec.type;
  return type === 'range'
    ? { shardSpec: 'DimensionRangeShardSpec', details: 'Using RangeShardSpec to generate segments.' }
    : { shardSpec: 'NumberedShardSpec', details: 'Using NumberedShardSpec to generate segments since the query is inserting rows.' };
}

// What is published is served at once: there is one Historical, in this process.
const loadStatus = (dataSource: string, totalSegments: number, startTime: string) => ({
  state: 'SUCCESS',
  dataSource,
  startTime,
  duration: 0,
  totalSegments,
  usedSegments: totalSegments,
  precachedSegments: totalSegments,
  onDemandSegments: 0,
  pendingSegments: 0,
  unknownSegments: 0,
});
