// Whole numbers for sketches, visited one by one: a list of them can be as long as a table.
import type { VisitLongs } from '../../sketches/value-hash.ts';

/**
 * Visits the numbers whose bits are set, ascending, in a set that `bitstring_agg` has made.
 * The highest bit of the first byte is that of `least`. Numbers are safe integers.
 */
export const longsOfBits =
  (bits: Uint8Array, least: bigint): VisitLongs =>
  (visit) => {
    const first = Number(least);
    for (let index = 0; index < bits.length; index++) {
      const byte = bits[index] ?? 0;
      if (byte === 0) continue;
      for (let bit = 0; bit < 8; bit++) {
        if ((byte & (0x80 >> bit)) === 0) continue;
        const number = first + index * 8 + bit;
        visit(Math.floor(number / 0x1_0000_0000) | 0, number | 0);
      }
    }
  };

/** Visits the numbers of a list. */
export const longsOfList =
  (values: BigInt64Array): VisitLongs =>
  (visit) => {
    const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
    for (let at = 0; at < words.length; at += 2) visit(words[at + 1] ?? 0, words[at] ?? 0);
  };
