// Rounding half up on the printed decimal digits of a double, as in java.math.BigDecimal.

/**
 * Rounds to `digits` digits after the point, or before it if negative (Java: new
 * BigDecimal(Double.toString(x)).setScale(n, HALF_UP)). The result is never negative zero.
 */
export function roundHalfUp(value: number, digits: number): number {
  const decimal = decimalOf(value);
  if (!decimal || decimal.scale <= digits) return value;
  const sign = value < 0 ? '-' : '';
  return Number(`${sign}${roundDigits(decimal, digits)}e${-digits}`) + 0;
}

/**
 * An absolute value as text with `digits` digits after the point. Digits beyond the printed ones
 * are zeros.
 */
export function toFixedText(size: number, digits: number): string {
  const decimal = decimalOf(size);
  if (!decimal) return String(size);
  const missing = digits - decimal.scale;
  const all = missing >= 0 ? decimal.digits + '0'.repeat(missing) : roundDigits(decimal, digits);
  const whole = all.length > digits ? all.slice(0, all.length - digits) : '0';
  const trimmed = whole.replace(/^0+(?=\d)/, '');
  return digits === 0 ? trimmed : `${trimmed}.${all.slice(-digits).padStart(digits, '0')}`;
}

/**
 * An absolute value as a mantissa from one to ten, with `digits` digits after the point, and a
 * power of ten.
 */
export function scientificText(
  size: number,
  digits: number,
): { readonly mantissa: string; readonly exponent: number } {
  const [shown = '', power = ''] = size.toExponential().split('e');
  const mantissa = toFixedText(Number(shown), digits);
  return mantissa.startsWith('10')
    ? { mantissa: toFixedText(1, digits), exponent: Number(power) + 1 }
    : { mantissa, exponent: Number(power) };
}

// digits / 10^scale
interface Decimal {
  readonly digits: string;
  readonly scale: number;
}

function decimalOf(value: number): Decimal | undefined {
  const match = /^-?(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!match) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  return { digits: whole + fraction, scale: fraction.length - Number(exponent) };
}

function roundDigits({ digits, scale }: Decimal, wanted: number): string {
  const dropped = scale - wanted;
  if (dropped > 400) return '0';
  const unit = 10n ** BigInt(dropped);
  return String((BigInt(digits) + unit / 2n) / unit);
}
