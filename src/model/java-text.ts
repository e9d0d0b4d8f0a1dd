// Java's text form of numbers, as printed by the engine.

/**
 * A DOUBLE as text: the shortest text that reads back the same, always with a point, and with an
 * exponent from 1.0E7 up and below 1.0E-3 (Java's Double.toString since version 19).
 */
export function doubleText(value: number): string {
  if (!Number.isFinite(value))
    return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  return javaText(value, String(value));
}

/**
 * A FLOAT (a number of 32 bits) as text: like a DOUBLE, with the fewest digits that identify it.
 */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return doubleText(value);
  return javaText(value, shortestFloat(value));
}

/**
 * JSON with its numbers in Java's form: `1.0E20` where JavaScript and DuckDB print
 * 100000000000000000000.0. Integers and strings stay unchanged.
 */
export const withJavaNumbers = (json: string): string =>
  mayDiffer.test(json)
    ? json.replace(stringsAndFractions, (token) =>
        token.startsWith('"') ? token : doubleText(Number(token)),
      )
    : json;

const mayDiffer = /\d{8}\.|\d[eE]|0\.000/;
const stringsAndFractions = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)/g;

function javaText(value: number, shortest: string): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e7) return shortest.includes('.') ? shortest : `${shortest}.0`;
  const exact = Number(shortest).toExponential();
  // Java prints at least two digits, namely the two nearest ones.
  const [digits = '', exponent = ''] = (exact.includes('.') ? exact : value.toExponential(1)).split(
    'e',
  );
  return `${digits}E${exponent.replace('+', '')}`;
}

function shortestFloat(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}
