// Times in words of other languages.
import { expect, test } from 'vitest';
import { timeZoneOf } from '../../../src/model/time-zone.ts';
import { formatTime } from '../../../src/sql/runtime/joda-pattern.ts';

const utc = timeZoneOf('UTC');
const format = (time: string, pattern: string, locale: string) =>
  formatTime(Date.parse(time), pattern, utc, locale);

test('names of days and months are those of the language, day after day', () => {
  for (const _ of ['first', 'kept']) {
    expect(format('2015-09-12T00:00:00Z', 'EEEE d MMMM', 'fr')).toBe('samedi 12 septembre');
    expect(format('2015-09-13T00:00:00Z', 'EEEE d MMMM', 'fr')).toBe('dimanche 13 septembre');
    expect(format('2015-10-13T00:00:00Z', 'EEEE d MMMM', 'fr')).toBe('mardi 13 octobre');
    expect(formatTime(-9_007_199_254_740_992, 'EEEE', utc, 'fr')).toBe('jeudi');
    expect(format('2015-09-12T00:00:00Z', 'EEEE d MMMM', 'de')).toBe('Samstag 12 September');
    expect(format('2015-09-12T00:00:00Z', 'EEE', 'de')).toBe('Sa.');
    expect(format('2015-09-12T13:00:00Z', 'h a', 'es')).toContain('p');
    expect(format('2015-09-12T01:00:00Z', 'h a', 'es')).toContain('a');
  }
});

test.each([
  ["yyyy'Z", '2015Z'],
  ["yyyy'a''", "2015a'"],
  ["'a'''yyyy", "a'2015"],
  ["yyyy''", "2015'"],
  ["yyyy'", '2015'],
])('the end of the pattern [%s] ends a quoted part', (pattern, expected) => {
  expect(format('2015-09-12T00:00:00Z', pattern, 'en')).toBe(expected);
});
