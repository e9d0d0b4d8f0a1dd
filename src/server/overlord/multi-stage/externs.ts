// External inputs of a statement as relations that its query can read. Their files are distributed
// among the workers.

import { identifiersOf } from '../../../sql/expressions/column-names.ts';
import type { Extern } from '../../../sql/statement.ts';
import { invalidSpec, SpecFields } from '../../checks/spec-fields.ts';
import { EngineError } from '../../engine/refusals.ts';
import type { Session } from '../../engine/session.ts';
import { identifier } from '../../engine/sql-text.ts';
import { type ReadingPlace, readableFiles } from '../../ingestion/avro-files.ts';
import { type FieldValue, fieldValue, selectedValues } from '../../ingestion/column-values.ts';
import type { InputFile } from '../../ingestion/input-file.ts';
import { parseInputFormat } from '../../ingestion/input-format.ts';
import {
  checkInputSource,
  checkUnchanged,
  type InputPlace,
  openInput,
  parseInputSource,
} from '../../ingestion/input-source.ts';
import type { Outside } from '../../ingestion/outside.ts';
import { badLines } from '../../ingestion/parse-failures.ts';
import type { RawRows } from '../../ingestion/raw-rows.ts';
import { stageRawRows } from '../../ingestion/stage-raw-rows.ts';
import { cannotParse, tooManyInputFiles, tooManyWarnings } from '../../statements/faults.ts';
import { channel, type MultiStageReportBuilder, type Stage } from './report.ts';
import type { QuerySettings } from './settings.ts';
import type { Workers } from './workers.ts';

export interface ExternReading {
  readonly session: Session;
  readonly place: InputPlace;
  readonly settings: QuerySettings;
  readonly stage: Stage; // the stage that reads it
  readonly input: number; // index among the inputs of the stage
  readonly report: MultiStageReportBuilder;
  readonly workers: Workers;
  readonly asView: true | undefined; // rows that are too many for memory
  readonly countsLater: boolean; // the number of rows will be known after the query
}

/** Checks the specification of an external input and the things it names; throws a Refusal. */
export function checkExtern({ inputSource, inputFormat }: Extern, outside: Outside): void {
  const source = parseInputSource(new SpecFields(inputSource, 'inputSource'));
  if (source.type === 'druid')
    throw invalidSpec(
      `Input source [druid] in [inputSource] cannot be read with EXTERN. Use datasource [${source.dataSource}] in FROM instead`,
    );
  checkInputSource(source, outside);
  parseInputFormat(new SpecFields(inputFormat, 'inputFormat'));
}

/** An external input with known files and assigned workers. */
export interface OpenExtern {
  readonly extern: Extern;
  readonly slices: readonly (readonly InputFile[])[]; // files of each worker
}

/**
 * Finds the files of an input and distributes them. Throws when there are more than the workers may
 * read, or when a file cannot be read.
 */
export async function openExtern(
  extern: Extern,
  place: ReadingPlace,
  settings: QuerySettings,
): Promise<OpenExtern> {
  const opened = await openInput(
    parseInputSource(new SpecFields(extern.inputSource, 'inputSource')),
    place,
  );
  const { maxWorkers, maxInputFilesPerWorker } = settings;
  const minWorkers = Math.ceil(opened.length / maxInputFilesPerWorker);
  if (minWorkers > maxWorkers)
    throw tooManyInputFiles(opened.length, maxInputFilesPerWorker, minWorkers);
  const files = await readableFiles(
    opened,
    parseInputFormat(new SpecFields(extern.inputFormat, 'inputFormat')),
    place,
  );
  return { extern, slices: shareOut(files, workersFor(files, settings)) };
}

/** An external input with a relation. */
export interface ReadExtern {
  readonly drop: string; // SQL that drops the relation and its rows
  /** Throws if a file has changed since the beginning. */
  checkUnchanged(): Promise<void>;
  /** Defines the relation over copies of the files that are valid UTF-8. */
  readClean(): Promise<void>;
  /** Notes the number of rows, where it is known only after the query. */
  note(numRows: number): void;
}

/**
 * Reads the files of an input and creates its relation. Throws QueryFailed when too many rows are
 * unreadable.
 */
