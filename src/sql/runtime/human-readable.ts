// Numbers with units of their size (Druid: HumanReadableBytes).
import { roundHalfUp } from './round-half-up.ts';

/** The refusal of a number of digits, in the engine's words. */
export const precisionRefusal = (functionName: string, digits: bigint): string =>
  `Function[${functionName}] given precision[${digits}] must be in the range of [0,3]`;

/**
 * A number with the unit of its size, as the functions HUMAN_READABLE_* show it: `1.50 KiB`. Throws
 * RangeError for more than 3 digits after the point.
 */
export function humanReadable(value: bigint, digits: bigint, functionName: string): string {
  if (digits < 0n || digits > 3n) throw new RangeError(precisionRefusal(functionName, digits));
  const isBinary = functionName.includes('binary');
  const isOfBytes = functionName.includes('byte');
  const [base, units, suffix] = isBinary
    ? ([1024, 'KMGTPE', 'iB'] as const)
    : ([1000, 'KMGTPE', isOfBytes ? 'B' : ''] as const);
  const plain = isOfBytes ? ' B' : '';
  const size = value < 0n ? -value : value;
  if (size < BigInt(base)) return `${value}${plain}`;
  let unit = 0;
  let divisor = BigInt(base);
  while (unit < units.length - 1 && size / divisor >= BigInt(base)) {
    divisor *= BigInt(base);
    unit++;
  }
  // With decimal units, the part below a thousandth is cut off first.
  const amount = isBinary
    ? Number(value) / Number(divisor)
    : Number(value / (divisor / BigInt(base))) / base;
  return `${fix(amount, Number(digits))} ${units[unit]}${suffix}`;
}

const fix = (value: number, digits: number) => roundHalfUp(value, digits).toFixed(digits);
