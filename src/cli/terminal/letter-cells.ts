// Adapter for fast-string-width: the width of a text in terminal cells, including East Asian
// letters, emoji and combining marks. Cells of single letters are kept by their code, because
// measuring a whole text takes much longer.
import measure from 'fast-string-width';
import { isVisible } from '../../model/visible-text.ts';

/** The width of a text in cells, measured as a whole. */
export const measuredWidth = (text: string): number => measure(text);

/** A letter whose width depends on its neighbours, or that is not printed as it is. */
export const oddLetter = -1;

/** Added to the cells of a letter that belongs to the one before it: a text is not cut there. */
export const joined = 16;

/** The cells of a UTF-16 unit, with `joined` for a mark; `oddLetter` for parts of emoji. */
export function cellsOfUnit(unit: number): number {
  const known = knownCells[unit] as number;
  if (known !== 0) return known;
  knownCells[unit] = isWide(unit) ? 2 : measuredCells(unit);
  return knownCells[unit] as number;
}

/** The cells of the letter of two or three bytes at a position of UTF-8; odd for other letters. */
export function cellsOfBytes(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number;
  const next = bytes[at + 1] as number;
  const last = bytes[at + 2] as number;
  if (lead < 0xe0) return cellsOfUnit(((lead & 0x1f) << 6) | (next & 0x3f));
  if (lead >= 0xf0) return oddLetter;
  return cellsOfUnit(((lead & 0x0f) << 12) | ((next & 0x3f) << 6) | (last & 0x3f));
}

// Letters of Japanese, ideographs and syllables of Korean. Measuring a letter takes 16 µs, and a
// text may have thousands of them.
const isWide = (unit: number) =>
  (unit >= 0x3041 && unit <= 0x3096) ||
  (unit >= 0x30a0 && unit <= 0x30ff) ||
  (unit >= 0x4e00 && unit <= 0x9fff) ||
  (unit >= 0xac00 && unit <= 0xd7a3);

const firstWide = 0x2329; // a bracket; the letters of all scripts before it have one cell

function measuredCells(unit: number): number {
  const letter = String.fromCharCode(unit);
  if (mayJoin.test(letter) || !isVisible(letter)) return oddLetter;
  if (isLetter.test(letter)) return unit < firstWide ? 1 : measure(letter);
  return isMark.test(letter) ? measure(`a${letter}`) - 1 + joined : oddLetter;
}

// Zero where a unit was not measured yet: no letter that stands alone is without cells.
const knownCells = new Int8Array(0x10000);

const isLetter = /^[\p{L}\p{Nd}\p{P}\p{S}\p{Zs}]$/u;
const isMark = /^[\p{M}\u200c]$/u; // with the sign between letters of Persian that do not join
// Signs that may become emoji, signs that make them, and parts of syllables
const mayJoin =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Variation_Selector}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]|\u20e3/u;
