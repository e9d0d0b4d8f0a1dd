// Data source of the catalog: segments, lookups and the state of the service.

import { unifiedColumns } from '../../model/column-types.ts';
import type { LackedByVersion } from '../../model/engine-version.ts';
import { eternity, type Interval, sameInterval } from '../../model/interval.ts';
import type { SegmentColumn } from '../../model/segment.ts';
import type { VisibleSegment } from '../../model/timeline.ts';
import type { NewestRows, Scan, TableColumn, TimeRange } from '../../sql/catalog.ts';
import { haveStarts, startUnitOf } from '../../sql/expressions/time-starts.ts';
import { markedColumnOf } from '../../sql/expressions/unique-marks.ts';
import type {
  ListedProperty,
  ListedSegment,
  ListedServer,
  ListedSupervisor,
} from '../cluster/listed.ts';
import {
  type MarksColumn,
  type SegmentRows,
  type StartsColumn,
  segmentScan,
} from '../engine/segment-scan.ts';
import type { SegmentCache } from '../segment-cache/segment-cache.ts';
import type { RealtimeRows } from '../segments/realtime-rows.ts';
import type { ReadableSegments } from '../segments/served-segments.ts';
import { defaultLookupTier, listLookupNames, pairsOfLookup } from '../storage/lookups.ts';
import type { SegmentRecord } from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import { listTasks } from '../storage/tasks.ts';
import type { CatalogSource } from './catalog.ts';
import {
  type Described,
  type DescribedTable,
  informationSchema,
  type Routine,
} from './information-schema.ts';
import { type SystemState, sysTables } from './sys-tables.ts';
import { type SystemTable, withoutColumns } from './system-table.ts';
import { statisticsIn } from './table-statistics.ts';

export interface ServedDataSettings {
  readonly storage: Storage;
  readonly served: ReadableSegments;
  readonly realtime: RealtimeRows; // unpublished rows of streams
  // Read in place of files
  readonly segmentCache?: Pick<SegmentCache, 'placeOf' | 'revision' | 'statisticsOf'>;
  readonly scansRealtime?: boolean; // false: their columns are known, but their rows are not read
  readonly routines: () => readonly Routine[];
  readonly servers: () => readonly ListedServer[];
  readonly supervisors: () => readonly ListedSupervisor[];
  readonly serverProperties: () => readonly ListedProperty[];
  readonly lacked: LackedByVersion; // tables and columns of the schema sys that the version lacks
}

/** The catalog's source over the served data of one service. */
export function servedData(settings: ServedDataSettings): CatalogSource {
  const { storage, served, realtime, scansRealtime = true } = settings;
  const { metadata } = storage;
  const scanOf = (
    segments: readonly ReadableSegment[],
    columns: readonly SegmentColumn[],
    names: readonly string[],
  ) => scanOfSegments(segments, columns, names, settings.segmentCache?.placeOf);
  const columnsOf = (dataSource: string) => findColumns(served, realtime, dataSource);
  // Published segments, followed by unpublished rows.
  const visibleIn = (
    dataSource: string,
    intervals: readonly Interval[] | undefined,
  ): ReadableSegment[] => [
    ...served
      .of(dataSource, intervals)
      .map((visible) => ({ ...visible, file: storage.segments.fileOf(visible.segment) })),
    ...(scansRealtime ? realtime.visibleSegments(dataSource, intervals) : []).map((visible) => ({
      ...visible,
      file: visible.segment.path,
    })),
  ];
  return {
    systemTables: listSystemTables(settings),
    findColumns: (dataSource) => {
      const columns = columnsOf(dataSource);
      const segments = [...realtime.visibleSegments(dataSource), ...served.of(dataSource)];
      const time = {
        timeRange: timeRangeOf(segments),
        newest: newestRowsOf(served.of(dataSource)),
      };
      const tableRows = segments.reduce((sum, { segment }) => sum + segment.numRows, 0);
      const { segmentCache } = settings;
      if (!columns) return undefined;
      const known = tableColumns(columns, time, tableRows);
      if (!segmentCache || segments.length === 0) return known;
      const statisticsOf = statisticsIn(
        segments.map(({ segment }) => segment),
        columns,
        segmentCache.statisticsOf,
      );
      return known.map((column) => {
        const statistics = statisticsOf(column.name);
        return statistics ? { ...column, statistics } : column;
      });
    },
    scan(dataSource, { columns, intervals, isNewestFirst }) {
      const segments = visibleIn(dataSource, intervals?.map(intervalOf));
      if (isNewestFirst) segments.reverse();
      return scanOf(segments, columnsOf(dataSource) ?? [], columns);
    },
    segments(dataSource, ranges) {
      const columns = columnsOf(dataSource) ?? [];
      return visibleIn(dataSource, ranges?.map(intervalOf)).map((readable) => ({
        id: readable.segment.id,
        interval: readable.segment.interval,
        ingestion: readable.segment.ingestion,
        scan: (names) => scanOf([readable], columns, names),
      }));
    },
    stampOf(dataSource) {
      const stamp = served.stampOf?.(dataSource);
      return stamp && realtime.visibleSegments(dataSource).length === 0
        ? [...stamp, settings.segmentCache?.revision]
        : undefined;
    },
    findLookup: (name) =>
      storage.lookupFiles.find(name) ?? pairsOfLookup(metadata, { tier: defaultLookupTier, name }),
  };
}

