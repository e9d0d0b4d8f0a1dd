// Segments as a relation: the DuckDB text that reads their files as if all had the same columns.
import { dayMs } from '../../model/calendar.ts';
import { type Interval, sameInterval } from '../../model/interval.ts';
import { parsePeriod } from '../../model/period.ts';
import type { SegmentColumn } from '../../model/segment.ts';
import type { VisibleSegment } from '../../model/timeline.ts';
import { identifiersOf } from '../../sql/expressions/column-names.ts';
import { bucketText } from '../../sql/expressions/time-bucket.ts';
import { type StartUnit, startColumn } from '../../sql/expressions/time-starts.ts';
import { markColumn, textMark } from '../../sql/expressions/unique-marks.ts';
import type { SegmentRecord } from '../storage/segments.ts';
import { tableIn } from './attached-tables.ts';
import { duckdbTypeOf, storedText } from './native-types.ts';
import { identifier, quote } from './sql-text.ts';

/** Placeholder column of a relation without columns, because DuckDB's need one. */
export const noColumn = '__rows';

/** Column of a table that holds the number of each row's segment. */
export const memberColumn = '__segment';

/** The place of a segment's rows in a table with the rows of several segments. */
export interface TablePlace {
  readonly table: string; // name of an attached table
  readonly number: number; // in `memberColumn`
  readonly size: number; // number of segments in the table
  hasMarks(column: string): boolean; // whether the table stores the marks of a column
}

/** Finds the rows of segments. */
export interface SegmentRows {
  /** The file of a segment; tombstones have none. */
  fileOf(segment: SegmentRecord): string | undefined;
  /** Its place in a table, which is faster than its file. */
  placeOf?(segment: SegmentRecord): TablePlace | undefined;
}

/** A column with the starts of the buckets of the rows' times. */
export type StartsColumn = SegmentColumn & { readonly startOf: StartUnit };

/** A column with the marks of the texts of a column (unique-marks.ts). */
export type MarksColumn = SegmentColumn & { readonly marksOf: string };

type ScanColumn = SegmentColumn | StartsColumn | MarksColumn;

/** The start of the bucket of a row's time, as DuckDB text over the rows of an interval. */
export const startText = (unit: StartUnit, { start, end }: Interval): string =>
  bucketText('"__time"', parsePeriod(periods[unit]), 'UTC', undefined, false, {
    startMs: BigInt(start),
    endMs: BigInt(end),
  });

/** Whether DuckDB's calendar knows all times of an interval. A table has no other starts. */
export const isInCalendar = ({ start, end }: Interval): boolean =>
  start >= -farthestMs && end <= farthestMs;

const farthestMs = 200_000 * 365 * dayMs; // DuckDB's calendar ends a little later

const periods: Readonly<Record<StartUnit, string>> = { year: 'P1Y', month: 'P1M', day: 'P1D' };

/**
 * A relation in parentheses with exactly the wanted columns and types (from `unifiedColumns`). A
 * column that a segment lacks is NULL there, and a column of another type is cast. Rows in hidden
 * parts of a segment are left out. `all` are the columns that other readers of the same rows may
 * want: they are named as in `identifiersOf(all)`.
 */
export function segmentScan(
  segments: readonly VisibleSegment<SegmentRecord>[],
  wanted: readonly ScanColumn[],
  rows: SegmentRows,
  all: readonly SegmentColumn[] = wanted,
): string {
  const parts = partsOf(segments, rows);
  if (parts.length === 0) return `(SELECT ${select(wanted, all, missing)} WHERE false)`;
  return `(${parts.map((part) => partScan(part, wanted, all)).join(' UNION ALL ')})`;
}

// Segments that one text can read: they have the same columns, and the same condition.
interface Part {
  readonly columns: readonly SegmentColumn[];
  readonly from: string;
  readonly conditions: readonly string[];
  readonly startOf: (unit: StartUnit) => string; // text
  readonly hasMarks?: TablePlace['hasMarks'];
}

