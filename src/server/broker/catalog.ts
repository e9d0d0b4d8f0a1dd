// Catalog of queries: served datasources, lookups, and system tables.
import type { Interval } from '../../model/interval.ts';
import type { SegmentIngestion } from '../../model/segment.ts';
import type { Catalog, Scan, Table, TableColumn, TimeRange, Wanted } from '../../sql/catalog.ts';
import type { LookupFile } from '../storage/lookup-files.ts';
import { inlineRelation } from './inline-relation.ts';
import { lookupRelation } from './lookup-relation.ts';
import { rowsOfCells, type SystemTable } from './system-table.ts';

/** The Broker's knowledge of the data, as far as one caller may see it. */
export interface CatalogSource {
  /**
   * A datasource's columns in the order of `SELECT *`; undefined when none of its data is served.
   */
  findColumns(dataSource: string): readonly TableColumn[] | undefined;
  /** A DuckDB relation over the served segments. */
  scan(dataSource: string, wanted: Wanted): Scan;
  /** The served segments one by one, ascending by time. */
  segments(
    dataSource: string,
    intervals: readonly TimeRange[] | undefined,
  ): readonly CatalogSegment[];
  /** The pairs of a lookup; those of a large lookup are in a file. */
  findLookup(
    name: string,
  ): LookupFile | readonly (readonly [key: string, value: string | null])[] | undefined;
  /** As `stampOf` of the catalog. */
  stampOf(dataSource: string): readonly unknown[] | undefined;
  readonly systemTables: readonly SystemTable[];
}

export interface CatalogSegment {
  readonly id: string;
  readonly interval: Interval;
  readonly ingestion: SegmentIngestion | undefined;
  scan(columns: readonly string[]): Scan;
}

/** Names are case-sensitive; a name without a schema is a datasource. */
export function createCatalog(source: CatalogSource): Catalog {
  return {
    findTable(schema, name) {
      if (schema === undefined || schema === 'druid') return datasourceTable(source, name);
      if (schema === 'lookup') return lookupTable(source, name);
      const table = source.systemTables.find(
        (candidate) => candidate.schema === schema && candidate.name === name,
      );
      return table && systemTable(table);
    },
    findLookup: (name) => lookupTable(source, name)?.scan({ columns: ['k', 'v'] }).sql,
    stampOf: (dataSource) => source.stampOf(dataSource),
  };
}

function datasourceTable(source: CatalogSource, name: string): Table | undefined {
  const columns = source.findColumns(name);
  return (
    columns && {
      schema: 'druid',
      name,
      kind: 'datasource',
      columns,
      scan: (wanted) => source.scan(name, wanted),
      segments: (intervals) =>
        source
          .segments(name, intervals)
          .map((segment) => ({ ...segment, scan: (wanted) => segment.scan(wanted.columns) })),
    }
  );
}

function lookupTable(source: CatalogSource, name: string): Table | undefined {
  const pairs = source.findLookup(name);
  const columns = ['k', 'v'].map((column) => ({ name: column, type: 'STRING', multiValue: false }));
  return (
    pairs && {
      schema: 'lookup',
      name,
      kind: 'lookup',
      columns,
      scan: (wanted) =>
        scanWithoutFiles(
          'path' in pairs
            ? lookupRelation(pairs, wanted.columns)
            : inlineRelation(columns, rowsOfCells(columns, pairs), wanted.columns),
        ),
    }
  );
}

const systemTable = ({ schema, name, columns, rows }: SystemTable): Table => ({
  schema,
  name,
  kind: schema === 'sys' ? 'system' : 'information',
  columns,
  scan: (wanted) => scanWithoutFiles(inlineRelation(columns, rows(), wanted.columns)),
});

const scanWithoutFiles = (sql: string): Scan => ({ sql, files: [] });
