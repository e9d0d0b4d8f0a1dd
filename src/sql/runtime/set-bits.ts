// Sets of whole numbers as DuckDB gives them from `bitstring_agg`.

/**
 * The numbers whose bits are set, ascending. The highest bit of the first byte is that of `least`.
 * Numbers are safe integers.
 */
export function numbersOfBits(bits: Uint8Array, least: bigint): BigInt64Array {
  let count = 0;
  for (const byte of bits) count += bitsOfByte[byte] ?? 0;
  const numbers = new BigInt64Array(count);
  const words = new Int32Array(numbers.buffer);
  const first = Number(least);
  let at = 0;
  for (let index = 0; index < bits.length; index++) {
    const byte = bits[index] ?? 0;
    if (byte === 0) continue;
    for (let bit = 0; bit < 8; bit++) {
      if ((byte & (0x80 >> bit)) === 0) continue;
      const number = first + index * 8 + bit;
      words[at++] = number | 0;
      words[at++] = Math.floor(number / 0x1_0000_0000);
    }
  }
  return numbers;
}

const bitsOfByte = Uint8Array.from({ length: 256 }, (_, byte) => {
  let count = 0;
  for (let rest = byte; rest > 0; rest &= rest - 1) count++;
  return count;
});
