// Java's text form of numbers, as printed by the engine.

/**
 * A DOUBLE as text: the shortest text that reads back the same, always with a point, and with an
 * exponent from 1.0E7 up and below 1.0E-3. Large whole numbers have more digits (Double.toString of
 * Java 17, which the engine runs on).
 */
export function doubleText(value: number): string {
  if (!Number.isFinite(value))
    return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  return javaText(value, wholeText(value, 53) ?? String(value));
}

/**
 * A FLOAT (a number of 32 bits) as text: like a DOUBLE, with the fewest digits that identify it.
 */
export function floatText(value: number): string {
  return Number.isFinite(value) ? javaText(value, shortestFloat(value)) : doubleText(value);
}

/** A FLOAT as text, with the digits of Java 17 also for large whole numbers: `2.14748365E9`. */
export function longFloatText(value: number): string {
  const whole = Number.isFinite(value) ? wholeText(value, 24) : undefined;
  return whole === undefined ? floatText(value) : javaText(value, whole);
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

function javaText(value: number, digits: string): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e7) return digits.includes('.') ? digits : `${digits}.0`;
  const [mantissa = '', exponent = ''] = scientific(value, digits).split('e');
  return `${mantissa}E${exponent.replace('+', '')}`;
}

function scientific(value: number, digits: string): string {
  const [, sign = '', first = '', more = ''] = /^(-?)(\d)(\d{7,})$/.exec(digits) ?? [];
  if (first) return `${sign}${first}.${more.replace(/(?<=.)0+$/, '')}e${more.length}`;
  const exact = Number(digits).toExponential();
  // Java prints at least two digits, namely the two nearest ones.
  return exact.includes('.') ? exact : value.toExponential(1);
}

// The digits of a whole number beyond the precision of its type, in bits, and within that of a
// LONG: those that its last bit decides, rounded half up.
function wholeText(value: number, precision: number): string | undefined {
  const size = Math.abs(value);
  if (size < 2 ** (precision + 1) || size >= 2 ** 63 || !Number.isInteger(value)) return undefined;
  const whole = BigInt(size);
  const spareBits = whole.toString(2).length - precision - 2;
  const unit = 10n ** BigInt(spareBits > 0 ? Math.floor(spareBits * Math.log10(2)) : 0);
  return `${value < 0 ? '-' : ''}${((whole + unit / 2n) / unit) * unit}`;
}

function shortestFloat(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const texts = [halfEven(value, digits), value.toPrecision(digits)];
    const text = texts.find((one) => Math.fround(Number(one)) === value);
    if (text !== undefined) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}

// A value halfway between two texts has the one whose last digit is even.
function halfEven(value: number, digits: number): string | undefined {
  const exact = value.toExponential(digits);
  const isHalf = Number(exact) === value && /[02468]\.?5e/.test(exact);
  return isHalf ? exact.replace('5e', 'e') : undefined;
}
