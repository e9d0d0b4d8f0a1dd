// Type of a column that differs between segments: the narrowest type that holds all values (Druid:
// querying/sql-metadata-tables; metadataColumnTypeMergePolicy, default leastRestrictive).
import type { SegmentColumn } from './segment.ts';

/**
 * The columns of a datasource from its segments, the newest segment first: `__time`, the columns of
 * the newest segment in their order, then those of older ones only. A string is multi-valued if any
 * segment has it so. Repeated lists add no cost.
 */
export function unifiedColumns(newestFirst: Iterable<readonly SegmentColumn[]>): SegmentColumn[] {
  const unified = new Map<string, SegmentColumn>([
    ['__time', { name: '__time', type: 'LONG', multiValue: false }],
  ]);
  for (const columns of new Set(newestFirst)) {
    for (const column of columns) {
      const known = unified.get(column.name);
      unified.set(column.name, known ? merge(known, column) : column);
    }
  }
  return [...unified.values()];
}

/**
 * The least restrictive of two native types: nested data holds everything, an array holds its
 * items, a string any number, a DOUBLE any FLOAT, a FLOAT any LONG. Of two unrelated complex types,
 * it is the first.
 */
export function leastRestrictive(a: string, b: string): string {
  if (a === b) return a;
  if (a === json || b === json) return json;
  if (isComplex(a)) return a;
  if (isComplex(b)) return b;
  const [itemA, itemB] = [itemType(a), itemType(b)];
  if (itemA !== undefined || itemB !== undefined)
    return `ARRAY<${leastRestrictive(itemA ?? a, itemB ?? b)}>`;
  return primitives.find((type) => type === a || type === b) ?? 'STRING';
}

/** The type of an array's items; undefined when the type is not an array. */
export const itemType = (type: string): string | undefined => /^ARRAY<(.*)>$/.exec(type)?.[1];

const json = 'COMPLEX<json>';
const isComplex = (type: string) => type.startsWith('COMPLEX');

const primitives = ['STRING', 'DOUBLE', 'FLOAT', 'LONG']; // the widest first

function merge(a: SegmentColumn, b: SegmentColumn): SegmentColumn {
  if (a.type === b.type && a.multiValue === b.multiValue) return a;
  const type = leastRestrictive(a.type, b.type);
  return { name: a.name, type, multiValue: type === 'STRING' && (a.multiValue || b.multiValue) };
}
