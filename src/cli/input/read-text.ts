// What a text on the command line means: as its schema says, and times are read before anybody is asked.
import { checkText, Mismatch, meansOf, type Schema } from '../../contract/schema.ts';
import { InvalidTime } from '../../model/instant.ts';
import { parsePathInterval } from '../../model/interval.ts';
import { parsePeriod } from '../../model/period.ts';

/** The value of a flag or an argument; throws Mismatch. The text of an interval or a period stays as it is. */
export function readText(schema: Schema, text: string): unknown {
  const means = meansOf(schema);
  try {
    if (means === 'interval') parsePathInterval(text);
    if (means === 'period') parsePeriod(text);
  } catch (error) {
    if (!(error instanceof InvalidTime)) throw error;
    const example = means === 'interval' ? 'ISO interval, as in 2024-01-01/2024-02-01' : 'ISO period, as in P1M';
    throw new Mismatch('', `expected an ${example}`, text);
  }
  return checkText(schema, text);
}