function findColumns(
  served: ReadableSegments,
  realtime: RealtimeRows,
  dataSource: string,
): SegmentColumn[] | undefined {
  const segments = [
    ...realtime.visibleSegments(dataSource),
    ...served.of(dataSource).reverse(),
  ].map(({ segment }) => segment);
  if (segments.length === 0) return undefined;
  return unifiedColumns(segments.map(({ columns }) => columns));
}

function scanOfSegments(
  segments: readonly ReadableSegment[],
  columns: readonly SegmentColumn[],
  names: readonly string[],
  placeOf: SegmentRows['placeOf'],
): Scan {
  const known = new Map(columns.map((column) => [column.name, column]));
  const wanted = names.flatMap(
    (name) => known.get(name) ?? startsNamed(name) ?? marksNamed(name) ?? [],
  );
  const files = new Map(segments.map(({ segment, file }) => [segment, file]));
  return {
    sql: segmentScan(
      segments,
      wanted,
      { fileOf: (segment) => files.get(segment), ...(placeOf && { placeOf }) },
      columns,
    ),
    files: [...files.values()].filter((file) => file !== undefined),
    numRows: segments.reduce((sum, { segment }) => sum + segment.numRows, 0),
  };
}

function startsNamed(name: string): StartsColumn | undefined {
  const startOf = startUnitOf(name);
  return startOf && { name, type: 'LONG', multiValue: false, startOf };
}

function marksNamed(name: string): MarksColumn | undefined {
  const marksOf = markedColumnOf(name);
  return marksOf === undefined ? undefined : { name, type: 'LONG', multiValue: false, marksOf };
}

// Tables of the schemas sys and INFORMATION_SCHEMA.
function listSystemTables(settings: ServedDataSettings): readonly SystemTable[] {
  const { storage, served, realtime, routines, lacked } = settings;
  const dataSources = () =>
    [...new Set([...served.dataSources(), ...realtime.dataSources()])].sort();
  const describeTables = (): Described => ({
    routines: routines(),
    tables: [
      ...dataSources().map((name) => ({
        ...table('druid', name, tableColumns(findColumns(served, realtime, name) ?? [])),
        broadcast: served.broadcast(name).length > 0,
      })),
      ...listLookupNames(storage.metadata, defaultLookupTier).map(({ name }) => ({
        ...table('lookup', name, lookupColumns),
        joinable: true,
        broadcast: true,
      })),
      ...systemTables.map(({ schema, name, columns }) => table(schema, name, columns)),
    ],
  });
  const sys = sysTables(systemStateOf(settings))
    .filter(({ name }) => !lacked.tables.has(name))
    .map((sysTable) =>
      withoutColumns(sysTable, (column) => lacked.columns.has(`${sysTable.name}.${column}`)),
    );
  const systemTables: readonly SystemTable[] = [...sys, ...informationSchema(describeTables)];
  return systemTables;
}

