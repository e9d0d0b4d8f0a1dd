// Subset of Smile for the caches of users (Smile Format Specification 1.0: no shared names or
// values, binary data in 7-bit groups).

/**
 * Encodes a value of nulls, booleans, 32-bit integers, texts, bytes, lists and objects as a Smile
 * document.
 */
export const formatSmile = (value: unknown): Uint8Array =>
  Uint8Array.from([0x3a, 0x29, 0x0a, 0x00, ...bytesOf(value)]);

function bytesOf(value: unknown): number[] {
  if (typeof value === 'boolean') return [value ? 0x23 : 0x22];
  if (typeof value === 'number') return [0x24, ...variable(((value << 1) ^ (value >> 31)) >>> 0)];
  if (typeof value === 'string')
    return value === '' ? [0x20] : [0xe4, ...Buffer.from(value), endOfText];
  if (value instanceof Uint8Array) return [0xe8, ...variable(value.length), ...sevenBits(value)];
  if (Array.isArray(value)) return [0xf8, ...value.flatMap(bytesOf), 0xf9];
  if (typeof value !== 'object' || value === null) return [0x21];
  return [
    0xfa,
    ...Object.entries(value).flatMap(([name, member]) => [...nameOf(name), ...bytesOf(member)]),
    0xfb,
  ];
}

const endOfText = 0xfc;

function nameOf(name: string): number[] {
  if (name === '') return [0x20];
  const bytes = Buffer.from(name);
  const isShort = bytes.length <= 64 && bytes.every((byte) => byte < 0x80);
  return isShort ? [0x80 + bytes.length - 1, ...bytes] : [0x34, ...bytes, endOfText];
}

// The last byte has six bits and the sign bit, earlier ones have seven.
function variable(value: number): number[] {
  const bytes = [0x80 | (value & 0x3f)];
  for (let rest = Math.floor(value / 64); rest > 0; rest = Math.floor(rest / 128))
    bytes.unshift(rest & 0x7f);
  return bytes;
}

function sevenBits(bytes: Uint8Array): number[] {
  const out: number[] = [];
  let held = 0;
  let count = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    count += 8;
    while (count >= 7) {
      count -= 7;
      out.push((held >> count) & 0x7f);
    }
    held &= (1 << count) - 1;
  }
  if (count > 0) out.push(held);
  return out;
}
