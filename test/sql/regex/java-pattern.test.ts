// Java's patterns as RE2 reads them, and what is refused by name.
import { expect, test } from 'vitest';
import { linearRegex } from '../../../src/model/linear-regex.ts';
import { parseJavaPattern } from '../../../src/sql/regex/java-pattern.ts';
import {
  compileWhole,
  extractMatch,
  replaceMatches,
  splitText,
} from '../../../src/sql/regex/java-regex.ts';

const matches = (pattern: string, text: string) => {
  const { body, endsAtLine, lineEnd } = parseJavaPattern(pattern, true);
  return linearRegex(endsAtLine ? `${body}${lineEnd}\\z` : body).matchesIn(text);
};

test.each([
  ['(?=a)', 'A look-ahead [(?=]', 0],
  ['a(?!b)', 'A negative look-ahead [(?!]', 1],
  ['(?<=a)b', 'A look-behind [(?<=]', 0],
  ['(?<!a)b', 'A negative look-behind [(?<!]', 0],
  ['(a)\\1', 'A back reference [\\1]', 3],
  ['(?<x>a)\\k<x>', 'A back reference [\\k]', 7],
  ['a++a', 'A possessive quantifier [++] before what it could take itself', 2],
  ['(?>ab|a)c', 'An atomic group [(?>]', 0],
  ['\\Ga', 'The end of the previous match [\\G]', 0],
  ['\\X', 'A grapheme cluster [\\X]', 0],
  ['\\p{InGreek}', 'Character property [InGreek]', 0],
])('%s is refused by the name of what RE2 lacks, and its place', (pattern, what, at) => {
  expect(() => parseJavaPattern(pattern, true)).toThrow(what);
  expect(() => parseJavaPattern(pattern, true)).toThrow(`near index ${at}`);
});

test.each([
  '(',
  'a)',
  '*a',
  'a{',
  'a{2,1}',
  '[a',
  '[z-a]',
  '(?y)',
  '\\',
  '\\q',
  '(?<1>a)',
  '\\x{110000}',
  '\\uD800',
  '(?<a>x)(?<a>y)',
  'a**',
])('%s is not a pattern', (pattern) =>
  expect(() => parseJavaPattern(pattern, true)).toThrow('near index'),
);

test.each([
  ['a'.repeat(10_001), 'more than [10000] characters'],
  ['a{1001}', 'more than [1000]'],
  ['(a{100}){100}', 'more than [1000]'],
  ['((((a{2,9}){9}){9}){9})', 'more than [1000]'],
  ['\\p{L}{1000}', 'too large'],
  ['.{1000}'.repeat(10), 'too large'],
  ['('.repeat(201) + ')'.repeat(201), 'nested more than [200] deep'],
])('a pattern that takes too much is refused (%#)', (pattern, message) => {
  expect(() => parseJavaPattern(pattern, true)).toThrow(message);
});

test.each<[pattern: string, text: string, whether: boolean]>([
  ['b$', 'ab\n', true],
  ['b$', 'ab\r\n', true],
  ['b$', 'ab\nc', false],
  ['x|b$', 'ab\n', true],
  ['(?m)^b$', 'a\nb\nc', true],
  ['b\\z', 'ab\n', false],
  ['b\\Z', 'ab\n', true],
  ['a.b', 'a\rb', false],
  ['(?s)a.b', 'a\nb', true],
  ['(?d)a.b', 'a\rb', true],
  ['a\\Rb', 'a\r\nb', true],
  ['a\\hb', 'a\u00a0b', true],
  ['a\\vb', 'a\u2028b', true],
  ['^\\s$', '\v', true],
  ['\\QA.b\\E+c', 'A.bbc', true],
  ['\\Q[\\E', 'a[b', true],
  ['(?i)straße', 'STRAßE', true],
  ['(?i)é', 'É', false],
  ['(?iu)é', 'É', true],
  ['(?i:a)b', 'AB', false],
  ['(?x) a b # comment', 'ab', true],
  ['\\p{Alpha}\\p{Digit}', 'é1', false],
  ['\\p{L}', 'é', true],
  ['\\p{IsGreek}', 'α', true],
  ['\\P{L}', 'é', false],
  ['^[\\p{L}&&[^\\p{Lu}]]+$', 'éa', true],
  ['^[\\p{L}&&[^\\p{Lu}]]+$', 'É', false],
  ['^[a-z&&[^aeiou]]$', 'e', false],
  ['^[a-d[m-p]]$', 'n', true],
  ['[]a]', ']', true],
  ['\\x41\\u0042\\x{1F600}\\uD83D\\uDE00', 'AB😀😀', true],
  ['"[^"]*+"', '"a"', true],
  ['(?>a+)b', 'aab', true],
  ['[0-9]++$', 'a12\n', true],
  ['\\0101\\cA\\e\\t', 'A\u0001\u001b\t', true],
])('[%s] in %j: %s, as in Java', (pattern, text, whether) =>
  expect(matches(pattern, text)).toBe(whether),
);

test('groups, replacements and parts are those of Java', () => {
  expect(extractMatch('ab', '(a)(c)?', 2)).toBeNull();
  expect(extractMatch('ab', '(a)(c*)', 2)).toBe('');
  expect(extractMatch('ab\n', '(b)$', 0)).toBe('b');
  expect(() => extractMatch('a', 'a', 1)).toThrow('No group 1');
  expect(replaceMatches('baaac', 'a*', '-')).toBe('-b--c-');
  expect(replaceMatches('ab\n', 'b$', '<$0>')).toBe('a<b>\n');
  expect(replaceMatches('2024-05', '(?<y>\\d+)-(?<m>\\d+)', `$${'{m}'}/$${'{y}'}\\$`)).toBe(
    '05/2024$',
  );
  expect(replaceMatches('ab', '(a)', '$11')).toBe('a1b');
  expect(replaceMatches('b', '(a)', '$2')).toBe('b'); // a wrong group fails where something matches
  expect(() => replaceMatches('a', '(a)', `$${'{x}'}`)).toThrow('No group with name {x}');
  expect(splitText('a,b,,', ',')).toEqual(['a', 'b']);
  expect(splitText('A|B', '|')).toEqual(['A', '|', 'B']);
  expect(splitText('', ',')).toEqual(['']);
  expect(splitText(',', ',')).toEqual([]);
});

test('names match as a whole', () => {
  const regex = compileWhole('(a|ab)(c|bcd)$');
  expect(['abcd', 'abc', 'xabc', 'abcd\n'].map(regex.matchesAll)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a result that would be too long is refused while it is made', () => {
  expect(() => replaceMatches('a'.repeat(100_000), 'a', 'b'.repeat(1000))).toThrow(
    'Function[regexp_replace] returns texts of at most [10000000]',
  );
});