function systemStateOf(settings: ServedDataSettings): SystemState {
  const { storage, served, realtime, servers, supervisors, serverProperties } = settings;
  const listHeldBy = (type: string, dataSource: string) => {
    if (type === 'historical') return served.of(dataSource);
    return type === 'broker' ? served.broadcast(dataSource) : [];
  };
  return {
    segments: () => [
      ...served.dataSources().flatMap((name) => listPublished(storage, served, name)),
      ...realtime.dataSources().flatMap((name) => listRealtime(realtime, name)),
    ],
    servers,
    serverSegments: () =>
      servers().flatMap(({ server, type }) =>
        served
          .dataSources()
          .flatMap((name) =>
            listHeldBy(type, name).map(({ segment }) => ({ server, segmentId: segment.id })),
          ),
      ),
    tasks: () => listTasks(storage.metadata),
    supervisors,
    serverProperties,
  };
}

function listPublished(
  storage: Storage,
  served: ReadableSegments,
  dataSource: string,
): ListedSegment[] {
  const timeline = storage.segments.timeline(dataSource);
  const loaded = new Set(served.of(dataSource).map(({ segment }) => segment));
  return storage.segments.listUsed(dataSource).map((record) => {
    const isServed = loaded.has(record);
    return {
      record,
      isOvershadowed: timeline.isOvershadowed(record),
      isServed,
      replicationFactor: isServed ? 1 : 0,
    };
  });
}

const listRealtime = (realtime: RealtimeRows, dataSource: string): ListedSegment[] =>
  realtime.segments(dataSource).map((record) => ({
    record,
    isOvershadowed: false,
    isRealtime: true,
    isServed: true,
    replicationFactor: -1,
  }));

function timeRangeOf(
  segments: readonly { readonly segment: { readonly interval: Interval } }[],
): TimeRange {
  let { start, end } = { start: eternity.end, end: eternity.start };
  for (const { segment } of segments) {
    start = Math.min(start, segment.interval.start);
    end = Math.max(end, segment.interval.end);
  }
  return { startMs: BigInt(start), endMs: BigInt(end) };
}

// The number of rows since the start of each of the newest time chunks. A segment that is partly
// hidden counts as empty. The segments ascend by time.
function newestRowsOf(segments: readonly VisibleSegment<SegmentRecord>[]): readonly NewestRows[] {
  const newest: NewestRows[] = [];
  let numRows = 0n;
  for (let at = segments.length - 1; at >= 0 && newest.length <= mostSteps; at--) {
    const visible = segments[at];
    if (!visible) continue;
    const { segment, intervals } = visible;
    const [first, ...more] = intervals;
    const isWhole = first && more.length === 0 && sameInterval(first, segment.interval);
    if (isWhole) numRows += BigInt(segment.numRows);
    const sinceMs = BigInt(segment.interval.start);
    if (newest.at(-1)?.sinceMs === sinceMs) newest.pop();
    newest.push({ sinceMs, numRows });
  }
  return newest;
}

const mostSteps = 50;

type ReadableSegment = VisibleSegment<SegmentRecord> & { readonly file: string | undefined };

const lookupColumns: readonly TableColumn[] = ['k', 'v'].map((name) => ({
  name,
  type: 'STRING',
  multiValue: false,
}));

const table = (schema: string, name: string, columns: readonly TableColumn[]): DescribedTable => ({
  schema,
  name,
  columns,
  joinable: false,
  broadcast: false,
});

const tableColumns = (
  columns: readonly SegmentColumn[],
  time: Pick<TableColumn, 'timeRange' | 'newest'> = {},
  tableRows = 0,
): TableColumn[] =>
  columns.map((column) =>
    column.name === '__time'
      ? {
          ...column,
          sqlType: 'TIMESTAMP',
          nullable: false,
          tableRows,
          ...time,
          ...(haveStarts(columns) && { hasStarts: true as const }),
        }
      : { ...column, tableRows },
  );

const intervalOf = ({ startMs, endMs }: TimeRange): Interval => ({
  start: startMs === undefined ? eternity.start : Math.max(eternity.start, Number(startMs)),
  end: endMs === undefined ? eternity.end : Math.min(eternity.end, Number(endMs)),
});