function partsOf(segments: readonly VisibleSegment<SegmentRecord>[], rows: SegmentRows): Part[] {
  const groups: (FileGroup | TableGroup)[] = [];
  let files = new Map<string, FileGroup>(); // since the last table
  const schemas = new Map<readonly SegmentColumn[], number>();
  for (const visible of segments) {
    const { segment } = visible;
    const file = rows.fileOf(segment);
    if (file === undefined) continue;
    const place = rows.placeOf?.(segment);
    if (place) {
      const last = groups.at(-1);
      if (last?.kind === 'table' && last.table === place.table)
        last.members.push({ ...visible, place });
      else groups.push({ kind: 'table', table: place.table, members: [{ ...visible, place }] });
      files = new Map();
      continue;
    }
    const intervals = visibleIntervals(visible);
    // Segments with the same columns share one list of them.
    const schema = schemas.get(segment.columns) ?? schemas.size;
    schemas.set(segment.columns, schema);
    const key = `${schema} ${intervals?.map(({ start, end }) => `${start}/${end}`).join(',') ?? ''}`;
    // Rows without an order come in the order of their segments, unless that needs many parts.
    const last = groups.at(-1);
    const group =
      groups.length < mostParts && last?.kind === 'files' && last.key !== key
        ? undefined
        : files.get(key);
    if (group) {
      group.files.push(file);
      group.hull = hullOf([group.hull, segment.interval]);
    } else {
      const added: FileGroup = {
        kind: 'files',
        key,
        columns: segment.columns,
        visible: intervals,
        files: [file],
        hull: segment.interval,
      };
      files.set(key, added);
      groups.push(added);
    }
  }
  return groups.flatMap((group) =>
    group.kind === 'files' ? filePart(group) : tableParts(group.members),
  );
}

const mostParts = 32;

interface FileGroup {
  readonly kind: 'files';
  readonly key: string; // the same for segments that one text can read
  readonly columns: readonly SegmentColumn[];
  readonly visible: readonly Interval[] | undefined; // all of it when undefined
  readonly files: string[];
  hull: Interval; // around the intervals of the segments
}

interface TableGroup {
  readonly kind: 'table';
  readonly table: string;
  readonly members: TableMember[];
}

type TableMember = VisibleSegment<SegmentRecord> & { readonly place: TablePlace };

const filePart = ({ columns, visible, files, hull }: FileGroup): Part => ({
  columns,
  from: `read_parquet([${files.map(quote).join(', ')}], hive_partitioning = false)`,
  conditions: visible ? [timeIn(visible)] : [],
  startOf: (unit) => startText(unit, hull),
});

// Neighbours that are visible in whole, or in one range of time, need one part.
function tableParts(members: readonly TableMember[]): Part[] {
  if (visibleTogether(members)) return tablePart(members);
  const runs: TableMember[][] = [];
  for (const member of members) {
    const run = runs.at(-1);
    if (run && visibleTogether([...run, member])) run.push(member);
    else runs.push([member]);
  }
  return runs.flatMap(tablePart);
}

function tablePart(members: readonly TableMember[]): Part[] {
  const together = visibleTogether(members) ?? [];
  const [first] = members;
  if (!first) return [];
  const numbers = members.map(({ place }) => place.number).sort((one, other) => one - other);
  const [least, most] = [numbers[0] ?? 0, numbers.at(-1) ?? 0];
  const isRange = most - least === numbers.length - 1;
  const column = identifier(memberColumn);
  const conditions = [
    ...(numbers.length === first.place.size
      ? []
      : [
          isRange
            ? `${column} BETWEEN ${least} AND ${most}`
            : `${column} IN (${numbers.join(', ')})`,
        ]),
    ...(together.length > 0 ? [timeIn(together)] : []),
  ];
  return [
    {
      columns: first.segment.columns,
      from: tableIn(first.place.table),
      conditions,
      hasMarks: first.place.hasMarks,
      startOf: (unit) =>
        members.every(({ segment }) => isInCalendar(segment.interval))
          ? identifier(startColumn(unit))
          : startText(unit, hullOf(members.map(({ segment }) => segment.interval))),
    },
  ];
}

