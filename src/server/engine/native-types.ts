// How the service's native types are kept in DuckDB: times are milliseconds, a multi-value string is a list.
import { itemType } from '../../model/column-types.ts';
import type { SegmentColumn } from '../../model/segment.ts';

/** The DuckDB type of a column. */
export function duckdbTypeOf({ type, multiValue }: Pick<SegmentColumn, 'type' | 'multiValue'>): string {
  if (multiValue) return 'VARCHAR[]';
  const item = itemType(type);
  if (item !== undefined) return `${duckdbTypeOf({ type: item, multiValue: false })}[]`;
  return duckdbTypes[type] ?? 'BLOB'; // other complex values are their bytes
}

const duckdbTypes: Readonly<Record<string, string>> = {
  STRING: 'VARCHAR',
  LONG: 'BIGINT',
  FLOAT: 'FLOAT',
  DOUBLE: 'DOUBLE',
  'COMPLEX<json>': 'JSON',
  // A sketch is the values it has seen.
  'COMPLEX<HLLSketch>': 'VARCHAR[]',
  'COMPLEX<thetaSketch>': 'VARCHAR[]',
  'COMPLEX<quantilesDoublesSketch>': 'DOUBLE[]',
};
