// Intervals that callers give.
import { InvalidTime } from '../../model/instant.ts';
import { type Interval, parseInterval } from '../../model/interval.ts';
import { invalidInterval, invalidIntervalInBody } from './refusals.ts';

/** The interval of a query string; throws a Refusal that shows an invalid one. */
export const intervalInQuery = (text: string, parse = parseInterval): Interval =>
  given(text, parse, invalidInterval);

/** The interval of a body; throws a Refusal that shows an invalid one. */
export const intervalInBody = (text: string): Interval =>
  given(text, parseInterval, invalidIntervalInBody);

function given(
  text: string,
  parse: (text: string) => Interval,
  refusal: typeof invalidInterval,
): Interval {
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof InvalidTime ? refusal(text, error.message) : error;
  }
}
