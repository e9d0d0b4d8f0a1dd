// Rows of a unit as a query over the files of its segments.
import type { Interval } from '../../model/interval.ts';
import type { SegmentColumn } from '../../model/segment.ts';
import type { ColumnStatistics } from '../../sql/catalog.ts';
import { identifiersOf } from '../../sql/expressions/column-names.ts';
import { haveStarts, startColumn, startUnits } from '../../sql/expressions/time-starts.ts';
import { markColumn, textMark } from '../../sql/expressions/unique-marks.ts';
import type { ComputedColumn } from '../engine/attached-tables.ts';
import { isInCalendar, memberColumn, startText } from '../engine/segment-scan.ts';
import type { Session } from '../engine/session.ts';
import { identifier, quote } from '../engine/sql-text.ts';

/** Gives the number of the segment, its columns, and the starts of the buckets of its times. */
export function unitQuery(segments: readonly UnitSegment[]): string {
  const columns = segments[0]?.columns ?? [];
  const names = identifiersOf(columns);
  const units = haveStarts(columns) ? startUnits : [];
  return segments
    .map(({ file, interval }, index) => {
      const list = [
        `${index}::USMALLINT AS ${identifier(memberColumn)}`,
        ...columns.map(({ name }) => names(name)),
        ...units.map(
          (unit) =>
            `${isInCalendar(interval) ? startText(unit, interval) : 'NULL::BIGINT'} AS ${identifier(startColumn(unit))}`,
        ),
      ];
      return `SELECT ${list.join(', ')} FROM read_parquet([${quote(file)}], hive_partitioning = false)`;
    })
    .join(' UNION ALL ');
}

/** A segment of a unit. All have the same columns. */
interface UnitSegment {
  readonly file: string;
  readonly interval: Interval;
  readonly columns: readonly SegmentColumn[];
}

/** The columns of the table of a unit, by DuckDB's names. */
export interface UnitColumns {
  readonly definitions: string; // as CREATE TABLE takes them
  readonly marked: readonly string[]; // texts that are stored with their marks
}

/**
 * The columns of the table of a unit. Texts that are short and rarely repeat are stored as they
 * are: DuckDB's compression of them doubles the time of a comparison. Columns with many distinct
 * short texts have marks beside them: few texts are hashed in no time.
 */
export async function unitColumns(session: Session, query: string): Promise<UnitColumns> {
  const described = await session.rows(`DESCRIBE ${query}`);
  const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }));
  const texts = columns.filter(({ type }) => type === 'VARCHAR');
  const plain = new Set<string>();
  const marked: string[] = [];
  if (texts.length > 0) {
    const names = new Set(columns.map(({ name }) => name.toLowerCase()));
    const tests = texts.flatMap(({ name }) => {
      const column = identifier(name);
      const isShort = `avg(length(${column})) <= ${longestShort}`;
      const distinct = `approx_count_distinct(${column})`;
      return [
        `${isShort} AND ${distinct} * 4 > count(${column})`,
        `${isShort} AND ${distinct} >= ${leastMarked}`,
      ];
    });
    const [found = []] = await session.rows(
      `SELECT ${tests.join(', ')} FROM (FROM (${query}) LIMIT ${sampleRows})`,
    );
    for (const [index, { name }] of texts.entries()) {
      const [isPlain, isMarked] = found.slice(2 * index);
      if (isPlain === true) plain.add(name);
      if (isMarked === true && !names.has(markColumn(name).toLowerCase())) marked.push(name);
    }
  }
  const definitions = [
    ...columns.map(
      ({ name, type }) =>
        `${identifier(name)} ${type}${plain.has(name) ? ' USING COMPRESSION uncompressed' : ''}`,
    ),
    ...marked.map((name) => `${identifier(markColumn(name))} INTEGER`),
  ];
  return { definitions: definitions.join(', '), marked };
}

/** The columns with the marks of texts, over the columns of `unitQuery`. */
export const marksOf = (marked: readonly string[]): readonly ComputedColumn[] =>
  marked.map((name) => ({ name: markColumn(name), sql: textMark(identifier(name)) }));

/**
 * The statistics of a table's columns, by DuckDB's names: the range of whole numbers; the number of
 * texts, and which are `marked`. Other columns have none.
 */
export async function columnStatistics(
  session: Session,
  table: string,
  marked: readonly string[],
): Promise<Readonly<Record<string, ColumnStatistics>>> {
  const described = await session.rows(`DESCRIBE ${table}`);
  const columns = described
    .map(([name, type]) => ({ name: String(name), isText: type === 'VARCHAR', type }))
    .filter(({ isText, type }) => isText || type === 'BIGINT');
  if (columns.length === 0) return {};
  const found = columns.map(({ name, isText }) => {
    const column = identifier(name);
    return isText
      ? `approx_count_distinct(${column})`
      : `coalesce(min(${column}), 0), coalesce(max(${column}), 0)`;
  });
  const [row = []] = await session.rows(`SELECT ${found.join(', ')} FROM ${table}`);
  const values = row.map(Number);
  return Object.fromEntries(
    columns.flatMap(({ name, isText }): readonly [string, ColumnStatistics][] => {
      const [first = 0, last = 0] = values.splice(0, isText ? 1 : 2);
      if (isText)
        return [[name, { distinct: first, ...(marked.includes(name) && { hasMarks: true }) }]];
      const isExact = Number.isSafeInteger(first) && Number.isSafeInteger(last);
      return isExact ? [[name, { range: [first, last] }]] : [];
    }),
  );
}

const sampleRows = 122_880; // of one group, which shares a dictionary
const leastMarked = 1000;
const longestShort = 200; // characters, on average
