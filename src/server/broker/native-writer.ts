// Results of native queries, item by item (docs/querying: the result of each type of query).

import {
  bucketStart,
  bucketsIn,
  type Granularity,
  nextBucket,
  parseGranularity,
} from '../../model/granularity.ts';
import {
  condense,
  eternity,
  formatInterval,
  type Interval,
  intersection,
} from '../../model/interval.ts';
import { type TimeZone, utc } from '../../model/period.ts';
import { bucketConstant, losesTimes } from '../../sql/expressions/time-bucket.ts';
import { checkLimit } from '../../sql/limits.ts';
import type {
  BucketRanges,
  DataSourceMetadataStatement,
  GroupByStatement,
  NativeQueryStatement,
  NativeStatement,
  ResultField,
  ScanSegment,
  ScanStatement,
  ScanStep,
  SearchResult,
  SearchStatement,
  TimeBoundaryStatement,
  TimeseriesStatement,
  TopNStatement,
  WindowOperatorStatement,
} from '../../sql/native/statement.ts';
import { varchar } from '../../sql/types.ts';
import { nextTurn } from '../process/turns.ts';
import type { Batch } from '../statements/result-writer.ts';
import type { Read } from './native-read.ts';
import { cellText, timeText } from './native-values.ts';
import { segmentMetadataItems } from './segment-metadata-writer.ts';

/** Context of a running query. */
export interface NativeRun {
  readonly read: Read;
  // Aborting stops computations outside DuckDB; its reason is thrown
  readonly signal: AbortSignal;
}

export interface NativePrinting {
  readonly timesAsLong: boolean;
}

type Items = AsyncIterable<string>;

/**
 * The items of a result as JSON texts. Preparatory queries have run when this returns, so that
 * early failures can have a status of their own.
 */
export async function nativeItems(
  { body, bySegment }: NativeStatement,
  run: NativeRun,
  printing: NativePrinting,
): Promise<Items> {
  if (!bySegment) return itemsOf(body, run, printing);
  return (async function* () {
    for (const segment of bySegment) {
      const results = await all(await itemsOf(segment.body, run, printing));
      const result = `{"results":[${results.join(',')}],"segment":${JSON.stringify(segment.id)},"interval":"${formatInterval(segment.queried)}"}`;
      yield `{"timestamp":${timeText(segment.interval.start, utc, printing.timesAsLong)},"result":${result}}`;
    }
  })();
}