export async function readExtern(
  { extern, slices }: OpenExtern,
  number: number,
  reading: ExternReading,
): Promise<ReadExtern> {
  const { session, stage, input, workers, asView } = reading;
  const { relation, inputFormat, signature } = extern;
  const format = parseInputFormat(new SpecFields(inputFormat, 'inputFormat'));
  const wanted = {
    names: signature.map(({ name }) => name),
    discover: false,
    discoverNulls: false,
    ...(asView && { asView }),
  };
  const failures = { count: 0 };
  const parts: RawRows[] = [];
  const uncounted: ((numRows: number) => void)[] = [];
  for (const [worker, files] of slices.entries()) {
    const done = { rows: 0, bytes: 0, files: 0 };
    const count = () =>
      stage.count(`input${input}`, channel({ ...done, totalFiles: files.length }), worker);
    const finish = () =>
      workers.log(
        worker,
        `Read [${done.rows}] rows and [${done.bytes}] bytes from [${done.files}] files`,
      );
    count();
    const batches = batchesOf(files);
    const isOnly = slices.length === 1 && batches.length === 1;
    for (const batch of batches) {
      const table = `raw_${number}_${parts.length}`;
      const raw = await stageRawRows(
        session,
        table,
        batch,
        format,
        wanted,
        reading.place.stagingFolder,
      ).catch(async (error: unknown) => {
        if (error instanceof EngineError) await checkUnchanged(batch);
        throw error;
      });
      await checkUnchanged(batch);
      parts.push(raw);
      done.bytes += batch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      done.files += batch.length;
      if (reading.countsLater && isOnly && raw.badLine === undefined) {
        uncounted.push((numRows) => {
          done.rows = numRows;
          count();
          finish();
        });
        continue;
      }
      const [[total, bad] = []] = await session.rows(
        `SELECT count(*), ${raw.badLine === undefined ? 0 : `count(${raw.badLine})`} FROM ${raw.table}`,
      );
      done.rows += Number(total) - Number(bad);
      count();
      if (Number(bad) > 0) await countFailures(raw, batch, Number(bad), worker, failures, reading);
    }
    if (uncounted.length === 0) finish();
  }
  const defined = parts.map((raw) => partSql(extern, raw)).join(' UNION ALL ');
  await session.run(`CREATE TEMP VIEW ${identifier(relation)} AS ${defined}`);
  const kind = asView ? 'VIEW' : 'TABLE';
  return {
    drop: [
      `DROP VIEW ${identifier(relation)}`,
      ...parts.map(({ table }) => `DROP ${kind} ${table}`),
    ].join('; '),
    checkUnchanged: () => checkUnchanged(slices.flat()),
    async readClean() {
      for (const { readClean } of parts) await readClean?.();
    },
    note: (numRows) => {
      for (const noteRows of uncounted) noteRows(numRows);
    },
  };
}

function partSql({ signature }: Extern, raw: RawRows): string {
  const identifierOf = identifiersOf(signature);
  const values = signature.map(({ name, type }): FieldValue => {
    const field = raw.fields.get(name);
    return field ? fieldValue(type, raw, field) : { sql: `NULL::${duckdbType(type)}`, field };
  });
  const { sqls, from } = selectedValues(values, raw.table);
  const columns = signature.map(({ name }, index) => `${sqls[index]} AS ${identifierOf(name)}`);
  const good = raw.badLine === undefined ? '' : ` WHERE ${raw.badLine} IS NULL`;
  return `SELECT ${columns.join(', ') || '1 AS "__rows"'} FROM ${from}${good}`;
}

// As many workers as allowed, or as few as the files permit (Druid: WorkerAssignmentStrategy).
function workersFor(files: readonly InputFile[], settings: QuerySettings): number {
  const { maxWorkers, taskAssignment, maxInputBytesPerWorker, maxInputFilesPerWorker } = settings;
  if (taskAssignment === 'MAX') return Math.max(1, Math.min(maxWorkers, files.length));
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const wanted = Math.max(
    1,
    Math.ceil(bytes / maxInputBytesPerWorker),
    Math.ceil(files.length / maxInputFilesPerWorker),
  );
  return Math.max(1, Math.min(wanted, maxWorkers, files.length));
}

// The next file goes to the worker with the fewest bytes to read.
function shareOut(files: readonly InputFile[], workers: number): InputFile[][] {
  const slices = Array.from({ length: workers }, (): { files: InputFile[]; bytes: number } => ({
    files: [],
    bytes: 0,
  }));
  for (const file of files) {
    const least = slices.reduce((least, slice) => (slice.bytes < least.bytes ? slice : least));
    least.files.push(file);
    least.bytes += file.sizeBytes;
  }
  return slices.map((slice) => slice.files);
}

// Several batches, so that the report can show progress; a single one without files, for the
// columns.
function batchesOf(files: readonly InputFile[]): readonly (readonly InputFile[])[] {
  const size = Math.max(1, Math.ceil(files.length / maxBatches));
  return Array.from({ length: Math.max(1, Math.ceil(files.length / size)) }, (_, batch) =>
    files.slice(batch * size, (batch + 1) * size),
  );
}

const maxBatches = 8;

async function countFailures(
  raw: RawRows,
  files: readonly InputFile[],
  bad: number,
  worker: number,
  failures: { count: number },
  { session, settings, stage, report, workers }: ExternReading,
): Promise<void> {
  const { maxParseExceptions, maxVerboseParseExceptions } = settings;
  failures.count += bad;
  stage.count('warnings', { type: 'warnings', CannotParseExternalData: failures.count }, worker);
  const room = maxVerboseParseExceptions - report.warnings.length;
  const details = await badLines(session, raw, files, Math.max(1, room));
  if (maxParseExceptions === 0) throw cannotParse(details[0] ?? 'A row cannot be read');
  for (const errorMessage of details.slice(0, Math.max(0, room))) {
    report.warnings.push({
      taskId: workers.idOf(worker),
      stageNumber: report.stages.indexOf(stage),
      error: { errorCode: 'CannotParseExternalData', errorMessage },
    });
    workers.log(worker, errorMessage);
  }
  if (maxParseExceptions > 0 && failures.count > maxParseExceptions)
    throw tooManyWarnings(maxParseExceptions, 'CannotParseExternalData');
}

function duckdbType(type: string): string {
  const item = /^ARRAY<(.*)>$/.exec(type)?.[1];
  if (item !== undefined) return `${duckdbType(item)}[]`;
  return { STRING: 'VARCHAR', LONG: 'BIGINT', 'COMPLEX<json>': 'JSON' }[type] ?? type;
}
