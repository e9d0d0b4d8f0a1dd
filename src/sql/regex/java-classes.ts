// The characters of Java's escapes and properties (java.util.regex.Pattern).
import {
  type CharacterSet,
  complementOf,
  isProperty,
  type Ranges,
  rangesOfProperty,
  setOf,
  unionOf,
} from './character-set.ts';

const range = (first: string | number, last: string | number = first): Ranges[number] => [
  codeOf(first),
  codeOf(last),
];
const codeOf = (character: string | number) =>
  typeof character === 'number' ? character : (character.codePointAt(0) ?? 0);

const digits = [range('0', '9')];
const lower = [range('a', 'z')];
const upper = [range('A', 'Z')];
const letters = [...lower, ...upper];

/** Line terminators, except for a carriage return with a line feed. */
export const lineEnds: CharacterSet = setOf([
  range('\n'),
  range('\r'),
  range(0x85),
  range(0x2028, 0x2029),
]);
export const lineFeed: CharacterSet = setOf([range('\n')]);
export const anyCharacter: CharacterSet = setOf([range(0, 0x10ffff)]);

const horizontal = setOf([
  range('\t'),
  range(' '),
  range(0xa0),
  range(0x1680),
  range(0x180e),
  range(0x2000, 0x200a),
  range(0x202f),
  range(0x205f),
  range(0x3000),
]);

/**
 * `\d`, `\w` and other shorthands by letter; a capital is the complement. `unicode` is the flag U.
 */
export function shorthand(letter: string, unicode: boolean): CharacterSet | undefined {
  const small = letter.toLowerCase();
  const set = (unicode && unicodeShorthands[small]?.()) || shorthands[small];
  return set && (small === letter ? set : complementOf(set));
}

const shorthands: Readonly<Record<string, CharacterSet>> = {
  d: setOf(digits),
  w: setOf([...letters, ...digits, range('_')]),
  s: setOf([range('\t', '\r'), range(' ')]),
  h: horizontal,
  v: setOf([range('\n', '\r'), range(0x85), range(0x2028, 0x2029)]),
};

const unicodeShorthands: Readonly<Record<string, () => CharacterSet>> = {
  d: () => setOf([], ['\\p{Nd}']),
  w: () =>
    unionOf(
      setOf([range(0x200c, 0x200d)], ['\\p{M}', '\\p{Nd}', '\\p{Pc}']),
      propertyOf('Alphabetic'),
    ),
  s: () => propertyOf('White_Space'),
};

const propertyOf = (name: string) => setOf(rangesOfProperty(name) ?? []);

const posix: Readonly<Record<string, CharacterSet>> = {
  Lower: setOf(lower),
  Upper: setOf(upper),
  ASCII: setOf([range(0, 0x7f)]),
  Alpha: setOf(letters),
  Digit: setOf(digits),
  Alnum: setOf([...letters, ...digits]),
  Punct: setOf([range('!', '/'), range(':', '@'), range('[', '`'), range('{', '~')]),
  Graph: setOf([range('!', '~')]),
  Print: setOf([range(' ', '~')]),
  Blank: setOf([range(' '), range('\t')]),
  Cntrl: setOf([range(0, 0x1f), range(0x7f)]),
  XDigit: setOf([...digits, range('a', 'f'), range('A', 'F')]),
  Space: setOf([range('\t', '\r'), range(' ')]),
  L1: setOf([range(0, 0xff)]),
  all: anyCharacter,
  LC: setOf([], ['\\p{Lu}', '\\p{Ll}', '\\p{Lt}']),
  LD: setOf([], ['\\p{L}', '\\p{Nd}']),
};

const unicodePosix: Readonly<Record<string, string>> = {
  Lower: 'Lowercase',
  Upper: 'Uppercase',
  Alpha: 'Alphabetic',
  Digit: 'Nd',
  Punct: 'P',
  Space: 'White_Space',
};

const java: Readonly<Record<string, string>> = {
  javaLowerCase: 'Lowercase',
  javaUpperCase: 'Uppercase',
  javaTitleCase: 'Lt',
  javaAlphabetic: 'Alphabetic',
  javaIdeographic: 'Ideographic',
  javaLetter: 'L',
  javaDigit: 'Nd',
};

const categories: ReadonlySet<string> = new Set(
  'L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp C Cc Cf Co'.split(
    ' ',
  ),
);

/** The characters of `\p{name}`, or undefined for an unsupported name, such as a Unicode block. */
export function propertySet(name: string, unicode: boolean): CharacterSet | undefined {
  if (unicode && Object.hasOwn(unicodePosix, name))
    return propertySet(unicodePosix[name] ?? '', false) ?? propertyOf(unicodePosix[name] ?? '');
  if (Object.hasOwn(posix, name)) return posix[name];
  if (categories.has(name)) return setOf([], [`\\p{${name}}`]);
  if (Object.hasOwn(java, name))
    return propertySet(java[name] ?? '', false) ?? propertyOf(java[name] ?? '');
  const [key = '', value] = name.split('=');
  if (value !== undefined) {
    if (/^(?:gc|general_category)$/i.test(key))
      return categories.has(value) ? setOf([], [`\\p{${value}}`]) : undefined;
    return /^(?:sc|script)$/i.test(key) ? scriptSet(value) : undefined;
  }
  if (!name.startsWith('Is')) return undefined;
  const rest = name.slice(2);
  if (categories.has(rest)) return setOf([], [`\\p{${rest}}`]);
  return binarySet(rest) ?? scriptSet(rest);
}

const binaries: Readonly<Record<string, string>> = {
  alphabetic: 'Alphabetic',
  ideographic: 'Ideographic',
  letter: 'L',
  lowercase: 'Lowercase',
  uppercase: 'Uppercase',
  titlecase: 'Lt',
  punctuation: 'P',
  control: 'Cc',
  white_space: 'White_Space',
  digit: 'Nd',
  hex_digit: 'Hex_Digit',
  join_control: 'Join_Control',
  noncharacter_code_point: 'Noncharacter_Code_Point',
  emoji: 'Emoji',
};

function binarySet(name: string): CharacterSet | undefined {
  const property = Object.hasOwn(binaries, name.toLowerCase())
    ? binaries[name.toLowerCase()]
    : undefined;
  if (property === undefined) return undefined;
  return categories.has(property) ? setOf([], [`\\p{${property}}`]) : propertyOf(property);
}

// Script names are case-insensitive in Java, but RE2 and JavaScript need capitals.
function scriptSet(name: string): CharacterSet | undefined {
  const written = name.toLowerCase().replace(/(?:^|_)[a-z]/g, (start) => start.toUpperCase());
  return isProperty(`Script=${written}`) ? setOf([], [`\\p{${written}}`]) : undefined;
}
