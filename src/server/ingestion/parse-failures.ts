// Unreadable rows: counted and described with file and line. Too many of them end the ingestion.
import { condense } from '../../model/interval.ts';
import type { Session } from '../engine/session.ts';
import { quote } from '../engine/sql-text.ts';
import type { ColumnValue } from './column-values.ts';
import { chunksOf, type DataSchema } from './data-schema.ts';
import type { InputFile } from './input-file.ts';
import type { Loading } from './loading.ts';
import type { Metric } from './metrics.ts';
import { numberedRows, type RawField, type RawRows } from './raw-rows.ts';
import { lineNumbers, linesOf } from './text-files.ts';
import { wholeChunks } from './time-chunks.ts';
import { slowTime, timeText } from './timestamps.ts';
import { movesTime } from './transforms.ts';

/** More rows than allowed are unreadable. `first` describes one of them. */
class TooManyParseExceptions extends Error {
  readonly max: number;
  readonly first: string | undefined;
  constructor(max: number, first: string | undefined) {
    super(`Max parse exceptions[${max}] exceeded${first === undefined ? '' : `: ${first}`}`);
    this.max = max;
    this.first = first;
  }
}

/** A column of numbers: a value of its field that does not fit is null there. */
export interface CheckedColumn {
  readonly field: RawField;
  readonly column: string;
}

/** The columns `c0`, ... and `m0`, ... whose values may not fit. */
export const checkedColumns = (
  dimensions: readonly Pick<ColumnValue, 'field' | 'checked'>[],
  metrics: readonly Pick<Metric, 'field'>[],
): readonly CheckedColumn[] => [
  ...dimensions.flatMap(({ field, checked }, index) =>
    field && checked ? [{ field, column: `c${index}` }] : [],
  ),
  ...metrics.flatMap(({ field }, index) => (field ? [{ field, column: `m${index}` }] : [])),
];

/**
 * SQL condition for the `converted_rows` to store: they pass the filter, and lie in chunks of the
 * intervals, or in the times of messages. The others are thrown away.
 */
export function wantedSql({
  granularitySpec,
  messageTimes,
}: Pick<DataSchema, 'granularitySpec' | 'messageTimes'>): string {
  const spans = messageTimes
    ? [messageTimes]
    : granularitySpec.intervals && wholeChunks(chunksOf(granularitySpec));
  if (!spans) return 'wanted';
  const inside = condense(spans).map(({ start, end }) => `(t >= ${start} AND t < ${end})`);
  return `wanted AND (${inside.join(' OR ')})`;
}

export class ParseFailures {
  readonly #loading: Loading;
  readonly #session: Session;
  readonly #raw: RawRows;
  readonly #files: readonly InputFile[];
  readonly #time: RawField | undefined;

  constructor(
    loading: Loading,
    raw: RawRows,
    files: readonly InputFile[],
    time: RawField | undefined,
  ) {
    this.#loading = loading;
    this.#session = loading.session;
    this.#raw = raw;
    this.#files = files;
    this.#time = time;
  }

  /**
   * Parses the times that the engine could not, applies times from transforms, counts unreadable
   * rows and values that do not fit their columns, and removes rows without a time. Before,
   * `converted_rows` has the rows of the raw table, in their order.
   */
  async settle(checked: readonly CheckedColumn[]): Promise<void> {
    const { stats, schema } = this.#loading;
    await settleTimes(this.#session, this.#raw, schema, this.#time);
    stats.unparseable += await this.#count(untimed);
    stats.processedWithError += await this.#countMisfits(checked);
    if (stats.unparseable + stats.processedWithError === 0) return;
    await judgeFailures(
      this.#loading,
      { raw: this.#raw, files: this.#files, time: this.#time },
      `${this.#raw.table} r POSITIONAL JOIN converted_rows c WHERE c.t IS NULL OR c.bad`,
    );
    await this.#session.run('DELETE FROM converted_rows WHERE t IS NULL OR bad');
  }

  async #countMisfits(checked: readonly CheckedColumn[]): Promise<number> {
    if (checked.length === 0) return 0;
    const countRows = (names: readonly string[], table: string) =>
      `(SELECT ${names.map((name) => `count(${name})`).join(' + ')} FROM ${table})`;
    const given = countRows(
      checked.map(({ field }) => field.sql),
      this.#raw.table,
    );
    const kept = countRows(
      checked.map(({ column }) => column),
      'converted_rows',
    );
    const [[before, after] = []] = await this.#session.rows(`SELECT ${given}, ${kept}`);
    if (before === after) return 0;
    const lost = checked
      .map(({ field, column }) => `(r.${field.sql} IS NOT NULL AND ${column} IS NULL)`)
      .join(' OR ');
    return this.#count(
      `${this.#raw.table} r POSITIONAL JOIN converted_rows c WHERE t IS NOT NULL AND NOT c.bad AND ${wantedSql(this.#loading.schema)} AND (${lost})`,
    );
  }

