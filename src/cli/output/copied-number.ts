// Numbers in the bytes of JSON that are copied as they are, with thousands separators.

const [comma, point, minus, zero, nine, close] = [44, 46, 45, 48, 57, 93];

/** The separators of a number. One of fewer than five digits has none: a year stays as it is. */
export function separatorsIn(bytes: Uint8Array, from: number, to: number): number {
  const first = bytes[from] === minus ? from + 1 : from;
  const digits = endOfWhole(bytes, first, to) - first;
  return digits < 5 ? 0 : Math.floor((digits - 1) / 3);
}

/** Copies a number with its separators to a position of `out`. */
export function copyGrouped(
  source: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  begin: number,
): void {
  const first = source[from] === minus ? from + 1 : from;
  const end = endOfWhole(source, first, to);
  let used = begin;
  for (let at = from; at < to; at++) {
    if (at > first && at < end && (end - at) % 3 === 0) out[used++] = comma;
    out[used++] = source[at] as number;
  }
}

/** The end of a whole number without a sign and of less than five digits; `-1` for other values. */
export function endOfShortWhole(bytes: Uint8Array, from: number): number {
  let at = from;
  let code = bytes[at] as number;
  while (code >= zero && code <= nine) code = bytes[++at] as number;
  const size = at - from;
  const isShort = size > 0 && size < 5 && (code === comma || code === close);
  return isShort && (size === 1 || bytes[from] !== zero) ? at : -1;
}

/**
 * The end of a number that JavaScript prints with the same digits: a whole double loses its `.0`.
 * `-1` for other numbers and values.
 */
export function endOfNumber(bytes: Uint8Array, from: number, to: number): number {
  const first = bytes[from] === minus ? from + 1 : from;
  let pointAt = to;
  for (let at = first; at < to; at++) {
    const code = bytes[at] as number;
    if (code === point && pointAt === to) pointAt = at;
    else if (code < zero || code > nine) return -1;
  }
  const isWhole = pointAt === to || (pointAt === to - 2 && bytes[to - 1] === zero);
  if (isWhole && bytes[first] === zero) return first === from ? first + 1 : -1;
  if (pointAt === to) return to > first ? to : -1;
  if (to - first > mostDigits + 1) return -1;
  if (isWhole) return pointAt;
  const isTiny = bytes[first] === zero && pointAt + 3 < to && bytes[pointAt + 3] === zero;
  return bytes[to - 1] === zero || isTiny ? -1 : to;
}

const mostDigits = 15; // a double holds so many

// The end of the whole part of a number.
function endOfWhole(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== point) at++;
  return at;
}
