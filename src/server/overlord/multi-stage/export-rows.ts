// Export: writes the rows of a query as files and moves them to the statement's destination (Druid:
// multi-stage-query/reference).
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { distinctNames } from '../../../sql/expressions/column-names.ts';
import type { IngestStatement, OutputColumn } from '../../../sql/statement.ts';
import { DiskFull, lacksRoom } from '../../checks/disk-full.ts';
import { writeSegmentFile } from '../../engine/segment-file.ts';
import type { Session } from '../../engine/session.ts';
import { identifier } from '../../engine/sql-text.ts';
import { createResultWriter, resultPieces } from '../../statements/result-writer.ts';
import { printingOf } from '../../statements/sql-request.ts';
import {
  type Destination,
  type Export,
  type ExportPlace,
  exportDestination,
  type ResolvedExportTarget,
} from './export-destination.ts';
import { localPlace } from './export-local.ts';
import { s3Place } from './export-s3.ts';
import {
  addReading,
  checkColumnCount,
  makeRows,
  openInputs,
  type QueryRun,
  signatureOf,
} from './query-run.ts';
import { channel } from './report.ts';

/**
 * Writes the rows of a query as files of `rowsPerPage` rows each. Throws QueryFailed or a Refusal,
 * and then no file is visible.
 */
export async function exportRows(
  run: QueryRun,
  statement: IngestStatement,
  target: ResolvedExportTarget,
): Promise<Export> {
  const { session, settings, report, workers, task, outside } = run;
  const { query } = statement;
  checkColumnCount(query.columns);
  const destination = exportDestination(target, outside);
  // A slow server does not block DuckDB for other tasks
  const place = await session.aside(() => placeFor(destination, run));
  const { folder: hidden } = place;
  const { maxWorkers } = settings;
  const opening = addReading(run, query, {
    processor: { type: 'scan' },
    signature: signatureOf(query.columns),
    shuffle: { type: 'targetSize', targetSize: settings.rowsPerPage },
  });
  const reading = opening.stage;
  const writing = report.addStage({
    input: [{ type: 'stage', stage: opening.number }],
    processor: { type: 'exportResults', format: target.format },
    signature: signatureOf(query.columns),
    maxWorkers,
  });
  const inputs = await openInputs(run, query, opening);
  const names = query.columns.map((_, index) => `c${index}`);
  const make = `CREATE TEMP TABLE export_rows AS SELECT * FROM (${query.duckdb}) AS q(${names.join(', ')})`;
  await makeRows(session, query, () => session.run(make));
  const [[count] = []] = await session.rows('SELECT count(*) FROM export_rows');
  const numRows = Number(count);
  await inputs.close(numRows);
  reading.count('output', channel({ rows: numRows }));
  reading.partitionCount = Math.ceil(numRows / settings.rowsPerPage);
  reading.end();
  writing.start();
  writing.partitionCount = reading.partitionCount;
  writing.workerCount = Math.max(
    1,
    Math.min(workers.launch(Math.min(maxWorkers, writing.partitionCount)), writing.partitionCount),
  );
  await mkdir(hidden, { recursive: true, mode: 0o700 });
  const files: string[] = [];
  const rowsOf = Array.from({ length: writing.workerCount }, (): number[] => []);
  try {
    for (let partition = 0; partition < writing.partitionCount; partition++) {
      const worker = partition % writing.workerCount;
      const first = partition * settings.rowsPerPage;
      const stretch = `export_rows WHERE rowid >= ${first} AND rowid < ${first + settings.rowsPerPage} ORDER BY rowid`;
      const name = `${task.id}-worker${worker}-partition${partition}.${target.format}`;
      if (target.format === 'parquet')
        await writeParquet(session, query.columns, stretch, join(hidden, name));
      else await writeCsv(session, statement, stretch, join(hidden, name));
      files.push(name);
      rowsOf[worker]?.push(Math.min(settings.rowsPerPage, numRows - first));
      writing.count('input0', channel({ rows: rowsOf[worker] ?? [] }), worker);
      workers.log(worker, `Wrote file [${name}]`);
    }
  } catch (error) {
    await rm(hidden, { recursive: true, force: true });
    throw lacksRoom(error)
      ? new DiskFull(destination.type === 'local' ? destination.folder : 'the files of the export')
      : error;
  }
  writing.end();
  return place.exportOf(files);
}

function placeFor(
  destination: Destination,
  { task, outside, stagingFolder }: QueryRun,
): Promise<ExportPlace> {
  const name = `${task.id}-${randomUUID()}`;
  return destination.type === 'local'
    ? localPlace(destination.folder, name, outside)
    : s3Place(destination.place, {
        folder: join(outside.s3.exports.tempFolder ?? stagingFolder, name),
        settings: outside.s3,
        task,
      });
}

async function writeCsv(
  session: Session,
  { query }: IngestStatement,
  stretch: string,
  file: string,
): Promise<void> {
  const options = {
    format: 'csv',
    header: true,
    typesHeader: false,
    sqlTypesHeader: false,
    ...printingOf(query.context),
  } as const;
  const writer = createResultWriter(query.columns, options);
  const { chunks } = await session.query(
    `SELECT ${query.columns.map((_, index) => `c${index}`).join(', ')} FROM ${stretch}`,
  );
  await pipeline(resultPieces(writer, chunks), createWriteStream(file));
}

async function writeParquet(
  session: Session,
  columns: readonly OutputColumn[],
  stretch: string,
  file: string,
): Promise<void> {
  const names = distinctNames(columns.map(({ name }) => name)); // DuckDB requires distinct names
  const values = columns.map(({ type }, index) => {
    const value =
      type.name === 'TIMESTAMP'
        ? `make_timestamp_ms(c${index})`
        : type.name === 'DATE'
          ? `make_timestamp_ms(c${index})::DATE`
          : `c${index}`;
    return `${value} AS ${identifier(names[index] ?? '')}`;
  });
  await writeSegmentFile(session, `SELECT ${values.join(', ')} FROM ${stretch}`, file);
}