  #count(relation: string): Promise<number> {
    return countIn(this.#session, relation);
  }
}

const untimed = 'converted_rows WHERE t IS NULL AND NOT bad';

/**
 * Parses the times of `converted_rows` that the engine could not, and applies times from
 * transforms. The table has the rows of the raw table, in their order.
 */
export async function settleTimes(
  session: Session,
  { table }: Pick<RawRows, 'table'>,
  schema: Pick<DataSchema, 'timestampSpec' | 'transformSpec'>,
  time: RawField | undefined,
): Promise<void> {
  if (time && (await countIn(session, untimed)) > 0) {
    const text = timeText({ ...time, sql: `r.${time.sql}` });
    const texts = `SELECT ${text} AS text FROM ${table} r POSITIONAL JOIN converted_rows WHERE t IS NULL AND NOT converted_rows.bad AND r.${time.sql} IS NOT NULL`;
    await readSlowTimes(session, schema.timestampSpec.format, texts);
    await session.run(
      `UPDATE converted_rows SET t = slow.ms FROM (SELECT r.rowid AS number, ${text} AS text FROM ${table} r) raw, slow_times slow WHERE raw.number = converted_rows.rowid AND slow.text = raw.text AND converted_rows.t IS NULL; DROP TABLE slow_times`,
    );
  }
  if (movesTime(schema))
    await session.run('UPDATE converted_rows SET t = moved WHERE t IS NOT NULL');
}

/**
 * Creates the table `slow_times` (`text`, `ms`) with the times that the engine cannot read, from a
 * query for their texts. Each distinct text is read once, because times repeat. Returns the number
 * of times.
 */
