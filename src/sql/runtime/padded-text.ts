// LPAD and RPAD in UTF-16 units, as in Java.

import { longestText, textTooLong } from './value-limits.ts';

/**
 * Pads or cuts a text to a size in UTF-16 units. The result is null for a size of 0, and empty for
 * a negative size. Throws LimitExceeded if the result would be too long.
 */
export function padText(
  text: string,
  size: bigint,
  padding: string,
  isLeft: boolean,
): string | null {
  if (size === 0n) return null;
  if (size < 0n) return '';
  if (size <= BigInt(text.length)) return text.slice(0, Number(size));
  if (padding === '') return text;
  if (size > BigInt(longestText)) throw textTooLong(isLeft ? 'lpad' : 'rpad');
  return isLeft
    ? fill(padding, Number(size) - text.length) + text
    : text + fill(padding, Number(size) - text.length);
}

const fill = (padding: string, length: number) =>
  padding.repeat(Math.ceil(length / padding.length)).slice(0, length);

/**
 * Whether DuckDB's own `lpad` can fill up to this size with this padding: both are known, the size
 * is positive, and each character of the padding is one UTF-16 unit.
 */
export const isPlainPadding = (size: unknown, padding: unknown): boolean =>
  (typeof size === 'number' || typeof size === 'bigint') &&
  size > 0 &&
  size <= longestText &&
  typeof padding === 'string' &&
  padding !== '' &&
  !/[\0\ud800-\udfff]/.test(padding);
