// Sort keys for texts in the engine's orders: alphanumeric, by length, and as versions (Druid:
// StringComparators).
import { engineFunction } from './engine-function.ts';

const end = '\u0001'; // stands below all that may follow, so that a part sorts before what begins with it

const size = (digits: string) => `${String(digits.length).padStart(8, '0')}${digits}`;

// Numbers sort before other characters; among equal numbers, fewer leading zeros come first. Zeros
// alone have no digit, except at the end of the text. Case is ignored. Digits are those of five
// scripts.
function alphanumericKey(text: string): string {
  return text.replace(alphanumericParts, (part, number: string | undefined, at: number) => {
    if (number === undefined) return `\u0003${part.toUpperCase().toLowerCase()}${end}`;
    const digits = asciiDigits(number).replace(/^0+/, '');
    const zeros = String(number.length - digits.length).padStart(8, '0');
    const isLast = at + part.length === text.length;
    return `\u0002${size(digits === '' && isLast ? '0' : digits)}${zeros}`;
  });
}

const alphanumericParts =
  /([0-9\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]+)|[^0-9\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]+/g;

const asciiDigits = (digits: string): string =>
  digits.replace(/[^0-9]/gu, (digit) => String(digitValue(digit.codePointAt(0) ?? 0)));

// Digits of a script stand together in Unicode, from zero to nine.
function digitValue(code: number): number {
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return (code - zero) % 10;
}

type Item = bigint | string | Item[];

const qualifiers = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const aliases: Readonly<Record<string, string>> = { ga: '', final: '', release: '', cr: 'rc' };
const shortQualifiers: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', m: 'milestone' }; // in front of a number

function qualifierOf(letters: string, isBeforeNumber: boolean): string {
  const written =
    isBeforeNumber && Object.hasOwn(shortQualifiers, letters)
      ? (shortQualifiers[letters] ?? letters)
      : letters;
  return Object.hasOwn(aliases, written) ? (aliases[written] ?? written) : written;
}

// Maven versions: numbers and qualifiers between dots, and nested lists after a hyphen or between
// digits and letters.
function itemsOf(version: string): Item[] {
  const all: Item[] = [];
  let list = all;
  const deeper = () => {
    const inner: Item[] = [];
    list.push(inner);
    list = inner;
  };
  const parts = version.toLowerCase().match(/\p{Nd}+|[^\p{Nd}.-]+|[.-]/gu) ?? [];
  for (const [index, part] of parts.entries()) {
    const [before, next] = [parts[index - 1], parts[index + 1]];
    const isSeparator = part === '.' || part === '-';
    if (isSeparator) {
      if (before === undefined || before === '.' || before === '-') list.push(0n);
      if (part === '-') deeper();
      continue;
    }
    const isNumber = startsWithDigit(part);
    list.push(
      isNumber
        ? BigInt(asciiDigits(part).slice(0, mostDigits))
        : qualifierOf(part, next !== undefined && startsWithDigit(next)),
    );
    if (next !== undefined && next !== '.' && next !== '-') deeper();
  }
  return all;
}

const mostDigits = 1000;

const startsWithDigit = (part: string): boolean => /^\p{Nd}/u.test(part);

const isNothing = (item: Item | undefined) =>
  item === 0n || item === '' || (Array.isArray(item) && item.length === 0);

function trim(items: readonly Item[]): Item[] {
  const inner = items.map((item) => (Array.isArray(item) ? trim(item) : item));
  for (let index = inner.length - 1; index >= 0; index--) {
    if (isNothing(inner[index])) inner.splice(index, 1);
    else if (!Array.isArray(inner[index])) break;
  }
  return inner;
}

// Ranks of version parts: pre-releases, end of a release, later qualifiers, lists, numbers.
function versionText(items: readonly Item[]): string {
  const texts = items.map((item) => {
    if (Array.isArray(item)) {
      const first = qualifiers.indexOf(String(item[0]));
      return `${first >= 0 && first < 5 ? '1z' : '4'}${versionText(item)}`;
    }
    if (typeof item === 'bigint') return `5${size(String(item))}`;
    const index = qualifiers.indexOf(item);
    return index < 0 ? `37${item}${end}` : index < 5 ? `1${index}` : index === 5 ? '' : '36';
  });
  return `${texts.join('')}2`;
}

const keys: Readonly<Record<string, (text: string) => string>> = {
  alphanumeric: alphanumericKey,
  strlen: (text) => `${String(text.length).padStart(8, '0')}${text}`,
  version: (text) => versionText(trim(itemsOf(text.slice(0, longestVersion)))),
};

const longestVersion = 1000;

/** The sort key as a DuckDB function of the text and the name of the order. */
export const orderingKeyFunction = engineFunction(
  'druid_ordering_key',
  ['VARCHAR', 'VARCHAR'],
  'VARCHAR',
  (text, ordering) => (keys[ordering] ?? String)(text),
);
