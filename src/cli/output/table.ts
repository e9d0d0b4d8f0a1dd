// Tables for people, written in blocks so that a long list appears while it arrives.

import { visibleLine } from '../../model/visible-text.ts';
import { type Cell, type Column, type Columns, cellText } from '../lists/columns.ts';
import { cut, widthOf } from '../terminal/width.ts';
import { type ColumnFit, fitColumns } from './fit-columns.ts';
import { groupDigits, isAmount, mayBeAmount } from './group-digits.ts';
import type { Painter } from './painter.ts';

export interface TableLook {
  readonly paintState?: Painter['state']; // states are plain without it
  readonly header: boolean;
  readonly width?: number; // of the terminal; nothing is cut without one
  readonly cut?: string; // the sign for a cut
  readonly now?: number; // the reference for relative times
  readonly isExact?: boolean; // times with their age, instead of the age alone
  readonly groups?: boolean; // numbers with thousands separators
  readonly mayGiveWay?: boolean; // columns without room are left out
  readonly left?: (names: readonly string[]) => void; // receives the omitted columns
}

const mostSmallRows = 60; // a screenful

/** The text of a small table of ASCII, whose cells are padded to these widths. */
export type SmallTable = (
  widths: readonly number[],
  lines: readonly (readonly string[])[],
) => string;

export interface TableWriter<T> {
  write(rows: readonly T[]): string;
  /** The places of the shown columns; none before the first block. */
  places(): readonly TablePlace[];
  /** The padded text of one value in a place; undefined when its column must become wider. */
  cell(place: number, row: T): string | undefined;
}

export interface TablePlace {
  readonly at: number; // the place of the value in its row
  readonly width: number;
  readonly isRight: boolean;
  readonly isGrouped: boolean; // numbers have thousands separators
}

/**
 * Formats one block of rows per call. The first block sets the column widths; later blocks widen
 * them only for values that would not fit: on a terminal for numbers, which are never cut, and
 * elsewhere for all values. `small` writes a first block that is small.
 */
export function tableWriter<T>(
  columns: Columns<T>,
  look: TableLook,
  small?: SmallTable,
): TableWriter<T> {
  const { header, width, mayGiveWay = false, left } = look;
  let layout: readonly Placed<T>[] | undefined;

  const write = (rows: readonly T[]) => {
    const isFirst = layout === undefined;
    const blocks = (
      layout ?? columns.map((column, at) => ({ column, at, width: 0, isRight: false }))
    ).map((placed) => ({ ...placed, ...formatColumn(placed.column, rows, look) }));
    if (isFirst) align(blocks);
    const needed = blocks.map((block) =>
      Math.max(isFirst && header ? widthOf(headOf(block.column)) : 0, block.width, block.widest),
    );
    if (isFirst && width !== undefined) {
      const widths = fitColumns(
        blocks.map((block, at) => wishOf(block.column, at, needed[at] ?? 0, block.isRight)),
        width,
        mayGiveWay,
      );
      left?.(blocks.filter((_, at) => widths[at] === 0).map(({ column }) => column.name));
      for (const [at, block] of blocks.entries()) block.width = widths[at] ?? 0;
    } else
      for (const [at, block] of blocks.entries())
        if (width === undefined || block.isRight) block.width = needed[at] ?? 0;
    const shown = blocks.filter((block) => !isFirst || width === undefined || block.width > 0);
    if (isFirst && width !== undefined) giveRest(shown, width);
    layout = shown.map(({ column, at, width, isRight }) => ({ column, at, width, isRight }));
    return writeBlock(shown, rows.length, { ...look, header: header && isFirst }, small);
  };
  const places = () =>
    (layout ?? []).map(({ column, at, width, isRight }) => ({
      at,
      width,
      isRight,
      isGrouped: isCounted(column, look) && mayBeAmount(column.name),
    }));
  const cell = (place: number, row: T) => {
    const placed = layout?.[place];
    if (!placed) return undefined;
    const { text, room } = formatCell(placed.column, placed.column.value(row), look);
    const isCuttable = width !== undefined && !placed.isRight;
    return room <= placed.width || isCuttable ? fitCell(placed, text, room, look) : undefined;
  };
  return { write, places, cell };
}

// Later rows may have longer texts in the last column, which is not padded.
function giveRest<T>(shown: readonly Placed<T>[], width: number): void {
  const last = shown.at(-1);
  const used = shown.reduce((sum, block) => sum + block.width, gap.length * (shown.length - 1));
  if (last && !last.isRight && used < width) last.width += width - used;
}

const isCounted = <T>({ kind }: Column<T>, { groups }: TableLook) =>
  groups === true && kind === undefined;

interface Placed<T> {
  readonly column: Column<T>;
  readonly at: number;
  width: number;
  isRight: boolean;
}

interface Block<T> extends Placed<T> {
  readonly values: readonly Cell[];
  readonly texts: readonly string[];
  readonly widths: readonly number[];
  readonly widest: number;
}

