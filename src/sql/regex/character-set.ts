// Sets of characters in Java's patterns: ranges of code points, and named Unicode categories that
// RE2 supports.

/** Sorted, without overlaps, both ends included. */
export type Ranges = readonly (readonly [first: number, last: number])[];

export interface CharacterSet {
  readonly ranges: Ranges;
  // RE2's texts of categories and scripts: `\p{Lu}`, `\P{Greek}`
  readonly categories: readonly string[];
  readonly isNegated?: true; // all other characters
}

const highest = 0x10ffff;

/** A set of ranges in any order and of categories. */
export const setOf = (ranges: Ranges, categories: readonly string[] = []): CharacterSet => ({
  ranges: merge(ranges),
  categories,
});

export const emptySet: CharacterSet = { ranges: [], categories: [] };

/** The characters of either set. */
export function unionOf(a: CharacterSet, b: CharacterSet): CharacterSet {
  if (isEmpty(a)) return b;
  if (a.isNegated || b.isNegated) return setOf([...rangesOf(a), ...rangesOf(b)]);
  return setOf([...a.ranges, ...b.ranges], [...new Set([...a.categories, ...b.categories])]);
}

/** All other characters. */
export function complementOf({ ranges, categories, isNegated }: CharacterSet): CharacterSet {
  if (categories.length === 0) return { ranges: complement(ranges), categories };
  return { ranges, categories, ...(!isNegated && { isNegated: true }) };
}

/** Whether a set is written without any character. */
export const isEmpty = ({ ranges, categories, isNegated }: CharacterSet): boolean =>
  !isNegated && ranges.length + categories.length === 0;

/**
 * The characters in both sets. Categories become ranges, which takes some milliseconds the first
 * time.
 */
export const intersectionOf = (a: CharacterSet, b: CharacterSet): CharacterSet =>
  setOf(complement(merge([...complement(rangesOf(a)), ...complement(rangesOf(b))])));

/** Whether no character is in both sets. */
export const areDisjoint = (a: CharacterSet, b: CharacterSet): boolean =>
  intersectionOf(a, b).ranges.length === 0;

/**
 * The set and the other case of its ASCII letters (Java: CASE_INSENSITIVE without UNICODE_CASE).
 */
export function withAsciiCases(set: CharacterSet): CharacterSet {
  const [upper, lower] = [overlap(set.ranges, 0x41, 0x5a), overlap(set.ranges, 0x61, 0x7a)];
  const cased = set.categories.some((category) => /^\\p\{L[ult]\}$/.test(category))
    ? ['\\p{Lu}', '\\p{Ll}', '\\p{Lt}']
    : [];
  const shift = (ranges: Ranges, by: number): Ranges =>
    ranges.map(([first, last]) => [first + by, last + by]);
  return setOf(
    [...set.ranges, ...shift(upper, 32), ...shift(lower, -32)],
    [...new Set([...set.categories, ...cased])],
  );
}

/** The set in RE2's syntax: a single character if possible, otherwise a class. */
export function setText({ ranges, categories, isNegated }: CharacterSet): string {
  const [range] = ranges;
  const characters = ranges.map(([first, last]) =>
    first === last ? characterText(first) : `${characterText(first)}-${characterText(last)}`,
  );
  if (isNegated) return `[^${characters.join('')}${categories.join('')}]`;
  if (categories.length === 0 && ranges.length === 1 && range && range[0] === range[1])
    return characterText(range[0]);
  if (categories.length === 1 && ranges.length === 0) return categories[0] ?? '';
  if (categories.length === 0 && ranges.length === 0) return `[^\\x00-\\x{10ffff}]`;
  return `[${characters.join('')}${categories.join('')}]`;
}

/**
 * The approximate number of instructions in RE2's program for the set, which reads UTF-8 byte by
 * byte.
 */
export const setSize = ({ ranges, categories }: CharacterSet): number =>
  Math.max(
    1,
    ranges.reduce(
      (sum, [, last]) => sum + (last < 0x80 ? 1 : last < 0x800 ? 2 : 6),
      categories.length * 300,
    ),
  );

