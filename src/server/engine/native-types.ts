// Storage of Druid's types in DuckDB: times are milliseconds, a multi-value string is a list.
import { itemType } from '../../model/column-types.ts';
import type { SegmentColumn } from '../../model/segment.ts';

/** The DuckDB type of a column. */
export function duckdbTypeOf({
  type,
  multiValue,
}: Pick<SegmentColumn, 'type' | 'multiValue'>): string {
  if (multiValue) return 'VARCHAR[]';
  const item = itemType(type);
  if (item !== undefined) return `${duckdbTypeOf({ type: item, multiValue: false })}[]`;
  return duckdbTypes[type] ?? (type.startsWith('COMPLEX<serializablePair') ? 'JSON' : 'BLOB'); // other complex values are their bytes
}

const duckdbTypes: Readonly<Record<string, string>> = {
  STRING: 'VARCHAR',
  LONG: 'BIGINT',
  FLOAT: 'FLOAT',
  DOUBLE: 'DOUBLE',
  'COMPLEX<json>': 'JSON',
};

// Macros that serialize a sketch from the list of its values, the form that older versions stored.
const sketchesOfLists: Readonly<Record<string, string>> = {
  'COMPLEX<HLLSketch>': 'druid_hll_of_texts',
  'COMPLEX<thetaSketch>': 'druid_theta_of_texts',
  'COMPLEX<quantilesDoublesSketch>': 'druid_doubles_of_list',
};

/** A column in the current storage format: sketches are serialized. */
export const serialize = (column: SegmentColumn): SegmentColumn =>
  Object.hasOwn(sketchesOfLists, column.type) ? { ...column, isSerialized: true } : column;

/** The SQL text that reads a stored column; sketches of older versions become bytes. */
export function storedText(name: string, { type, isSerialized }: SegmentColumn): string {
  const convert = isSerialized ? undefined : sketchesOfLists[type];
  return convert === undefined ? name : `${convert}(${name})`;
}
