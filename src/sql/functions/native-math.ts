// Functions of native expressions that SQL lacks (docs/querying/math-expr.md), computed with
// doubles as in java.lang.Math.
import { bindOnce } from '../expressions/bind-once.ts';
import { engineFunction } from '../runtime/engine-function.ts';
import { bigint, double, isInteger } from '../types.ts';
import {
  asDouble,
  asLong,
  druidFunction,
  numeric,
  type ScalarFunction,
} from './scalar-function.ts';

const bits = new DataView(new ArrayBuffer(8));

const bitsOf = (value: number): bigint => {
  bits.setFloat64(0, value);
  return bits.getBigInt64(0);
};

const ofBits = (value: bigint): number => {
  bits.setBigInt64(0, value);
  return bits.getFloat64(0);
};

/** The next double above a number. */
function nextUp(value: number): number {
  if (Number.isNaN(value) || value === Number.POSITIVE_INFINITY) return value;
  if (value === 0) return Number.MIN_VALUE;
  return ofBits(bitsOf(value) + (value > 0 ? 1n : -1n));
}

function nextAfter(value: number, towards: number): number {
  if (Number.isNaN(value) || Number.isNaN(towards)) return Number.NaN;
  if (value === towards) return towards;
  return value < towards ? nextUp(value) : -nextUp(-value);
}

// The nearest whole number; a tie rounds to the even one.
function rint(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}

const ulp = (value: number): number =>
  Number.isFinite(value) ? nextUp(Math.abs(value)) - Math.abs(value) : Math.abs(value);

// Longs wrap (Guava: LongMath.pow).
function power(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) throw new RangeError(`exponent (${exponent}) must be >= 0`);
  let result = 1n;
  let factor = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = BigInt.asIntN(64, result * factor);
    factor = BigInt.asIntN(64, factor * factor);
  }
  return result;
}

const exponentOf = (value: number): number => {
  const exponent = Number((bitsOf(value) >> 52n) & 0x7ffn);
  return exponent === 0 ? -1023 : exponent - 1023;
};

const ofOne: Readonly<Record<string, (value: number) => number>> = {
  cosh: Math.cosh,
  expm1: Math.expm1,
  log1p: Math.log1p,
  nextup: nextUp,
  rint,
  signum: Math.sign,
  sinh: Math.sinh,
  tanh: Math.tanh,
  ulp,
};

// The remainder from the nearest multiple; a tie uses the even one.
function remainder(value: number, divisor: number): number {
  if (!Number.isFinite(divisor)) return value % divisor;
  const size = Math.abs(divisor);
  const rest = value % (2 * size);
  return rest - size * rint(rest / size);
}

const ofTwo: Readonly<Record<string, (one: number, other: number) => number>> = {
  copysign: (value, sign) =>
    Object.is(Math.sign(sign), -0) || sign < 0 ? -Math.abs(value) : Math.abs(value),
  hypot: Math.hypot,
  nextafter: nextAfter,
  remainder,
};

// Null for a null and a number, unlike GREATEST and LEAST.
const extreme = (duckdb: 'greatest' | 'least'): ScalarFunction =>
  druidFunction(
    [numeric, numeric],
    (args) => (args.every(({ type }) => isInteger(type)) ? bigint : double),
    ([x = '', y = '']) =>
      bindOnce(
        [x, y],
        ([one, other]) =>
          `CASE WHEN ${one} IS NOT NULL AND ${other} IS NOT NULL THEN ${duckdb}(${one}, ${other}) END`,
      ),
  );

/** The functions under their names in DuckDB. */
export const nativeMathEngineFunctions = [
  ...Object.entries(ofOne).map(([name, compute]) =>
    engineFunction(`druid_math_${name}`, ['DOUBLE'], 'DOUBLE', compute),
  ),
  ...Object.entries(ofTwo).map(([name, compute]) =>
    engineFunction(`druid_math_${name}`, ['DOUBLE', 'DOUBLE'], 'DOUBLE', compute),
  ),
  engineFunction(
    'druid_math_scalb',
    ['DOUBLE', 'BIGINT'],
    'DOUBLE',
    (value, exponent) => value * 2 ** Number(exponent),
  ),
  engineFunction('druid_math_power', ['BIGINT', 'BIGINT'], 'BIGINT', power),
  engineFunction('druid_math_exponent', ['DOUBLE'], 'BIGINT', (value) => BigInt(exponentOf(value))),
];

/** Keyed by name as in native expressions: in small letters. */
export const nativeMathFunctions: Readonly<Record<string, ScalarFunction>> = {
  ...Object.fromEntries(
    Object.keys(ofOne).map((name): [string, ScalarFunction] => [
      name,
      druidFunction([asDouble], double, ([x]) => `druid_math_${name}(${x})`),
    ]),
  ),
  ...Object.fromEntries(
    Object.keys(ofTwo).map((name): [string, ScalarFunction] => [
      name,
      druidFunction([asDouble, asDouble], double, ([x, y]) => `druid_math_${name}(${x}, ${y})`),
    ]),
  ),
  max: extreme('greatest'),
  min: extreme('least'),
  scalb: druidFunction(
    [asDouble, asLong],
    double,
    ([x, exponent]) => `druid_math_scalb(${x}, ${exponent})`,
  ),
  getexponent: druidFunction([asDouble], bigint, ([x]) => `druid_math_exponent(${x})`),
};