// The time that some members are visible in, as a condition on all of them; empty when they are
// visible in whole.
function visibleTogether(members: readonly TableMember[]): readonly Interval[] | undefined {
  if (members.every((member) => !visibleIntervals(member))) return [];
  const [only] = members;
  if (only && members.length === 1) return only.intervals;
  if (members.some(({ intervals }) => intervals.length !== 1)) return undefined;
  const hull = hullOf(members.flatMap(({ intervals }) => intervals));
  const isClipped = ({ segment, intervals }: TableMember) =>
    intervals[0]?.start === Math.max(hull.start, segment.interval.start) &&
    intervals[0]?.end === Math.min(hull.end, segment.interval.end);
  return members.every(isClipped) ? [hull] : undefined;
}

// The shortest interval around others.
const hullOf = (intervals: readonly Interval[]): Interval => ({
  start: Math.min(...intervals.map(({ start }) => start)),
  end: Math.max(...intervals.map(({ end }) => end)),
});

// Undefined when a segment is visible in whole.
function visibleIntervals({
  segment,
  intervals,
}: VisibleSegment<SegmentRecord>): readonly Interval[] | undefined {
  const [first] = intervals;
  return intervals.length === 1 && first && sameInterval(first, segment.interval)
    ? undefined
    : intervals;
}

const timeIn = (intervals: readonly Interval[]) =>
  intervals.length === 1
    ? intervals.map(timeInOne).join('')
    : `(${intervals.map((interval) => `(${timeInOne(interval)})`).join(' OR ')})`;

const timeInOne = ({ start, end }: Interval) => `"__time" >= ${start} AND "__time" < ${end}`;

function partScan(
  { columns, from, conditions, startOf, hasMarks }: Part,
  wanted: readonly ScanColumn[],
  all: readonly SegmentColumn[],
): string {
  const stored = new Map(columns.map((column) => [column.name, column]));
  const own = identifiersOf(columns);
  const list = select(wanted, all, (column) => {
    if ('startOf' in column) return startOf(column.startOf);
    if ('marksOf' in column) {
      const { marksOf: name } = column;
      const isOwnName = own(name) === identifier(name);
      if (isOwnName && hasMarks?.(name)) return identifier(markColumn(name));
      const marked = stored.get(name);
      return marked ? textMark(cast(own(name), marked, { ...column, type: 'STRING' })) : '0';
    }
    const found = stored.get(column.name);
    return found ? cast(own(column.name), found, column) : missing(column);
  });
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  return `SELECT ${list} FROM ${from}${where}`;
}

const select = (
  wanted: readonly ScanColumn[],
  all: readonly SegmentColumn[],
  expression: (column: ScanColumn) => string,
) =>
  wanted
    .map((column) => `${expression(column)} AS ${identifiersOf(all)(column.name)}`)
    .join(', ') || `1 AS ${identifier(noColumn)}`;

const missing = (column: SegmentColumn) => `NULL::${duckdbTypeOf(column)}`;

function cast(name: string, from: SegmentColumn, to: SegmentColumn): string {
  const [fromType, toType] = [duckdbTypeOf(from), duckdbTypeOf(to)];
  if (fromType === toType) return storedText(name, from);
  if (toType === 'JSON') return `to_json(${name})`;
  if (toType === 'BLOB' || fromType === 'BLOB') return `NULL::${toType}`; // no other type can be cast to a sketch
  if (toType.endsWith('[]') && !fromType.endsWith('[]')) {
    return `CASE WHEN ${name} IS NULL THEN NULL ELSE [TRY_CAST(${name} AS ${toType.slice(0, -2)})] END`;
  }
  return `TRY_CAST(${name} AS ${toType})`; // a text that is not a number is null
}
