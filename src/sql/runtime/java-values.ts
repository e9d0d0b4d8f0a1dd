// Numbers as Java reads, prints and converts them, because the engine's results show it.

/** A double as a long: cut, NaN is 0, what is too large becomes the largest (Java: (long) d). */
export function longOf(value: number): bigint {
  if (Number.isNaN(value)) return 0n;
  if (value >= 2 ** 63) return maxLong;
  if (value <= -(2 ** 63)) return minLong;
  return BigInt(Math.trunc(value));
}

export const maxLong = 2n ** 63n - 1n;
export const minLong = -(2n ** 63n);

/**
 * A text as a double, or null when it is none: no blanks, no hexadecimal digits (Guava:
 * Doubles.tryParse); `true` is 1.
 */
export function parseDouble(text: string): number | null {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true' ? 1 : 0;
  // A whole number is read as a long first, which has no negative zero
  if (/^-0+$/.test(text)) return 0;
  if (!/^[+-]?(?:NaN|Infinity|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)$/.test(text))
    return null;
  return Number(/[fFdD]$/.test(text) ? text.slice(0, -1) : text.replace(/^\+/, ''));
}

/**
 * A text as a long, or null: whole numbers exactly, other numbers cut (Druid: a cast from a string
 * to a long).
 */
export function parseLong(text: string): bigint | null {
  if (/^[+-]?\d+$/.test(text)) {
    const digits = text.replace(/^[+-]?0*/, '');
    // Longer ones do not fit, and BigInt takes long over them.
    const value = digits.length > 19 ? maxLong + 1n : BigInt(text.replace(/^\+/, ''));
    if (value >= minLong && value <= maxLong) return value;
  }
  const double = parseDouble(text);
  return double === null ? null : longOf(double);
}

/** What a sum, difference or product of longs leaves in 64 bits. */
export const wrap = (value: bigint): bigint => BigInt.asIntN(64, value);
