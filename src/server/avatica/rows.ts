// Rows of a frame: values as the real engine hands them to Avatica (Druid: SqlResults.coerce), written as JSON and as Protocol Buffers.
import { doubleText, floatText } from '../../model/java-text.ts';
import { formatJson, JsonText } from '../../model/json.ts';
import { representations } from './representations.ts';
import { type Writer, wireTypes } from './wire.ts';

/** The Java class of the values of a column. */
export type Kind = 'boolean' | 'double' | 'float' | 'integer' | 'long' | 'string' | { readonly items: Kind };

/** A value of a kind. */
export type Cell = null | boolean | number | bigint | string | readonly Cell[];

/** Rows, with the kinds of their columns. */
export interface Rows {
  readonly kinds: readonly Kind[];
  readonly cells: readonly (readonly Cell[])[];
}

// ── JSON ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Rows as JSON: a list of lists. */
export const rowsText = ({ kinds, cells }: Rows): JsonText =>
  new JsonText(`[${cells.map((row) => `[${row.map((cell, at) => cellText(cell, kinds[at] ?? 'string')).join(',')}]`).join(',')}]`);

function cellText(cell: Cell, kind: Kind): string {
  if (cell === null) return 'null';
  if (Array.isArray(cell)) {
    const items = itemsOf(kind);
    return `[${cell.map((item) => cellText(item, items)).join(',')}]`;
  }
  if (kind === 'double' || kind === 'float') {
    const text = kind === 'double' ? doubleText(Number(cell)) : floatText(Number(cell));
    return Number.isFinite(cell) ? text : `"${text}"`;
  }
  return typeof cell === 'string' ? JSON.stringify(cell) : typeof cell === 'bigint' ? String(cell) : formatJson(cell);
}

const itemsOf = (kind: Kind): Kind => (typeof kind === 'object' ? kind.items : kind);

// ── Protocol Buffers ───────────────────────────────────────────────────────────────────────────────────────────────────

// Of Row: value = 1. Of ColumnValue: value = 1 (of old clients), array_value = 2, has_array_value = 3, scalar_value = 4.
/** Writes rows as repeated messages, from the last to the first. */
export function writeRows(writer: Writer, number: number, rows: unknown): void {
  const { kinds, cells } = rows as Rows;
  for (const row of cells.toReversed()) {
    writer.nested(number, () => {
      for (let at = row.length - 1; at >= 0; at--) writeColumn(writer, row[at] ?? null, kinds[at] ?? 'string');
    });
  }
}

function writeColumn(writer: Writer, cell: Cell, kind: Kind): void {
  writer.nested(1, () => {
    if (!Array.isArray(cell)) {
      writeTyped(writer, 4, cell, kind);
      writeTyped(writer, 1, cell, kind);
      return;
    }
    writer.varint(1);
    writer.tag(3, wireTypes.varint);
    for (const number of [2, 1]) for (const item of cell.toReversed()) writeTyped(writer, number, item, itemsOf(kind));
  });
}

function writeTyped(writer: Writer, number: number, cell: Cell, kind: Kind): void {
  writer.nested(number, () => writeContent(writer, cell, kind));
}

// The fields of TypedValue, from the last to the first.
function writeContent(writer: Writer, cell: Cell, kind: Kind): void {
  if (Array.isArray(cell)) {
    const items = itemsOf(kind);
    writeRepresentation(writer, 9, cell[0] === undefined || cell[0] === null ? 'OBJECT' : representationOf(items));
    for (const item of cell.toReversed()) writeTyped(writer, 8, item, items);
  } else if (cell === null) {
    writer.varint(1);
    writer.tag(7, wireTypes.varint);
  } else if (kind === 'double') {
    if (!Object.is(cell, 0)) {
      writer.double(Number(cell));
      writer.tag(6, wireTypes.fixed64);
    }
  } else if (typeof cell === 'string') {
    if (cell !== '') {
      writer.text(cell);
      writer.tag(3, wireTypes.bytes);
    }
  } else if (typeof cell === 'boolean') {
    if (cell) {
      writer.varint(1);
      writer.tag(2, wireTypes.varint);
    }
  } else {
    const value = kind === 'float' ? floatBits(Number(cell)) : (cell as number | bigint);
    if (value !== 0) {
      writer.zigzag(value);
      writer.tag(4, wireTypes.varint);
    }
  }
  writeRepresentation(writer, 1, cell === null ? 'NULL' : Array.isArray(cell) ? 'ARRAY' : representationOf(kind));
}

function writeRepresentation(writer: Writer, number: number, name: string): void {
  writer.varint(representations.numbers[name] ?? 0);
  writer.tag(number, wireTypes.varint);
}

const representationOf = (kind: Kind): string => (typeof kind === 'object' ? 'ARRAY' : kind.toUpperCase());

function floatBits(value: number): number {
  float.setFloat32(0, value);
  return float.getInt32(0);
}

const float = new DataView(new ArrayBuffer(4));