function itemsOf(
  statement: NativeQueryStatement,
  run: NativeRun,
  printing: NativePrinting,
): Promise<Items> {
  const { read } = run;
  switch (statement.kind) {
    case 'timeseries':
      return timeseriesItems(statement, run, printing);
    case 'topN':
      return topNItems(statement, run, printing);
    case 'groupBy':
      return groupByItems(statement, read, printing);
    case 'windowOperator':
      return windowOperatorItems(statement, read);
    case 'scan':
      return scanItems(statement, read);
    case 'search':
      return searchItems(statement, read, printing);
    case 'timeBoundary':
      return timeBoundaryItems(statement, read, printing);
    case 'dataSourceMetadata':
      return dataSourceMetadataItems(statement, read, printing);
    case 'segmentMetadata':
      return segmentMetadataItems(statement, read);
  }
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

type Row = readonly unknown[];

async function* rowsOf(batches: AsyncIterable<Batch>): AsyncGenerator<Row> {
  for await (const { rowCount, columns } of batches) {
    for (let row = 0; row < rowCount; row++) yield columns.map((column) => column[row] ?? null);
  }
}

const rowsIn = async (read: Read, sql: string): Promise<Row[]> => all(rowsOf(await read(sql)));

const zoneOf = (granularity: Granularity): TimeZone =>
  granularity.type === 'period' ? granularity.timeZone : utc;

/** Writes the values of a row from some index on as an object. */
function objectText(fields: readonly ResultField[], from: number): (row: Row) => string {
  const parts = fields.map((field, index) => ({
    key: `${index === 0 ? '' : ','}${JSON.stringify(field.name)}:`,
    cell: cellText(field),
  }));
  return (row) =>
    `{${parts.map(({ key, cell }, index) => key + cell(row[from + index])).join('')}}`;
}

// ── timeseries ───────────────────────────────────────────────────────────────────────────────────

async function timeseriesItems(
  statement: TimeseriesStatement,
  run: NativeRun,
  { timesAsLong }: NativePrinting,
): Promise<Items> {
  const { read } = run;
  const { fields, empty, limit, descending, shownTotal } = statement;
  const granularity = parseGranularity(statement.granularity);
  const zone = zoneOf(granularity);
  const result = objectText(fields, 2);
  const item = (time: number | null, values: string) => {
    const shown =
      statement.timeField === undefined || time === null
        ? values
        : withMember(values, statement.timeField, memberTime(time));
    return `{"timestamp":${time === null ? 'null' : timeText(time, zone, timesAsLong)},"result":${shown}}`;
  };
  const emptyResult = empty && objectText(fields, 0)((await rowsIn(read, empty.row))[0] ?? []);
  const buckets = empty ? await bucketsOf(empty, statement, run) : [];
  const rows = rowsOf(await read(statement.sql));
  async function* fillBuckets(): AsyncGenerator<{
    readonly text: string;
    readonly time: number | null; // null for the total
  }> {
    const waiting = buckets[Symbol.iterator]();
    let bucket = waiting.next();
    const isBefore = (one: number, other: number) => (descending ? one > other : one < other);
    for await (const row of rows) {
      const isTotal = row[1] === true;
      const time = Number(row[0]);
      for (; !bucket.done && (isTotal || isBefore(bucket.value, time)); bucket = waiting.next())
        yield { text: item(bucket.value, emptyResult ?? ''), time: bucket.value };
      if (!bucket.done && bucket.value === time) bucket = waiting.next();
      const shownTime = isTotal ? null : time;
      yield { text: item(shownTime, result(row)), time: shownTime };
    }
    for (; !bucket.done; bucket = waiting.next())
      yield { text: item(bucket.value, emptyResult ?? ''), time: bucket.value };
  }
  return (async function* () {
    let left = limit ?? Number.POSITIVE_INFINITY;
    let last: number | null = null;
    for await (const { text, time } of fillBuckets()) {
      if (time !== null && left-- <= 0) continue;
      last = time;
      yield text;
    }
    if (shownTotal === undefined) return;
    const [total = []] = await rowsIn(
      read,
      `WITH "last" AS (SELECT ${last}::BIGINT AS "time") ${shownTotal}`,
    );
    yield item(null, result(total));
  })();
}

// The engine's least time is earlier than the earliest interval (Druid: DateTimes.MIN).
const memberTime = (time: number) =>
  time <= eternity.start ? '-4611686018427387904' : String(time);

const withMember = (object: string, key: string, value: string) =>
  `{${JSON.stringify(key)}:${value}${object === '{}' ? '' : ','}${object.slice(1)}`;

/**
 * The starts of the buckets that could have rows, in result order; in ascending order, limited to
 * the number of results.
 */
async function bucketsOf(
  ranges: BucketRanges,
  {
    granularity: given,
    descending,
    limit,
  }: Pick<TimeseriesStatement, 'descending' | 'granularity' | 'limit'>,
  { read, signal }: NativeRun,
): Promise<readonly number[]> {
  const granularity = parseGranularity(given);
  const stretches = await stretchesOf(ranges, granularity, read);
  const starts = await startsOf(stretches, granularity, signal, descending ? undefined : limit);
  return descending ? starts.reverse() : starts;
}

// The starts of the buckets in some stretches of time, ascending. Others get their turn meanwhile.
async function startsOf(
  stretches: readonly Interval[],
  granularity: Granularity,
  signal: AbortSignal,
  limit?: number,
): Promise<number[]> {
  const starts: number[] = [];
  for (const start of startsIn(condense(stretches), granularity)) {
    if (starts.length === limit) break;
    checkLimit('emptyBuckets', starts.push(start));
    if (starts.length % bucketsInTurn !== 0) continue;
    await nextTurn();
    signal.throwIfAborted();
  }
  return starts;
}

// The stretches of time in which each segment has rows, in each interval.
async function stretchesOf(
  { ranges, intervals }: BucketRanges,
  granularity: Granularity,
  read: Read,
): Promise<readonly Interval[]> {
  const stretches: Interval[] = [];
  if (!ranges) stretches.push(...(intervals.length === 0 ? [eternity] : intervals));
  for (const sql of ranges ?? []) {
    for (const [first, last] of await rowsIn(read, sql)) {
      if (first === null || last === null) continue;
      const from = firstBucket(granularity, Number(first));
      if (from > Number(last)) continue;
      const data = {
        start: Math.max(from, Number(first)),
        end: nextBucket(granularity, bucketStart(granularity, Number(last))),
      };
      stretches.push(
        ...(intervals.length === 0
          ? [data]
          : intervals.flatMap((interval) => intersection(interval, data) ?? [])),
      );
    }
  }
  return stretches;
}

// The start of the bucket that the engine assigns to a time: it may be after the time.
function firstBucket(granularity: Granularity, time: number): number {
  if (granularity.type !== 'period' || !losesTimes(granularity)) return time;
  const { period, timeZone, origin } = granularity;
  const from = origin === undefined ? undefined : BigInt(origin);
  return Number(bucketConstant(BigInt(time), period, timeZone.id, from, false));
}

const bucketsInTurn = 2000;

function* startsIn(stretches: readonly Interval[], granularity: Granularity): Generator<number> {
  let last = Number.NEGATIVE_INFINITY;
  for (const stretch of stretches) {
    for (const { start } of bucketsIn(granularity, stretch)) {
      if (start > last) yield start;
      last = Math.max(last, start);
    }
  }
}

// ── topN, groupBy, windowOperator ────────────────────────────────────────────────────────────────

async function topNItems(
  statement: TopNStatement,
  run: NativeRun,
  { timesAsLong }: NativePrinting,
): Promise<Items> {
  const { sql, fields } = statement;
  const { starts: empty, merged } = await topNBuckets(statement, run);
  const zone = zoneOf(parseGranularity(statement.granularity));
  const rows = rowsOf(await run.read(sql));
  const values = objectText(fields, 1);
  const item = (time: number, results: readonly string[]) =>
    `{"timestamp":${timeText(time, merged.has(time) ? zone : utc, timesAsLong)},"result":[${results.join(',')}]}`;
  return (async function* () {
    let results: string[] = [];
    let current: number | undefined;
    let next = 0;
    for await (const row of rows) {
      const time = Number(row[0]);
      if (current !== undefined && current !== time) {
        yield item(current, results);
        results = [];
      }
      for (; next < empty.length && (empty[next] ?? 0) <= time; next++)
        if (empty[next] !== time) yield item(empty[next] ?? 0, []);
      current = time;
      results.push(values(row));
    }
    if (current !== undefined) yield item(current, results);
    for (; next < empty.length; next++) yield item(empty[next] ?? 0, []);
  })();
}

// The buckets that could have rows, and those among them that several segments share. The engine
// merges the results of these, which shows the time in the granularity's zone; the time of a single
// result is in UTC.
async function topNBuckets(
  { buckets, granularity: given }: TopNStatement,
  { read, signal }: NativeRun,
): Promise<{ readonly starts: readonly number[]; readonly merged: ReadonlySet<number> }> {
  if (buckets === undefined) return { starts: [], merged: new Set() };
  if (typeof buckets === 'string') {
    const [[time] = []] = await rowsIn(read, buckets);
    return { starts: [Number(time)], merged: new Set() };
  }
  const granularity = parseGranularity(given);
  const stretches = await stretchesOf(buckets, granularity, read);
  const shared = zoneOf(granularity).id === utc.id ? [] : sharedStretches(stretches, granularity);
  return {
    starts: await startsOf(stretches, granularity, signal),
    merged: new Set(await startsOf(shared, granularity, signal)),
  };
}

// The parts of stretches whose buckets an earlier stretch has, too.
function sharedStretches(
  stretches: readonly Interval[],
  granularity: Granularity,
): readonly Interval[] {
  let covered = Number.NEGATIVE_INFINITY;
  return stretches
    .toSorted((one, other) => one.start - other.start)
    .flatMap(({ start, end }) => {
      const shared = start < covered ? [{ start, end: Math.min(end, covered) }] : [];
      covered = Math.max(covered, nextBucket(granularity, bucketStart(granularity, end - 1)));
      return shared;
    });
}

async function groupByItems(
  statement: GroupByStatement,
  read: Read,
  { timesAsLong }: NativePrinting,
): Promise<Items> {
  const { sql, fields, asArray } = statement;
  const granularity = parseGranularity(statement.granularity);
  const rows = rowsOf(await read(sql));
  const zone = zoneOf(granularity);
  const cells = fields.map(cellText);
  const event = objectText(fields, 1);
  const list = (row: Row) => {
    const values = cells.map((cell, index) => cell(row[index + 1]));
    return `[${(granularity.type === 'all' ? values : [String(row[0]), ...values]).join(',')}]`;
  };
  const item = (row: Row) =>
    `{"version":"v1","timestamp":${timeText(Number(row[0]), zone, timesAsLong)},"event":${event(row)}}`;
  return (async function* () {
    for await (const row of rows) yield asArray ? list(row) : item(row);
  })();
}

async function windowOperatorItems(
  { sql, fields }: WindowOperatorStatement,
  read: Read,
): Promise<Items> {
  const rows = rowsOf(await read(sql));
  const cells = fields.map(cellText);
  return (async function* () {
    for await (const row of rows)
      yield `[${cells.map((cell, index) => cell(row[index])).join(',')}]`;
  })();
}

// ── scan ─────────────────────────────────────────────────────────────────────────────────────────

// Form of rows that show some of the fields.
interface RowForm {
  readonly columns: string;
  event(row: Row): string;
  signature(types: ScanStatement['nativeTypes']): string;
}

function rowForm(
  fields: readonly ResultField[],
  shown: readonly number[],
  asList: boolean,
): RowForm {
  const parts = shown.flatMap((index) => {
    const field = fields[index];
    if (!field) return [];
    return [{ index, name: JSON.stringify(field.name), cell: cellText(field) }];
  });
  const list = (text: (part: (typeof parts)[number]) => string) => parts.map(text).join(',');
  return {
    columns: `[${list(({ name }) => name)}]`,
    event: asList
      ? (row) => `{${list(({ index, name, cell }) => `${name}:${cell(row[index + 1])}`)}}`
      : (row) => `[${list(({ index, cell }) => cell(row[index + 1]))}]`,
    signature: (types) =>
      `[${list(({ index, name }) => {
        const native = types[index];
        return `{"name":${name}${native === undefined ? '' : `,"type":${JSON.stringify(native)}`}}`;
      })}]`,
  };
}

async function scanItems(statement: ScanStatement, read: Read): Promise<Items> {
  const { steps, fields, nativeTypes, nested, rowsId, asList, batchSize, offset, limit } =
    statement;
  const forms = new Map<readonly number[], RowForm>();
  const all = [...fields.keys()];
  const formIn = (step: ScanStep, segment: number): RowForm => {
    const shown = statement.showsAll ? all : (step.segments[segment]?.fields ?? all);
    const known = forms.get(shown);
    if (known) return known;
    const form = rowForm(fields, shown, asList);
    forms.set(shown, form);
    return form;
  };
  // A segment knows a nested column only if it has a value there.
  const typesIn = async ({ fields: own, nestedValues }: ScanSegment) => {
    if (own === undefined && nestedValues === undefined) return nativeTypes;
    const known = own && new Set(own);
    const [found = []] = nestedValues === undefined ? [] : await rowsIn(read, nestedValues);
    return nativeTypes.map((native, index) => {
      if (known && !known.has(index)) return undefined;
      const at = nested.findIndex((field) => field.index === index);
      return at >= 0 && Number(found[at]) === 0 ? nested[at]?.typeWithout : native;
    });
  };
  const batch = async (step: ScanStep, number: number, events: readonly string[]) => {
    const segment = step.segments[number];
    const { columns, signature } = formIn(step, number);
    const types = segment ? await typesIn(segment) : nativeTypes;
    const id = segment?.id ?? rowsId;
    return `{"segmentId":${id === undefined ? 'null' : JSON.stringify(id)},"columns":${columns},"events":[${events.join(',')}],"rowSignature":${signature(types)}}`;
  };
  const [first, ...others] = steps;
  if (!first) return none;
  const begun = rowsOf(await read(first.sql));
  return (async function* () {
    let skipped = 0;
    let left = limit ?? Number.POSITIVE_INFINITY;
    for (const [index, step] of [first, ...others].entries()) {
      let events: string[] = [];
      let segment = -1;
      let rowsInBatch = 0; // with the rows that the offset skips: the engine makes batches first
      for await (const row of index === 0 ? begun : rowsOf(await read(step.sql))) {
        if (rowsInBatch >= batchSize || row[0] !== segment) {
          if (events.length > 0) yield await batch(step, segment, events);
          events = [];
          rowsInBatch = 0;
          segment = Number(row[0]);
        }
        rowsInBatch++;
        if (skipped < offset) {
          skipped++;
          continue;
        }
        events.push(formIn(step, segment).event(row));
        if (--left <= 0) break;
      }
      if (events.length > 0) yield await batch(step, segment, events);
      if (left <= 0) return;
    }
  })();
}

const none: Items = { [Symbol.asyncIterator]: () => writeList([]) };

// ── search, timeBoundary, dataSourceMetadata ─────────────────────────────────────────────────────

async function searchItems(
  { results, granularity }: SearchStatement,
  read: Read,
  { timesAsLong }: NativePrinting,
): Promise<Items> {
  const text = cellText({ type: varchar });
  const [first, ...others] = results;
  if (!first) return none;
  const begun = await rowsIn(read, first.sql);
  const hitText = ([dimension, value, count]: Row) =>
    `{"dimension":${text(dimension)},"value":${text(value)},"count":${String(count)}}`;
  const zone = zoneOf(parseGranularity(granularity));
  const item = ({ time, isMerged }: SearchResult, rows: readonly Row[]) =>
    `{"timestamp":${timeText(time, isMerged ? zone : utc, timesAsLong)},"result":[${rows.map(hitText).join(',')}]}`;
  return (async function* () {
    yield item(first, begun);
    for (const result of others) yield item(result, await rowsIn(read, result.sql));
  })();
}

async function timeBoundaryItems(
  { sql, bound, time: start }: TimeBoundaryStatement,
  read: Read,
  { timesAsLong }: NativePrinting,
): Promise<Items> {
  const [[first, last] = []] = await rowsIn(read, sql);
  if (first === null || last === null || first === undefined) return writeList([]);
  const time = (ms: unknown) => timeText(Number(ms), utc, timesAsLong);
  const [min, max] = [`"minTime":${time(first)}`, `"maxTime":${time(last)}`];
  const result = bound === 'minTime' ? min : bound === 'maxTime' ? max : `${max},${min}`;
  return writeList([
    `{"timestamp":${time(start ?? (bound === 'maxTime' ? last : first))},"result":{${result}}}`,
  ]);
}

async function dataSourceMetadataItems(
  { sql, time: start }: DataSourceMetadataStatement,
  read: Read,
  { timesAsLong }: NativePrinting,
): Promise<Items> {
  const [[, last] = []] = await rowsIn(read, sql);
  if (last === null || last === undefined) return writeList([]);
  const [at, time] = [start ?? last, last].map((ms) => timeText(Number(ms), utc, timesAsLong));
  return writeList([`{"timestamp":${at},"result":{"maxIngestedEventTime":${time}}}`]);
}

async function* writeList(items: readonly string[]): AsyncGenerator<string> {
  yield* items;
}
