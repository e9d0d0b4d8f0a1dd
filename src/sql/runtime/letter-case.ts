// Case conversion as in Java: letters whose other case has several letters, and the Greek final
// sigma. DuckDB converts each letter to one letter.

import { quote } from './quoted.ts';

// Code points of letters whose upper case has several letters are in these ranges (Unicode:
// SpecialCasing.txt).
const ranges: readonly (readonly [first: number, last: number])[] = [
  [0xdf, 0xdf],
  [0x149, 0x149],
  [0x1f0, 0x1f0],
  [0x390, 0x390],
  [0x3b0, 0x3b0],
  [0x587, 0x587],
  [0x1e96, 0x1e9a],
  [0x1f50, 0x1ffc],
  [0xfb00, 0xfb17],
];

const growing = ranges
  .flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)),
  )
  .filter((letter) => letter.toUpperCase().length > 1);

const letters = growing.join('');
const uppers = `[${growing.map((letter) => quote(letter.toUpperCase())).join(', ')}]`;

// Unicode's condition Final_Sigma, with ranges of scripts that have cases: its classes would take
// milliseconds to compile.
const cased = 'A-Za-zª-ʯͰ-ևḀ-῿ⰰ-ⷿ';
const ignorable = "\u0300-\u036f\u00ad\u2019'.:·";
const finalSigma = `([${cased}][${ignorable}]*)Σ([${ignorable}]*)(\\z|[^${cased}${ignorable}])`;

// A list of pieces takes up to 11 times the memory of its text, and a microsecond for each. Of
// longer texts only ß becomes two letters.
const longestListed = 4000; // bytes

// A piece is one of these letters, or what is between two of them.
const upperOfPiece = `CASE WHEN instr('${letters}', piece) > 0 THEN ${uppers}[instr('${letters}', piece)] ELSE upper(piece) END`;

/** Macros for Java's String.toUpperCase and toLowerCase, by head. */
export const letterCaseMacros: Readonly<Record<string, string>> = {
  'druid_upper(x)': `CASE WHEN strlen(x) = length(x) OR NOT regexp_matches(x, '[${letters}]') THEN upper(x)
    WHEN strlen(x) > ${longestListed} THEN upper(replace(x, 'ß', 'SS')) ELSE array_to_string(list_transform(regexp_extract_all(x, '[${letters}]|[^${letters}]+'), lambda piece: ${upperOfPiece}), '') END`,
  'druid_lower(x)': `CASE WHEN contains(x, 'İ') OR contains(x, 'Σ')
    THEN lower(regexp_replace(replace(x, 'İ', 'i̇'), ${quote(finalSigma)}, '\\1ς\\2\\3', 'g')) ELSE lower(x) END`,
};

/**
 * DuckDB text of a search for a constant in a text, whatever the case (Java: String.regionMatches,
 * which compares single characters in lower case, after upper case). Of all letters beyond ASCII,
 * only ı and ſ are the same as one in ASCII and have another lower case.
 */
export function containsInAnyCase(text: string, wanted: string): string {
  const any = `contains(lower(upper(${text})), lower(upper(${quote(wanted)})))`;
  if (Buffer.byteLength(wanted) > wanted.length) return any;
  const plain = `contains(lower(${text}), ${quote(wanted.toLowerCase())})`;
  const others = `contains(${text}, 'ı') OR contains(${text}, 'ſ')`;
  return /[is]/i.test(wanted) ? `(${plain} OR ((${others}) AND ${any}))` : plain;
}
