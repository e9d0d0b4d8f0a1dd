// Values of native results as JSON text.
import { formatInstant } from '../../model/instant.ts';
import { formatJson } from '../../model/json.ts';
import { type TimeZone, utc } from '../../model/period.ts';
import type { ResultField } from '../../sql/native/statement.ts';
import { isJson, nativeTypeOf } from '../../sql/types.ts';
import { complexText, jsonCell } from '../statements/result-writer.ts';

export type CellText = (value: unknown) => string;

/** The writer for values of a field. */
export function cellText({ type, hasLongFloats }: Omit<ResultField, 'name'>): CellText {
  const { multiValue: isMany, ...single } = type;
  const cell = isJson(type)
    ? nestedText
    : type.name === 'OTHER'
      ? sketchText
      : jsonCell(
          {
            name: '',
            type: single,
            nativeType: nativeTypeOf(single),
            ...(hasLongFloats && { hasLongFloats }),
          },
          printing,
        );
  return isMany ? (value) => manyText(value, cell) : cell;
}

/** A time in the format of results: ISO in a zone, or milliseconds. */
export const timeText = (ms: number, zone: TimeZone, asLong: boolean): string =>
  asLong ? String(ms) : `"${formatInstant(ms, zone.offsetMs(ms))}"`;

const printing = { timeZone: utc, stringifyArrays: false };

// Nested data is JSON text already.
const nestedText: CellText = (value) =>
  typeof value === 'string' ? value : formatJson(value ?? null);

// A sketch is a string of its bytes in base64; in SQL results, it is the text of such a string.
const sketchText: CellText = (value) =>
  value === null || value === undefined ? 'null' : complexText(value);

// A single value is not a list; no value is null.
function manyText(value: unknown, cell: CellText): string {
  if (!Array.isArray(value)) return cell(value);
  if (value.length > 1) return `[${value.map(cell).join(',')}]`;
  return cell(value[0] ?? null);
}
