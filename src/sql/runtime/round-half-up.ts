// Rounding half up on the decimal digits that a double shows, as java.math.BigDecimal does it.

/**
 * The double with so many digits behind the point, or before it where they are negative (Java: new
 * BigDecimal(Double.toString(x)).setScale(n, HALF_UP)). There is no negative zero.
 */
export function roundHalfUp(value: number, digits: number): number {
  const decimal = decimalOf(value);
  if (!decimal || decimal.scale <= digits) return value;
  const sign = value < 0 ? '-' : '';
  return Number(`${sign}${roundedDigits(decimal, digits)}e${-digits}`) + 0;
}

/**
 * A size as text with so many digits behind the point. What lies beyond the digits that it shows is
 * zeros.
 */
export function fixedText(size: number, digits: number): string {
  const decimal = decimalOf(size);
  if (!decimal) return String(size);
  const missing = digits - decimal.scale;
  const all = missing >= 0 ? decimal.digits + '0'.repeat(missing) : roundedDigits(decimal, digits);
  const whole = all.length > digits ? all.slice(0, all.length - digits) : '0';
  const trimmed = whole.replace(/^0+(?=\d)/, '');
  return digits === 0 ? trimmed : `${trimmed}.${all.slice(-digits).padStart(digits, '0')}`;
}

/**
 * A size as a mantissa from one to ten, with so many digits behind the point, and a power of ten.
 */
export function scientificText(
  size: number,
  digits: number,
): { readonly mantissa: string; readonly exponent: number } {
  const [shown = '', power = ''] = size.toExponential().split('e');
  const mantissa = fixedText(Number(shown), digits);
  return mantissa.startsWith('10')
    ? { mantissa: fixedText(1, digits), exponent: Number(power) + 1 }
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

function roundedDigits({ digits, scale }: Decimal, wanted: number): string {
  const dropped = scale - wanted;
  if (dropped > 400) return '0';
  const unit = 10n ** BigInt(dropped);
  return String((BigInt(digits) + unit / 2n) / unit);
}
