// Context of one attempt at a query, for all its kinds (SELECT, INSERT and REPLACE, export), and
// the opening of its inputs.

import { stat } from 'node:fs/promises';
import { brokenWindowLimit } from '../../../sql/queries/window-limit.ts';
import type { OutputColumn, SelectStatement } from '../../../sql/statement.ts';
import type { MemoryWatch } from '../../engine/memory-watch.ts';
import { isFailedCalculation } from '../../engine/refusals.ts';
import type { Session } from '../../engine/session.ts';
import { quote } from '../../engine/sql-text.ts';
import type { Outside } from '../../ingestion/outside.ts';
import {
  limitThreads,
  type Overflow,
  overflowFor,
  sizesOfFiles,
  sizesOfSegments,
} from '../../ingestion/overflow.ts';
import { isUnreadableText } from '../../ingestion/stage-raw-rows.ts';
import { invalidField, tooManyColumns } from '../../statements/faults.ts';
import type { SegmentStore } from '../../storage/segment-store.ts';
import type { RunningTask } from '../../tasks/task-type.ts';
import { type OpenExtern, openExtern, type ReadExtern, readExtern } from './externs.ts';
import { addJoinStages, countExterns, type JoinStages, type SourcePlace } from './join-stages.ts';
import {
  channel,
  type MultiStageReportBuilder,
  type SignatureColumn,
  type Stage,
  type StageDefinition,
} from './report.ts';
import type { QuerySettings } from './settings.ts';
import type { Workers } from './workers.ts';

export interface QueryRun {
  readonly task: RunningTask;
  readonly session: Session;
  readonly settings: QuerySettings;
  readonly report: MultiStageReportBuilder;
  readonly workers: Workers;
  readonly segments: SegmentStore;
  readonly outside: Outside;
  readonly stagingFolder: string;
  readonly memory: MemoryWatch;
  readonly memoryBytes: number; // of all queries together
}

/** The inputs of a statement, ready for its query. */
export interface OpenInputs {
  readonly overflow: Overflow | undefined; // room for rows that are too many for memory
  /** Runs the query, again if a file is not valid UTF-8. Throws if a file has changed. */
  read<Answer>(query: () => Promise<Answer>): Promise<Answer>;
  /** Frees the room of the inputs, after a query of as many rows. */
  close(numRows: number): Promise<void>;
}

/**
 * Launches the workers for a statement's inputs, and reads external inputs into the relations of
 * its query. With `mayOverflow`, the query can put its rows on disk, and large files are not read
 * before it.
 */
export async function openInputs(
  run: QueryRun,
  statement: SelectStatement,
  { stage, joins }: StageReading,
  mayOverflow = false,
): Promise<OpenInputs> {
  const { outside, session, settings, stagingFolder, workers, report, memory, memoryBytes } = run;
  stage.start();
  const place = { outside, stagingFolder, memory, signal: workers.signal };
  // Other tasks may take the worker slots: with fewer workers, files are distributed again. A slow
  // source does not block DuckDB for other tasks.
  const wanted = await session.aside(() =>
    Promise.all(statement.externs.map((extern) => openExtern(extern, place, settings))),
  );
  const launched = workers.launch(Math.max(1, ...wanted.map(({ slices }) => slices.length)));
  stage.workerCount = launched;
  const overflow = mayOverflow ? await overflowOf(run, statement, wanted) : undefined;
  if (overflow) await limitThreads(session, overflow);
  const asView = overflow && statement.joins.length === 0 ? true : undefined;
  const externs: ReadExtern[] = [];
  for (const [number, open] of wanted.entries()) {
    const slices = open.slices.length <= launched ? open.slices : fold(open.slices, launched);
    const at = joins.placeOf(open.extern.relation, stage);
    externs.push(
      await readExtern({ ...open, slices }, number, {
        session,
        place,
        settings,
        ...at,
        report,
        workers,
        asView,
        countsLater: asView === true && statement.keepsRows === true,
      }),
    );
  }
  for (const { files, ...at } of joins.reads) await countTables([...new Set(files)], session, at);
  const apart = new Set(joins.reads.flatMap(({ files }) => files));
  const rest = statement.files.filter((file) => !apart.has(file));
  await countTables(rest, session, { stage, input: countExterns(joins.inputs) });
  await joins.read(session, memoryBytes);
  const check = async () => {
    for (const extern of asView ? externs : []) await extern.checkUnchanged();
  };
  return {
    overflow,
    async read(query) {
      const answer = await query().catch(async (error: unknown) => {
        await check();
        if (!asView || !isUnreadableText(error)) throw error;
        for (const extern of externs) await extern.readClean();
        return query();
      });
      await check();
      return answer;
    },
    async close(numRows) {
      joins.end();
      for (const { note, drop } of externs) {
        note(numRows);
        await session.run(drop);
      }
    },
  };
}