const ascii = /^[\x20-\x7e]*$/;

function formatColumn<T>(column: Column<T>, rows: readonly T[], look: TableLook) {
  const values: Cell[] = [];
  const texts: string[] = [];
  const widths: number[] = [];
  let widest = 0;
  for (const row of rows) {
    const value = column.value(row);
    const { text, room } = formatCell(column, value, look);
    values.push(value);
    texts.push(text);
    widths.push(room);
    if (room > widest) widest = room;
  }
  return { values, texts, widths, widest };
}

function formatCell<T>(column: Column<T>, value: Cell, look: TableLook) {
  const whole = cellText(column, value, look.now, look.isExact);
  if (isCounted(column, look) && isAmount(column.name, value) && whole === String(value)) {
    const text = groupDigits(whole);
    return { text, room: text.length };
  }
  if (ascii.test(whole)) return { text: whole, room: whole.length };
  const text = visibleLine(whole);
  return { text, room: widthOf(text) };
}

// Cells and their widths, by column and row.
function writeBlock<T>(
  blocks: readonly Block<T>[],
  count: number,
  look: TableLook,
  small: SmallTable | undefined,
): string {
  const { header, paintState } = look;
  const heads = header ? [blocks.map(({ column }) => headOf(column))] : [];
  if (small && header && count <= mostSmallRows && blocks.every(isAscii)) {
    const lines = [
      ...heads.map((names) =>
        names.map((name, at) => fitCell(blocks[at], name, widthOf(name), look)),
      ),
      ...Array.from({ length: count }, (_, row) =>
        blocks.map((block) => {
          const cell = fitCell(block, block.texts[row] ?? '', block.widths[row] ?? 0, look);
          return paintState && block.column.kind === 'state' ? paintState(cell) : cell;
        }),
      ),
    ];
    return small(
      blocks.map(({ width }) => width),
      lines,
    );
  }
  let text = '';
  for (const names of heads)
    text += endLine(
      names.map((name, at) => fitCell(blocks[at], name, widthOf(name), look)).join(gap),
    );
  for (let row = 0; row < count; row++) {
    let line = '';
    for (let at = 0; at < blocks.length; at++) {
      const block = blocks[at] as Block<T>;
      const cell = fitCell(block, block.texts[row] as string, block.widths[row] as number, look);
      const painted = paintState && block.column.kind === 'state' ? paintState(cell) : cell;
      line += at === 0 ? painted : gap + painted;
    }
    text += endLine(line);
  }
  return text;
}

const isAscii = <T>({ texts, widths }: Block<T>) =>
  texts.every((text, row) => text.length === widths[row] && ascii.test(text));

const gap = '  ';

const endLine = (line: string) => `${line.endsWith(' ') ? line.trimEnd() : line}\n`;

function fitCell<T>(
  block: Placed<T> | undefined,
  text: string,
  room: number,
  { cut: sign }: TableLook,
): string {
  const { width = 0, isRight = false } = block ?? {};
  if (room > width) return fitCut(text, width, isRight, sign);
  const pad = spaces(width - room);
  return isRight ? pad + text : text + pad;
}

function fitCut(text: string, width: number, isRight: boolean, sign: string | undefined): string {
  const whole = cut(text, width, sign);
  const pad = spaces(width - widthOf(whole));
  return isRight ? pad + whole : whole + pad;
}

const blank = ' '.repeat(256);
const spaces = (count: number) =>
  count <= blank.length ? blank.slice(0, Math.max(0, count)) : ' '.repeat(count);

const wishOf = <T>(column: Column<T>, at: number, full: number, isNumeric: boolean): ColumnFit => ({
  full,
  heading: widthOf(headOf(column)),
  isWhole: isNumeric || (column.kind !== undefined && column.kind !== 'text'),
  stays:
    at === 0 || column.name === 'id'
      ? 'first'
      : column.kind === 'state' && !column.wide
        ? 'long'
        : 'short',
});

// An empty column is aligned like the one before it.
function align<T>(blocks: readonly Block<T>[]): void {
  let before = false;
  for (const block of blocks) {
    block.isRight = alignsRight(block.column.kind, block.values) ?? before;
    before = block.isRight;
  }
}

function alignsRight(kind: string | undefined, values: readonly Cell[]): boolean | undefined {
  const given = values.filter((cell) => cell !== null && cell !== undefined);
  if (kind === 'time' || kind === 'state') return false;
  if (given.length === 0)
    return kind === undefined && values.length > 0
      ? undefined
      : kind === 'bytes' || kind === 'duration';
  return given.every((cell) => typeof cell === 'number' || typeof cell === 'bigint');
}

const headOf = <T>({ name, isVerbatim }: Column<T>) =>
  visibleLine(isVerbatim ? name : heading(name));

export const heading = (name: string) =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .trim()
    .toUpperCase();
