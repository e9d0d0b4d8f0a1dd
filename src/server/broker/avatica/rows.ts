// Rows of a frame: values as the real engine passes them to Avatica (Druid: SqlResults.coerce),
// written as JSON and as Protocol Buffers.
import { doubleText, floatText } from '../../../model/java-text.ts';
import { formatJson, JsonText } from '../../../model/json.ts';
import { representations } from './representations.ts';
import { long, type Writer, wireTypes, writeNested, writeTag } from './wire.ts';

/** Java class of a column's values. */
export type JdbcKind =
  | 'boolean'
  | 'double'
  | 'float'
  | 'integer'
  | 'long'
  | 'string'
  | { readonly items: JdbcKind };

/** A value of a kind. */
export type JdbcCell = null | boolean | number | bigint | string | readonly JdbcCell[];

/** Rows, with the kinds of their columns. */
export interface JdbcRows {
  readonly kinds: readonly JdbcKind[];
  readonly cells: readonly (readonly JdbcCell[])[];
}

// ── JSON ─────────────────────────────────────────────────────────────────────────────────────────

/** Rows as JSON: a list of lists. */
export const rowsText = ({ kinds, cells }: JdbcRows): JsonText =>
  new JsonText(
    `[${cells.map((row) => `[${row.map((cell, at) => cellText(cell, kinds[at] ?? 'string')).join(',')}]`).join(',')}]`,
  );

function cellText(cell: JdbcCell, kind: JdbcKind): string {
  if (cell === null) return 'null';
  if (Array.isArray(cell)) {
    const items = itemsOf(kind);
    return `[${cell.map((item) => cellText(item, items)).join(',')}]`;
  }
  if (kind === 'double' || kind === 'float') {
    const text = kind === 'double' ? doubleText(Number(cell)) : floatText(Number(cell));
    return Number.isFinite(cell) ? text : `"${text}"`;
  }
  return typeof cell === 'string'
    ? JSON.stringify(cell)
    : typeof cell === 'bigint'
      ? String(cell)
      : formatJson(cell);
}

const itemsOf = (kind: JdbcKind): JdbcKind => (typeof kind === 'object' ? kind.items : kind);

// ── Protocol Buffers ─────────────────────────────────────────────────────────────────────────────

// Row: value = 1. ColumnValue: value = 1 (for old clients), array_value = 2, has_array_value = 3,
// scalar_value = 4.
/** Writes rows as repeated messages. */
export function writeRows(writer: Writer, number: number, rows: unknown): void {
  const { kinds, cells } = rows as JdbcRows;
  for (const row of cells) {
    writeNested(writer, number, () => {
      for (const [at, cell] of row.entries())
        writeColumn(writer, cell ?? null, kinds[at] ?? 'string');
    });
  }
}

function writeColumn(writer: Writer, cell: JdbcCell, kind: JdbcKind): void {
  writeNested(writer, 1, () => {
    if (!Array.isArray(cell)) {
      writeTyped(writer, 1, cell, kind);
      writeTyped(writer, 4, cell, kind);
      return;
    }
    for (const number of [1, 2])
      for (const item of cell) writeTyped(writer, number, item, itemsOf(kind));
    writeTag(writer, 3, wireTypes.varint).bool(true);
  });
}

function writeTyped(writer: Writer, number: number, cell: JdbcCell, kind: JdbcKind): void {
  writeNested(writer, number, () => writeContent(writer, cell, kind));
}

// The fields of TypedValue.
function writeContent(writer: Writer, cell: JdbcCell, kind: JdbcKind): void {
  writeRepresentation(
    writer,
    1,
    cell === null ? 'NULL' : Array.isArray(cell) ? 'ARRAY' : representationOf(kind),
  );
  if (Array.isArray(cell)) {
    const items = itemsOf(kind);
    for (const item of cell) writeTyped(writer, 8, item, items);
    writeRepresentation(
      writer,
      9,
      cell[0] === undefined || cell[0] === null ? 'OBJECT' : representationOf(items),
    );
  } else if (cell === null) {
    writeTag(writer, 7, wireTypes.varint).bool(true);
  } else if (kind === 'double') {
    if (!Object.is(cell, 0)) writeTag(writer, 6, wireTypes.fixed64).double(Number(cell));
  } else if (typeof cell === 'string') {
    if (cell !== '') writeTag(writer, 3, wireTypes.bytes).string(cell.toWellFormed());
  } else if (typeof cell === 'boolean') {
    if (cell) writeTag(writer, 2, wireTypes.varint).bool(true);
  } else {
    const value = kind === 'float' ? floatBits(Number(cell)) : (cell as number | bigint);
    if (value !== 0) writeTag(writer, 4, wireTypes.varint).sint64(long(value));
  }
}

function writeRepresentation(writer: Writer, number: number, name: string): void {
  writeTag(writer, number, wireTypes.varint).uint32(representations.numbers[name] ?? 0);
}

const representationOf = (kind: JdbcKind): string =>
  typeof kind === 'object' ? 'ARRAY' : kind.toUpperCase();

function floatBits(value: number): number {
  float.setFloat32(0, value);
  return float.getInt32(0);
}

const float = new DataView(new ArrayBuffer(4));