export async function readSlowTimes(
  session: Session,
  format: string,
  texts: string,
): Promise<number> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE slow_times (text VARCHAR, ms BIGINT); CREATE TEMP TABLE slow_texts AS SELECT DISTINCT text FROM (${texts})`,
  );
  const count = await countIn(session, 'slow_texts');
  let known = 0;
  for (let first = 0; first < count; first += textsAtOnce) {
    const rows = await session.rows(
      `SELECT text FROM slow_texts WHERE rowid >= ${first} AND rowid < ${first + textsAtOnce}`,
    );
    const times = rows.flatMap(([text]) => {
      const ms = typeof text === 'string' ? slowTime(format, text) : undefined;
      return ms === undefined ? [] : [`(${quote(String(text))}, ${ms})`];
    });
    known += times.length;
    if (times.length > 0) await session.run(`INSERT INTO slow_times VALUES ${times.join(', ')}`);
  }
  await session.run('DROP TABLE slow_texts');
  return known;
}

const textsAtOnce = 5000;

/** Raw rows, their files, and the field with their time. */
export interface ReadRows {
  readonly raw: RawRows;
  readonly files: readonly InputFile[];
  readonly time: RawField | undefined;
}

/**
 * Describes unreadable rows if requested, and ends the ingestion if more rows failed than allowed.
 * `failed` selects them from the raw rows `r`, which have a column `${number}`.
 */
export async function judgeFailures(
  loading: Loading,
  read: ReadRows,
  failed: string,
  number = 'rowid',
): Promise<void> {
  const { stats, events, maxParseExceptions, maxSavedParseExceptions } = loading;
  if (maxSavedParseExceptions > 0 || stats.unparseable > maxParseExceptions)
    await describe(loading, read, failed, number);
  if (stats.unparseable + stats.processedWithError <= maxParseExceptions) return;
  const [first] = events;
  if (maxSavedParseExceptions === 0) events.length = 0;
  throw new TooManyParseExceptions(maxParseExceptions, first?.details[0]);
}

async function describe(
  { session, events, now, placeOf, maxSavedParseExceptions }: Loading,
  { raw, files, time }: ReadRows,
  failed: string,
  number: string,
): Promise<void> {
  const shown = [...raw.fields.values()].map(
    ({ name, sql, kind }) =>
      `${quote(`${name}=`)} || ${kind === 'json' ? `(r.${sql} ->> '$')` : `r.${sql}`}`,
  );
  const event = `'{' || concat_ws(', ', ${shown.join(', ') || "''"}) || '}'`;
  const text = time ? timeText({ ...time, sql: `r.${time.sql}` }) : 'NULL';
  const bad = raw.badLine === undefined ? 'NULL' : `r.${raw.badLine}`;
  const rows = await session.rows(
    `SELECT r.${number}, ${bad}, ${text}, ${event} FROM ${failed} ORDER BY 1 LIMIT ${Math.max(1, maxSavedParseExceptions)}`,
  );
  const numbers = rows.map(([row]) => Number(row));
  const positions = placeOf
    ? numbers.map((row) => ` (${placeOf(row)})`)
    : await positionsOf(session, raw, files, numbers);
  for (const [index, [, line, timeGiven, eventGiven]] of rows.entries()) {
    const fields = shorten(String(eventGiven));
    const [input, detail] =
      typeof line === 'string'
        ? [line, `Unable to parse row [${line}]`]
        : [fields, `Timestamp[${timeGiven}] is unparseable! Event: ${fields}`];
    events.push({
      input,
      errorType: 'unparseable',
      details: [`${detail}${positions[index] ?? ''}`],
      timeOfExceptionMillis: now(),
    });
  }
}

/** Descriptions of the first unreadable lines, with file and line. */
export async function badLines(
  session: Session,
  raw: RawRows,
  files: readonly InputFile[],
  max: number,
): Promise<string[]> {
  const rows = await session.rows(
    `SELECT n, ${raw.badLine} FROM ${numberedRows(raw)} WHERE ${raw.badLine} IS NOT NULL ORDER BY 1 LIMIT ${max}`,
  );
  const positions = await positionsOf(
    session,
    raw,
    files,
    rows.map(([row]) => Number(row)),
  );
  return rows.map(([, line], index) => `Unable to parse row [${line}]${positions[index] ?? ''}`);
}

// ` (Path: wiki.json, Record: 3, Line: 3)`, for row numbers over all files, ascending.
async function positionsOf(
  session: Session,
  { positioned, skip, keepsEmptyLines = false }: RawRows,
  files: readonly InputFile[],
  rows: readonly number[],
): Promise<string[]> {
  if (!positioned || rows.length === 0) return [];
  const positions: string[] = [];
  let before = 0;
  for (const file of files) {
    const count = await countIn(session, linesOf([file], { skip, empty: keepsEmptyLines }));
    const own = rows
      .filter((row) => row >= before && row < before + count)
      .map((row) => row - before + 1);
    const lines =
      own.length > 0 && !keepsEmptyLines
        ? await lineNumbers(file, skip, own)
        : new Map(own.map((record) => [record, skip + record]));
    for (const record of own) {
      const path = file.name === 'inline' ? '' : `Path: ${file.name}, `;
      positions.push(` (${path}Record: ${record}, Line: ${lines.get(record) ?? record})`);
    }
    before += count;
  }
  return positions;
}

const countIn = async (session: Session, relation: string): Promise<number> =>
  Number((await session.rows(`SELECT count(*) FROM ${relation}`))[0]?.[0] ?? 0);

const shorten = (text: string) => (text.length < 100 ? text : `${text.slice(0, 100)}...`);