async function overflowOf(
  { memoryBytes, stagingFolder }: QueryRun,
  { files }: SelectStatement,
  externs: readonly OpenExtern[],
): Promise<Overflow | undefined> {
  const read = externs.flatMap(({ slices }) => slices.flat());
  const segments = await Promise.all(
    files.map(async (file) => ({ sizeBytes: (await stat(file)).size, numRows: 0 })),
  );
  const { rowBytes, meanBytes } = await sizesOfFiles(read);
  const storedBytes = sizesOfSegments(segments).rowBytes;
  return overflowFor({ rowBytes: rowBytes + storedBytes, meanBytes }, memoryBytes, stagingFolder);
}

const fold = <Item>(slices: readonly (readonly Item[])[], count: number): Item[][] =>
  Array.from({ length: count }, (_, worker) =>
    slices.filter((__, index) => index % count === worker).flat(),
  );

async function countTables(
  files: readonly string[],
  session: Session,
  { stage, input }: SourcePlace,
): Promise<void> {
  if (files.length === 0) return;
  const [[rows, bytes] = []] = await session.rows(
    `SELECT sum(num_rows)::BIGINT, sum(file_size_bytes)::BIGINT FROM parquet_file_metadata([${files.map(quote).join(', ')}])`,
  );
  stage.count(
    `input${input}`,
    channel({
      rows: Number(rows),
      bytes: Number(bytes),
      files: files.length,
      totalFiles: files.length,
    }),
  );
}

/** The stage that reads the inputs of a query, and the stages of its joins before it. */
export interface StageReading {
  readonly stage: Stage;
  readonly number: number; // of the stage
  readonly joins: JoinStages;
}

/**
 * Adds the stages that read a query's inputs; `definition` is the description of the last stage,
 * without its input.
 */
export function addReading(
  { report, settings }: QueryRun,
  statement: SelectStatement,
  definition: Omit<StageDefinition, 'input' | 'broadcast' | 'maxWorkers'>,
): StageReading {
  const joins = addJoinStages(statement, new Map(inputsOf(statement)), settings, report);
  const { inputs, broadcast } = joins;
  const stage = report.addStage({
    ...definition,
    input: inputs,
    broadcast,
    maxWorkers: settings.maxWorkers,
  });
  return { stage, number: report.stages.length - 1, joins };
}

// Report entries of stages for their inputs, by the name of the table or of the external input's
// relation.
const inputsOf = ({
  externs,
  resources,
}: SelectStatement): [string, Readonly<Record<string, unknown>>][] => [
  ...externs.map(
    ({
      relation,
      inputSource,
      inputFormat,
      signature,
    }): [string, Readonly<Record<string, unknown>>] => [
      relation,
      { type: 'external', inputSource, inputFormat, signature },
    ],
  ),
  ...resources
    .filter(({ type, action }) => type === 'DATASOURCE' && action === 'READ')
    .map(({ name }): [string, Readonly<Record<string, unknown>>] => [
      name,
      {
        type: 'table',
        dataSource: name,
        intervals: ['-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z'],
      },
    ]),
];

export const signatureOf = (columns: readonly OutputColumn[]): SignatureColumn[] =>
  columns.map(({ name, nativeType }) => ({ name, type: nativeType }));

/** Throws QueryFailed for more columns than a stage may have. */
export function checkColumnCount(columns: readonly OutputColumn[]): void {
  if (columns.length > maxColumns) throw tooManyColumns(columns.length, maxColumns);
}

const maxColumns = 2000;

/** The source of a query's values, as named in faults. */
export const sourceOf = ({ externs }: SelectStatement): string =>
  externs.length === 0
    ? 'query'
    : `external input source: ${externs.map(({ inputSource }) => String(inputSource.type)).join(', ')}`;

/**
 * Computes the rows of a query. Throws InvalidField with the column's name when the rows can be
 * computed and one value in them cannot. For grouped rows, the two cases are indistinguishable.
 */
export async function makeRows<Answer>(
  session: Session,
  query: SelectStatement,
  make: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await make();
  } catch (error) {
    if (
      !isFailedCalculation(error) ||
      brokenWindowLimit(error.message) ||
      query.queryType !== 'scan'
    )
      throw error;
    const names = query.columns.map((_, index) => `q${index}`).join(', ');
    const countValues = (value: string) =>
      session.rows(`SELECT count(${value}) FROM (${query.duckdb}) AS q(${names})`);
    await countValues('*');
    for (const [index, { name }] of query.columns.entries()) {
      await countValues(`q${index}`).catch((found: unknown) => {
        throw isFailedCalculation(found)
          ? invalidField(sourceOf(query), name, found.message)
          : found;
      });
    }
    throw error;
  }
}
