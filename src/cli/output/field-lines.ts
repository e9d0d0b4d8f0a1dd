// One object as text, one line per field: nothing is cut, long values continue on the next line,
// and nested values are expanded.
import { visibleLine, visibleText } from '../../model/visible-text.ts';
import { type Cell, formatCell, type Kind, timeIn } from '../lists/columns.ts';
import { padEnd, widthOf } from '../terminal/width.ts';
import { groupDigits, isAmount } from './group-digits.ts';
import type { Painter } from './painter.ts';

export interface FieldLook {
  readonly paintState?: Painter['state']; // states are plain without it
  readonly header: boolean;
  readonly width: number | undefined; // of the terminal
  readonly now: number | undefined; // the reference for relative times
  readonly groups?: boolean; // numbers with thousands separators
  readonly spread: (value: object) => string; // formats a nested value in lines
}

/** The lines of a two-column table of field and value. */
export function fieldLines(
  fields: readonly (readonly [string, unknown])[],
  { paintState, header, width, now, groups = false, spread }: FieldLook,
): string {
  const indent =
    Math.max(header ? 5 : 0, ...fields.map(([name]) => widthOf(visibleLine(name)))) + 2;
  const room = width === undefined ? undefined : width - indent;
  const isBelow = room !== undefined && room < 12; // the value starts on a line of its own
  const begin = isBelow ? '  ' : ' '.repeat(indent);
  const rows = fields.flatMap(([name, value]) => {
    const label = visibleLine(name);
    const said = breakLines(
      isDeep(value)
        ? visibleText(spread(value).trimEnd())
        : formatField(name, value, { now, groups }),
      isBelow ? (width ?? 0) - 2 : room,
    );
    const painted =
      paintState && kindOf(name, value) === 'state' ? said.map((line) => paintState(line)) : said;
    if (isBelow) return [label, ...painted.map((line) => begin + line)];
    return painted.map((line, at) => (at === 0 ? padEnd(label, indent) : begin) + line);
  });
  const head = header ? [isBelow ? 'FIELD' : `${padEnd('FIELD', indent)}VALUE`] : [];
  return [...head, ...rows].map((line) => `${line.trimEnd()}\n`).join('');
}

const isDeep = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

const isCell = (value: unknown): value is Cell =>
  value === null || ['string', 'number', 'bigint', 'boolean', 'undefined'].includes(typeof value);

function formatField(
  name: string,
  value: unknown,
  { now, groups }: Pick<FieldLook, 'groups' | 'now'>,
): string {
  if (!isCell(value)) return '-'; // a list or an object without anything
  const kind = kindOf(name, value);
  if (groups && kind === undefined && isAmount(name, value)) return groupDigits(value);
  if (kind !== 'time')
    return formatCell({ name, value: () => value, ...(kind && { kind }) }, value);
  if (timeIn(value) === 0) return '-'; // Druid's time of what has not happened
  const exact = String(value);
  const isKnown = (timeIn(value) ?? 0) > 0;
  return now === undefined || !isKnown
    ? exact
    : `${exact} (${formatCell({ name, value: () => value, kind }, value, now)})`;
}

// Field names of the API imply the kind of their values.
function kindOf(name: string, value: unknown): Kind | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') {
    if (/^duration(Ms)?$/.test(name)) return 'duration';
    return /(size|bytes)$/i.test(name) ? 'bytes' : undefined;
  }
  if (typeof value !== 'string') return undefined;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return 'time';
  return /(state|status|statusCode)$/i.test(name) ? 'state' : undefined;
}

// Breaks lines between words if possible, else within a word. Continuation lines keep the
// indentation; in a list, they align after the dash.
function breakLines(text: string, room: number | undefined): readonly string[] {
  const lines = text.split('\n');
  if (room === undefined) return lines;
  return lines.flatMap((line) => {
    const parts: string[] = [];
    const inset = ' '.repeat(
      Math.min(/^ *(- )?/.exec(line)?.[0].length ?? 0, Math.floor(room / 2)),
    );
    let rest = line;
    while (widthOf(rest) > room) {
      const end = endOfLine(rest, room, inset.length);
      parts.push(rest.slice(0, end).trimEnd());
      rest = inset + rest.slice(end).trimStart();
    }
    return [...parts, rest];
  });
}

function endOfLine(text: string, room: number, inset: number): number {
  let used = 0;
  let end = 0;
  let lastSpace = 0;
  for (const { segment, index } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment);
    if (used > room) break;
    end = index + segment.length;
    if (segment === ' ' && index > inset) lastSpace = end;
  }
  return lastSpace > room / 3 ? lastSpace : Math.max(end, 1);
}
