// Reindexing: the rows of a datasource as the input of an ingestion (Druid:
// ingestion/input-sources, "Druid input source").
import { unifiedColumns } from '../../model/column-types.ts';
import type { Interval } from '../../model/interval.ts';
import type { SegmentColumn } from '../../model/segment.ts';
import { identifiersOf } from '../../sql/expressions/column-names.ts';
import type { SpecFields, SpecValues } from '../checks/spec-fields.ts';
import { segmentScan } from '../engine/segment-scan.ts';
import type { Session } from '../engine/session.ts';
import type { SegmentStore } from '../storage/segment-store.ts';
import type { RawField, RawRows, WantedFields } from './raw-rows.ts';
import { storedCondition, storedField } from './stored-rows.ts';
import { filterIn } from './transforms.ts';

export interface StoredSource {
  readonly type: 'druid';
  readonly dataSource: string;
  readonly interval: Interval;
  readonly filter: SpecValues | undefined;
}

/**
 * Reads the fields of an input source of type druid; throws a Refusal that names the invalid field.
 * Its dimensions and metrics select nothing (Druid: DruidInputSource keeps them for older tasks).
 */
export function parseStoredSource(fields: SpecFields): StoredSource {
  if (fields.has('segments')) fields.refuse('single segments cannot be selected. Give an interval');
  for (const name of ['dimensions', 'metrics']) fields.optionalTexts(name);
  return {
    type: 'druid',
    dataSource: fields.text('dataSource'),
    interval: fields.interval('interval'),
    filter: filterIn(fields),
  };
}

export interface StoredRowsParts {
  readonly session: Session;
  readonly segments: SegmentStore;
  readonly nowMs: number;
}

/** Stored rows as raw rows. */
export interface StagedStoredRows {
  readonly raw: RawRows;
  readonly sizeBytes: number; // of their segments
  readonly segmentCount: number;
}

/**
 * Copies the rows of a datasource into a temporary table, one column per field, or defines a view
 * of them, for a caller that holds the segments. Throws SqlError for a filter that cannot be
 * evaluated.
 */
export async function stageStoredRows(
  { dataSource, interval, filter }: StoredSource,
  table: string,
  { names, discover, maxRows, asView }: WantedFields,
  { session, segments, nowMs }: StoredRowsParts,
): Promise<StagedStoredRows> {
  const letGo = segments.hold();
  try {
    const visible = segments.timeline(dataSource).visible([interval]);
    const records = visible.map(({ segment }) => segment);
    const newestFirst = [...records].sort((a, b) =>
      a.version < b.version ? 1 : a.version > b.version ? -1 : b.interval.start - a.interval.start,
    );
    const stored = unifiedColumns(newestFirst.map(({ columns }) => columns));
    const isWanted = ({ name }: SegmentColumn) => discover || names.includes(name);
    const own = identifiersOf(stored);
    const columns = stored.filter(isWanted).map((column, index) => ({
      field: storedField(column, own(column.name)),
      name: `f${index}`,
    }));
    const values =
      columns.map(({ field, name }) => `${field.sql} AS ${name}`).join(', ') || 'NULL AS f0';
    const scan = segmentScan(visible, stored, segments);
    const inside = `"__time" >= ${interval.start} AND "__time" < ${interval.end}`;
    const limit = maxRows === undefined ? '' : ` LIMIT ${maxRows}`;
    await session.run(
      `CREATE TEMP ${asView ? 'VIEW' : 'TABLE'} ${table} AS SELECT ${values} FROM ${scan} WHERE ${inside} AND ${storedCondition(filter, stored, nowMs)}${limit}`,
    );
    const fields = columns.map(({ field, name }): [string, RawField] => [
      field.name,
      { ...field, sql: name },
    ]);
    return {
      raw: {
        table,
        ...(asView && { isView: true }),
        fields: new Map(fields),
        found: fields.map(([name]) => name),
        badLine: undefined,
        listDelimiter: undefined,
        parseNumbers: false,
        positioned: false,
        skip: 0,
      },
      sizeBytes: records.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      segmentCount: records.length,
    };
  } finally {
    letGo();
  }
}
