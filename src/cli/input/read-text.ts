// Conversion of command-line text to the type of its schema. Times are read before any prompt.
import { checkText, isNumber, Mismatch, meansOf, type Schema } from '../../contract/schema.ts';
import { InvalidTime } from '../../model/instant.ts';
import { parsePathInterval } from '../../model/interval.ts';
import { parsePeriod } from '../../model/period.ts';
import { durationIn } from './duration.ts';

/**
 * The value of a flag or an argument; throws Mismatch. Intervals and periods stay text, durations
 * become seconds.
 */
export function readText(schema: Schema, text: string): unknown {
  const means = meansOf(schema);
  try {
    if (means === 'interval') parsePathInterval(text);
    if (means === 'period') parsePeriod(text);
  } catch (error) {
    if (!(error instanceof InvalidTime)) throw error;
    const example =
      means === 'interval' ? 'ISO interval, as in 2024-01-01/2024-02-01' : 'ISO period, as in P1M';
    throw new Mismatch('', `expected an ${example}`, text);
  }
  if (text === '' && (means === 'file' || means === 'folder'))
    throw new Mismatch('', `expected the name of a ${means}`, text); // of a variable that is not set
  if (means === 'seconds') return secondsIn(text);
  if (isNumber(schema) && String(text).trim() !== '' && Number.isNaN(Number(text)))
    throw new Mismatch('', 'expected a number', text);
  const value: unknown = checkText(schema, text);
  if (means === 'count' && Number(value) < 0)
    throw new Mismatch('', 'expected a number that is not less than 0', text);
  return value;
}

function secondsIn(text: string): number {
  const ms = durationIn(/^\d+(\.\d+)?$/.test(text) ? `${text}s` : text);
  if (ms === undefined) throw new Mismatch('', 'expected a time, as in 30, 90s or 5m', text);
  return ms / 1000;
}
