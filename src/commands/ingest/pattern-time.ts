// Check of texts against a time pattern, as in Joda. The service parses the times; this check finds
// the row that it could not parse.
import { daysInMonth } from '../../model/calendar.ts';

/**
 * A test for the texts of a pattern. It accepts every text when the pattern has letters other than
 * those of usual dates and times.
 */
export function patternTest(pattern: string): (text: string) => boolean {
  const tokens = pattern.match(/'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+/g) ?? [];
  const parts = tokens.map((token, at) => sourceOf(token, /^[A-Za-z]/.test(tokens[at + 1] ?? '')));
  if (parts.includes(undefined)) return () => true;
  const form = new RegExp(`^${parts.map((part) => part?.source ?? '').join('')}$`, 'iu');
  const letters = parts.flatMap((part) => part?.letter ?? []);
  return (text) => {
    const match = form.exec(text);
    if (!match) return false;
    const values = new Map(letters.map((letter, at) => [letter, Number(match[at + 1])]));
    return isMoment(values);
  };
}

interface Part {
  readonly source: string; // of a regular expression
  readonly letter?: string; // of its group
}

function sourceOf(token: string, isAdjacent: boolean): Part | undefined {
  const [letter = ''] = token;
  if (letter === "'") return { source: escaped(token === "''" ? "'" : unquote(token)) };
  if (!/[A-Za-z]/.test(letter)) return { source: escaped(token) };
  if (/[yYu]/.test(letter)) return { source: digits(token, isAdjacent, 9), letter: 'y' };
  if (letter === 'S') return { source: '\\d+' };
  if (letter === 'M' && token.length > 2) return { source: '[\\p{L}.]+' };
  if (/[MdHms]/.test(letter)) return { source: digits(token, isAdjacent, 2), letter };
  if (/[hKk]/.test(letter)) return { source: digits(token, isAdjacent, 2), letter: 'h' };
  if (/[aE]/.test(letter)) return { source: '[\\p{L}.]+' };
  return /[zZ]/.test(letter) ? { source: '.+' } : undefined;
}

// A field next to another one has as many digits as letters.
const digits = (token: string, isAdjacent: boolean, most: number) =>
  isAdjacent ? `(\\d{${token.length}})` : `(\\d{1,${most}})`;

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

const unquote = (token: string) => token.slice(1, -1).replaceAll("''", "'");

function isMoment(values: ReadonlyMap<string, number>): boolean {
  const of = (letter: string) => values.get(letter);
  const [month = 1, day = 1] = [of('M'), of('d')];
  const year = of('y') ?? 2000;
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysInMonth(year < 100 ? 2000 + year : year, month) &&
    (of('H') ?? 0) <= 23 &&
    (of('h') ?? 0) <= 24 &&
    (of('m') ?? 0) <= 59 &&
    (of('s') ?? 0) <= 59
  );
}