function characterText(code: number): string {
  if (code < 0x20 || code > 0x7e) return `\\x{${code.toString(16)}}`;
  const character = String.fromCharCode(code);
  return '\\.+*?()|[]{}^$-'.includes(character) ? `\\${character}` : character;
}

/** Whether JavaScript supports a property (`Script=Greek`, `Alphabetic`). */
export function isProperty(name: string): boolean {
  if (!/^[A-Za-z_]+(?:=[A-Za-z_]+)?$/.test(name)) return false;
  try {
    return new RegExp(`\\p{${name}}`, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** All characters of a property, or undefined if JavaScript does not support it. */
export function rangesOfProperty(name: string): Ranges | undefined {
  const known = properties.get(name);
  if (known) return known;
  if (!isProperty(name)) return undefined;
  const pattern = new RegExp(`\\p{${name}}+`, 'gu');
  const ranges: [number, number][] = (beyond[name] ?? []).map(([first, last]) => [first, last]);
  for (const { index, 0: run } of allCharacters().matchAll(pattern)) {
    const last =
      run.length -
      (run.length > 1 &&
      run.charCodeAt(run.length - 1) >= 0xdc00 &&
      run.charCodeAt(run.length - 1) < 0xe000
        ? 2
        : 1);
    ranges.push([codeAt(index), codeAt(index + last)]);
  }
  const sorted = merge(ranges);
  properties.set(name, sorted);
  return sorted;
}

// Ranges outside the searched planes.
const beyond: Readonly<Record<string, Ranges>> = {
  C: [
    [0x40000, 0xdffff],
    [0xf0000, highest],
  ],
  Co: [
    [0xf0000, 0xffffd],
    [0x100000, 0x10fffd],
  ],
};

// A single text of all characters finds the runs of a property in some milliseconds.
function allCharacters(): string {
  everyCharacter ??= charactersAsText();
  return everyCharacter;
}

let everyCharacter: string | undefined;

// The planes 4 to 13 have no characters, 15 and 16 are for private use.
const planes = [1, 2, 3, 14];

function charactersAsText(): string {
  const units = new Uint16Array(0xf800 + 2 * 0x10000 * planes.length);
  for (let code = 0; code < 0xd800; code++) units[code] = code;
  for (let code = 0xe000; code < 0x10000; code++) units[code - 0x800] = code;
  for (const [index, plane] of planes.entries()) {
    for (let low = 0; low < 0x10000; low++) {
      const at = 0xf800 + 2 * (index * 0x10000 + low);
      units[at] = 0xd800 + (((plane - 1) * 0x10000 + low) >> 10);
      units[at + 1] = 0xdc00 + (low & 0x3ff);
    }
  }
  return Buffer.from(units.buffer).toString('utf16le');
}

// In that text, a character up to U+FFFF takes one unit, and a higher one two. Surrogates are left
// out.
function codeAt(index: number): number {
  if (index < 0xd800) return index;
  if (index < 0xf800) return index + 0x800;
  const at = (index - 0xf800) / 2;
  return (planes[at >> 16] ?? 0) * 0x10000 + (at & 0xffff);
}

const properties = new Map<string, Ranges>();

function rangesOf({ ranges, categories, isNegated }: CharacterSet): Ranges {
  const all = categories.map((category) => {
    const name = category.slice(3, -1);
    const known = rangesOfProperty(name) ?? rangesOfProperty(`Script=${name}`) ?? [];
    return category.startsWith('\\P') ? complement(known) : known;
  });
  const whole = merge([...ranges, ...all.flat()]);
  return isNegated ? complement(whole) : whole;
}

function merge(ranges: Ranges): Ranges {
  const merged: [number, number][] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = merged.at(-1);
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

function complement(ranges: Ranges): Ranges {
  const others: [number, number][] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) others.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= highest) others.push([next, highest]);
  return others;
}

const overlap = (ranges: Ranges, low: number, high: number): Ranges =>
  ranges
    .map(([first, last]) => [Math.max(first, low), Math.min(last, high)] as const)
    .filter(([first, last]) => first <= last);
