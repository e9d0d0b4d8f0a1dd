// Decompressor for Snappy's raw format (github.com/google/snappy, format_description.txt), with a
// size limit.

/** Decompresses a block. Throws an Error for one that is damaged or larger than `maxBytes`. */
export function unpackSnappy(packed: Buffer, maxBytes: number): Buffer {
  let at = 0;
  const byte = (): number => {
    const value = packed[at++];
    if (value === undefined) throw new Error('a block of snappy ends too early');
    return value;
  };
  const little = (count: number): number => {
    let value = 0;
    for (let index = 0; index < count; index++) value += byte() * 256 ** index;
    return value;
  };
  let [size, factor] = [0, 1];
  for (let more = true; more; factor *= 128) {
    const value = byte();
    size += (value & 127) * factor;
    more = value > 127;
    if (size > maxBytes || factor > 2 ** 28)
      throw new Error(`a block of snappy has more than [${maxBytes}] bytes`);
  }
  const unpacked = Buffer.alloc(size);
  let end = 0;
  const room = (length: number) => {
    if (length > size - end) throw new Error('a block of snappy has more bytes than it says');
  };
  while (at < packed.length) {
    const tag = byte();
    if ((tag & 3) === 0) {
      const short = tag >> 2;
      const length = (short < 60 ? short : little(short - 59)) + 1;
      room(length);
      if (length > packed.length - at) throw new Error('a block of snappy ends too early');
      packed.copy(unpacked, end, at, at + length);
      at += length;
      end += length;
      continue;
    }
    const isShort = (tag & 3) === 1;
    const length = isShort ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const offset = isShort ? (tag >> 5) * 256 + byte() : little((tag & 3) === 2 ? 2 : 4);
    room(length);
    if (offset === 0 || offset > end)
      throw new Error('a block of snappy refers to bytes before its beginning');
    // The source may overlap with the target.
    for (let index = 0; index < length; index++, end++) unpacked[end] = unpacked[end - offset] ?? 0;
  }
  if (end !== size) throw new Error('a block of snappy has fewer bytes than it says');
  return unpacked;
}
