// Thresholds as monitoring plugins write them (Monitoring Plugins Development Guidelines,
// "Threshold and Ranges"):
//   10      alert below 0 or above 10        10:     alert below 10        ~:10    alert above 10
//   10:20   alert outside 10 to 20           @10:20  alert inside 10 to 20
import { UsageError } from '../../../cli/process/errors.ts';

export interface Threshold {
  readonly text: string;
  /** Whether a value raises an alert. */
  readonly alerts: (value: number) => boolean;
}

/** Parses a range; throws UsageError with the flag for an invalid one. */
export function thresholdIn(text: string, flag: string): Threshold {
  const [, inside, low, high] =
    /^(@)?(?:(~|-?\d+(?:\.\d+)?)?:)?(-?\d+(?:\.\d+)?)?$/.exec(text) ?? [];
  const start = low === '~' ? Number.NEGATIVE_INFINITY : Number(low ?? 0);
  const end = high === undefined ? Number.POSITIVE_INFINITY : Number(high);
  const isEmpty = low === undefined && high === undefined;
  if (isEmpty || start > end)
    throw new UsageError(
      `Value [${text}] of ${flag} is not a range`,
      'examples: 10, 10:, ~:10, 10:20, @10:20',
    );
  const isInside = (value: number) => value >= start && value <= end;
  return { text, alerts: inside ? isInside : (value) => !isInside(value) };
}
