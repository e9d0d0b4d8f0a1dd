// Letters in the bytes of JSON that are copied as they are. Four bytes are looked at at a time,
// which takes a third of the time.

const wordBytes = 4;

/** Bytes, and a view that reads and writes four of them at a time. */
export interface Memory {
  readonly bytes: Buffer;
  readonly words: DataView;
}

export const memoryOf = (bytes: Buffer): Memory => ({
  bytes,
  words: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
});

/**
 * Copies letters of ASCII up to the end of a text, at most so many, and returns their number. It
 * may stop up to three letters earlier, and writes up to three spaces behind them.
 */
export function copyPlain(
  { bytes, words }: Memory,
  from: number,
  most: number,
  out: Memory,
  begin: number,
): number {
  const lastWord = bytes.length - wordBytes;
  for (let count = 0; ; count += wordBytes) {
    if (count >= most || from + count > lastWord) return count;
    const word = words.getInt32(from + count, true);
    const found = oddLettersIn(word);
    if (found !== 0) {
      const bits = 31 - Math.clz32(found & -found) - 7; // of the letters before the first odd one
      const plain = bits >> 3;
      if (count + plain > most) return count;
      const mask = (1 << bits) - 1;
      out.words.setInt32(begin + count, (word & mask) | (everySpace & ~mask), true);
      return count + plain;
    }
    if (count + wordBytes > most) return count;
    out.words.setInt32(begin + count, word, true);
  }
}

/** The position behind the text that a position is in. */
export function endOfText({ bytes, words }: Memory, from: number): number {
  const lastWord = bytes.length - wordBytes;
  let at = from;
  while (at <= lastWord && !mayEnd(words.getInt32(at, true))) at += wordBytes;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at + 1;
}

/** Writes NULL at a position. */
export const writeNull = ({ words }: Memory, at: number): void =>
  words.setInt32(at, lettersOfNull, true);

const [quote, backslash] = [34, 92];
const lettersOfNull = 0x4c4c554e;

// The four bytes of a word are compared at once: the highest bit of each result tells.
const everySpace = 0x20202020;
const everyQuote = 0x22222222;
const everyBackslash = 0x5c5c5c5c;
const everyOne = 0x01010101;
const highestBits = -0x7f7f7f80;

// Marks the bytes that are not printable letters of ASCII, quotes and backslashes; the lowest mark
// is right.
const oddLettersIn = (word: number) =>
  (word | // not ASCII
    (word + everyOne) | // DEL
    ((word - everySpace) & ~word) | // a control character
    zeroesIn(word ^ everyQuote) |
    zeroesIn(word ^ everyBackslash)) &
  highestBits;

const mayEnd = (word: number) =>
  ((zeroesIn(word ^ everyQuote) | zeroesIn(word ^ everyBackslash)) & highestBits) !== 0;

// The highest bit is set in a byte that is zero, and sometimes in a byte above it.
const zeroesIn = (word: number) => (word - everyOne) & ~word;
