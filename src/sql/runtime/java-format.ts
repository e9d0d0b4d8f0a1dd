// Java's String.format for texts and numbers.
import { scientificText, toFixedText } from './round-half-up.ts';
import { longestText, textTooLong } from './value-limits.ts';

/**
 * A value with its type as a prefix: `l12` is a long, `d1.5` a double, `stext` a text; null is
 * null.
 */
export type FormatArgument = string | null;

/**
 * Formats the arguments by a pattern. If they do not fit the pattern, the result is `pattern;
 * argument; ...` (Druid: StringUtils.nonStrictFormat).
 */
export function format(pattern: string, args: readonly FormatArgument[]): string {
  if (args.length === 0) return pattern;
  try {
    return fill(pattern, args);
  } catch (error) {
    if (!(error instanceof FormatMismatch)) throw error;
    return [pattern, ...args.map((arg) => (arg === null ? 'null' : arg.slice(1)))].join('; ');
  }
}

/** Whether a pattern accepts a single text argument (String.format does not fail in Java). */
export function fitsText(pattern: string): boolean {
  try {
    fill(pattern, ['s']);
    return true;
  } catch (error) {
    if (error instanceof FormatMismatch) return false;
    throw error;
  }
}

function fill(pattern: string, args: readonly FormatArgument[]): string {
  let next = 0;
  let size = pattern.length;
  const checkLength = (text: string): string => {
    size += text.length;
    if (size > longestText) throw textTooLong('format');
    return text;
  };
  return pattern.replace(
    /%(?:(\d+)\$)?([-#+ 0,(]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])?/g,
    (whole, index, flags: string, width, precision, kind) => {
      if (kind === undefined) throw new FormatMismatch(whole);
      if (Number(width ?? 0) > longestText || Number(precision ?? 0) > longestText)
        throw textTooLong('format');
      if (kind === 'n') return '\n';
      if (kind === '%') return checkLength(pad('%', flags, width));
      const arg = args[index === undefined ? next++ : Number(index) - 1];
      if (arg === undefined) throw new FormatMismatch(whole);
      return checkLength(pad(convert(arg, kind, flags, precision, width), flags, width));
    },
  );
}

class FormatMismatch extends Error {}

const pad = (text: string, flags: string, width: string | undefined) =>
  width === undefined
    ? text
    : flags.includes('-')
      ? text.padEnd(Number(width))
      : text.padStart(Number(width));

function convert(
  arg: FormatArgument,
  kind: string,
  flags: string,
  precision: string | undefined,
  width: string | undefined,
): string {
  const upper = kind !== kind.toLowerCase();
  const text = plainText(arg, kind.toLowerCase(), flags, precision, width);
  return upper ? text.toUpperCase() : text;
}

function plainText(
  arg: FormatArgument,
  kind: string,
  flags: string,
  precision: string | undefined,
  width: string | undefined,
): string {
  const cutText = (text: string) =>
    precision === undefined ? text : text.slice(0, Number(precision));
  if (kind === 's') return cutText(arg === null ? 'null' : arg.slice(1));
  if (kind === 'b') return cutText(String(arg !== null));
  if (arg === null) return cutText('null');
  const value = arg.slice(1);
  if (kind === 'd' && arg.startsWith('l'))
    return withSign(group(value.replace('-', ''), flags), value.startsWith('-'), flags, width);
  if ((kind === 'x' || kind === 'o') && arg.startsWith('l')) {
    const digits = BigInt.asUintN(64, BigInt(value)).toString(kind === 'x' ? 16 : 8);
    const prefix = flags.includes('#') ? (kind === 'x' ? '0x' : '0') : '';
    return (
      prefix +
      (flags.includes('0') && width ? digits.padStart(Number(width) - prefix.length, '0') : digits)
    );
  }
  if ((kind === 'f' || kind === 'e' || kind === 'g') && arg.startsWith('d'))
    return fraction(Number(value), kind, flags, Number(precision ?? 6), width);
  throw new FormatMismatch(kind);
}

function fraction(
  value: number,
  kind: string,
  flags: string,
  precision: number,
  width: string | undefined,
): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  const isNegative = value < 0 || Object.is(value, -0);
  const wanted = precision || 1;
  const { mantissa, exponent } = scientificText(size, kind === 'g' ? wanted - 1 : precision);
  if (kind === 'f' || (kind === 'g' && exponent >= -4 && exponent < wanted)) {
    const digits = kind === 'f' ? precision : wanted - 1 - exponent;
    const [whole = '', rest] = toFixedText(size, digits).split('.');
    return withSign(
      group(whole, flags) + (rest === undefined ? '' : `.${rest}`),
      isNegative,
      flags,
      width,
    );
  }
  return withSign(
    `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`,
    isNegative,
    flags,
    width,
  );
}

const group = (digits: string, flags: string) =>
  flags.includes(',') ? digits.replace(/\B(?=(\d{3})+$)/g, ',') : digits;

function withSign(
  digits: string,
  negative: boolean,
  flags: string,
  width: string | undefined,
): string {
  const sign = negative
    ? flags.includes('(')
      ? '('
      : '-'
    : flags.includes('+')
      ? '+'
      : flags.includes(' ')
        ? ' '
        : '';
  const end = sign === '(' ? ')' : '';
  const filled =
    flags.includes('0') && width
      ? digits.padStart(Number(width) - sign.length - end.length, '0')
      : digits;
  return sign + filled + end;
}
