// Parsing, printing and conversion of numbers as in Java, because they are visible in the engine's
// results.

/**
 * A double as a long: truncated, with NaN as 0 and the nearest limit for values out of range (Java:
 * (long) d).
 */
export function longOf(value: number): bigint {
  if (Number.isNaN(value)) return 0n;
  if (value >= 2 ** 63) return maxLong;
  if (value <= -(2 ** 63)) return minLong;
  return BigInt(Math.trunc(value));
}

export const maxLong = 2n ** 63n - 1n;
export const minLong = -(2n ** 63n);

/**
 * A text as a double, or null if it is not a number. Blanks and hexadecimal digits are not allowed
 * (Guava: Doubles.tryParse); `true` is 1.
 */
export function parseDouble(text: string): number | null {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true' ? 1 : 0;
  // The engine parses a whole number as a long first, which has no negative zero
  if (/^-0+$/.test(text)) return 0;
  if (!/^[+-]?(?:NaN|Infinity|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)$/.test(text))
    return null;
  return Number(/[fFdD]$/.test(text) ? text.slice(0, -1) : text.replace(/^\+/, ''));
}

/**
 * A text as a long, or null. Whole numbers are exact; other numbers are truncated (Druid: a cast
 * from a string to a long).
 */
export function parseLong(text: string): bigint | null {
  if (/^[+-]?\d+$/.test(text)) {
    const digits = text.replace(/^[+-]?0*/, '');
    // Longer numbers do not fit, and BigInt parses them slowly.
    const value = digits.length > 19 ? maxLong + 1n : BigInt(text.replace(/^\+/, ''));
    if (value >= minLong && value <= maxLong) return value;
  }
  const double = parseDouble(text);
  return double === null ? null : longOf(double);
}

/** The low 64 bits of a sum, difference or product of longs. */
export const wrap = (value: bigint): bigint => BigInt.asIntN(64, value);
