// Conversion of engine values to Avatica values by column (Druid: SqlResults.coerce).
import { instantOf } from '../../../model/instant.ts';
import type { TimeZone } from '../../../model/period.ts';
import type { OutputColumn } from '../../../sql/statement.ts';
import { isJson, nativeTypeOf, type SqlType } from '../../../sql/types.ts';
import { complexText, low32, multiValueText, truth } from '../../statements/result-writer.ts';
import type { JdbcCell, JdbcKind } from './rows.ts';

export interface ColumnCells {
  readonly kind: JdbcKind;
  /** Converts a value to a cell. Times are wall-clock times of the zone, represented as UTC. */
  readonly cell: (value: unknown) => JdbcCell;
}

/** Conversion of a column's values. */
export function columnCells({ type }: OutputColumn, zone: TimeZone): ColumnCells {
  const { kind, cell } = cellsOf(type, zone);
  return { kind, cell: (value) => (value === null || value === undefined ? null : cell(value)) };
}

function cellsOf(type: SqlType, zone: TimeZone): ColumnCells {
  switch (type.name) {
    case 'TIMESTAMP':
      return { kind: 'long', cell: (value) => localMs(value, zone) };
    case 'DATE':
      return { kind: 'integer', cell: (value) => Math.floor(Number(localMs(value, zone)) / dayMs) };
    case 'BOOLEAN':
      return { kind: 'boolean', cell: truth };
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
      return { kind: 'integer', cell: low32 };
    case 'BIGINT':
      return { kind: 'long', cell: (value) => (typeof value === 'bigint' ? value : Number(value)) };
    case 'FLOAT':
      return { kind: 'float', cell: (value) => Math.fround(Number(value)) };
    case 'REAL':
    case 'DOUBLE':
    case 'DECIMAL':
      return { kind: 'double', cell: Number };
    case 'OTHER':
      return { kind: 'string', cell: complexText };
    case 'ARRAY':
      return arrayCells(type);
    default:
      return {
        kind: 'string',
        cell: (value) => (Array.isArray(value) ? textOfSeveral(value) : String(value)),
      };
  }
}

const dayMs = 86_400_000;

function localMs(value: unknown, zone: TimeZone): number | bigint {
  if (typeof value === 'bigint') return value + BigInt(zone.offsetMs(Number(value)));
  const ms = Number(value);
  return ms + zone.offsetMs(instantOf(ms));
}

// A single value is not a list, even when it is null.
const textOfSeveral = (values: readonly unknown[]): JdbcCell =>
  values.length === 1 && (values[0] ?? null) === null ? null : multiValueText(values);

// Items are the engine's own values: booleans are 1 or 0, times are milliseconds since 1970.
function arrayCells({ element = { name: 'VARCHAR' } }: SqlType): ColumnCells {
  const items = itemCells(element);
  const cell = (value: unknown): JdbcCell =>
    value === null || value === undefined ? null : items.cell(value);
  return {
    kind: { items: items.kind },
    cell: (value) => (Array.isArray(value) ? value.map(cell) : [cell(value)]),
  };
}

function itemCells(type: SqlType): ColumnCells {
  if (type.name === 'ARRAY') return arrayCells(type);
  if (isJson(type)) return { kind: 'string', cell: complexText };
  switch (nativeTypeOf(type)) {
    case 'LONG':
      return { kind: 'long', cell: (value) => (typeof value === 'bigint' ? value : Number(value)) };
    case 'FLOAT':
    case 'DOUBLE':
      return { kind: 'double', cell: Number };
    default:
      return { kind: 'string', cell: String };
  }
}
