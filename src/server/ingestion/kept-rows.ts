// The raw rows that are stored: readable ones with a time, which the filter and the intervals keep.
import type { Session } from '../engine/session.ts';
import type { DataSchema } from './data-schema.ts';
import { type FieldTypes, typesOf } from './field-types.ts';
import { readSlowTimes, wantedSql } from './parse-failures.ts';
import type { RawField, RawRows } from './raw-rows.ts';
import { millisSqlOf, rowTimeSql, timeText } from './timestamps.ts';
import { filterSql, movesTime, type RowContext } from './transforms.ts';

/** The milliseconds of a raw row as SQL, and a table to join for them. */
export interface RowTime {
  readonly sql: string;
  readonly join: string;
}

/** The time of rows. That of `slowField`, if given, may be in `slow_times`. */
export function rowTime(
  schema: DataSchema,
  { fields, raw }: Pick<ReadFields, 'fields' | 'raw'>,
  slowField: RawField | undefined,
): RowTime {
  const fast = rowTimeSql(schema.timestampSpec, raw);
  const read = slowField ? `coalesce(${fast}, slow.ms)` : fast;
  const moved = `CASE WHEN ${read} IS NOT NULL THEN ${millisSqlOf(fields.get('__time'))} END`;
  return {
    sql: movesTime(schema) ? moved : read,
    join: slowField ? ` LEFT JOIN slow_times slow ON slow.text = ${timeText(slowField)}` : '',
  };
}

/** Raw rows, their fields after transforms, and the field with their time. */
export interface ReadFields {
  readonly raw: RawRows;
  readonly fields: ReadonlyMap<string, RawField>;
  readonly time: RawField | undefined;
}

/** A query for the texts of times that the engine cannot read, of readable rows. */
export const untimedTexts = (
  { timestampSpec }: Pick<DataSchema, 'timestampSpec'>,
  raw: RawRows,
  time: RawField,
): string =>
  `SELECT ${timeText(time)} AS text FROM ${raw.table} WHERE ${rowTimeSql(timestampSpec, raw)} IS NULL AND ${time.sql} IS NOT NULL AND NOT ${badSql(raw)}`;

/** A condition for raw rows that cannot be read. */
export const badSql = ({ badLine }: Pick<RawRows, 'badLine'>): string =>
  badLine === undefined ? 'false' : `(${badLine} IS NOT NULL)`;

/**
 * The types of fields, from the values of the rows that are stored. Other rows are looked for only
 * where the values of a field have several kinds.
 */
export async function keptTypesOf(
  session: Session,
  schema: DataSchema,
  read: ReadFields,
  wanted: readonly RawField[],
  context: RowContext,
): Promise<Map<string, FieldTypes>> {
  const types = await typesOf(session, read.raw, wanted);
  const mixed = wanted.filter(({ name }) => types.get(name)?.isMixed);
  if (mixed.length === 0) return types;
  const { raw, fields, time } = read;
  const filter = await filterSql(session, raw, fields, schema.transformSpec, context);
  const rowsWith = ({ sql, join }: RowTime) =>
    `(SELECT * FROM (SELECT raw.*, ${sql} AS t, ${filter} AS wanted FROM ${raw.table} raw${join}) WHERE NOT ${badSql(raw)} AND t IS NOT NULL AND (${wantedSql(schema)}))`;
  const fast = rowsWith(rowTime(schema, read, undefined));
  const [[total, known] = []] = await session.rows(
    `SELECT (SELECT count(*) FROM ${raw.table}), (SELECT count(*) FROM ${fast})`,
  );
  if (total === known) return types;
  if (time)
    await readSlowTimes(session, schema.timestampSpec.format, untimedTexts(schema, raw, time));
  const table = time ? rowsWith(rowTime(schema, read, time)) : fast;
  const found = await typesOf(session, { ...raw, table }, mixed);
  if (time) await session.run('DROP TABLE slow_times');
  return new Map([...types, ...found]);
}
