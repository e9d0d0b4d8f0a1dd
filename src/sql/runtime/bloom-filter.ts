// Bloom filters in the engine's format (Apache Hive's BloomKFilter, as in Druid's extension
// druid-bloom-filter). Blocks have eight 64-bit words: the first hash selects a block, each further
// hash sets a bit in it. As text: base64 of the number of hashes (1 byte), the number of words (4
// bytes), and the words.

/**
 * Type of a hashed value: a text, a 64-bit integer or a double. Each type has its own hash
 * function.
 */
export type BloomKind = 'text' | 'long' | 'double';

export interface BloomFilter {
  readonly hashes: number;
  readonly words: BigUint64Array;
}

/**
 * An empty filter for `maxEntries` values, with a false positive rate of one in twenty, sized as in
 * the engine.
 */
export function emptyBloomFilter(maxEntries: number): BloomFilter {
  const wrong = 0.05;
  const bits = Math.trunc((-maxEntries * Math.log(wrong)) / Math.LN2 ** 2);
  const words = Math.ceil(bits / 64);
  const padded = words + wordsPerBlock - (words % wordsPerBlock);
  return {
    hashes: Math.max(1, Math.round((bits / maxEntries) * Math.LN2)),
    words: new BigUint64Array(padded),
  };
}

/** Adds a value. Null is a value too. */
export function addToBloomFilter(filter: BloomFilter, value: string | null, kind: BloomKind): void {
  for (const { word, bit } of placesOf(filter, value, kind))
    filter.words[word] = (filter.words[word] ?? 0n) | bit;
}

/** Whether a value may have been added; false is certain. */
export const mayContain = (filter: BloomFilter, value: string | null, kind: BloomKind): boolean =>
  placesOf(filter, value, kind).every(({ word, bit }) => ((filter.words[word] ?? 0n) & bit) !== 0n);

/** Decodes the base64 of a filter; undefined if it is invalid. */
export function readBloomFilter(base64: string): BloomFilter | undefined {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length < 5) return undefined;
  const [hashes, count] = [bytes.readInt8(0), bytes.readInt32BE(1)];
  if (hashes < 1 || count < wordsPerBlock || bytes.length < 5 + count * 8) return undefined;
  return {
    hashes,
    words: BigUint64Array.from({ length: count }, (_, word) => bytes.readBigUInt64BE(5 + word * 8)),
  };
}

/** The base64 of a filter. */
export function bloomFilterText({ hashes, words }: BloomFilter): string {
  const bytes = Buffer.alloc(5 + words.length * 8);
  bytes.writeInt8(hashes, 0);
  bytes.writeInt32BE(words.length, 1);
  for (const [word, bits] of words.entries()) bytes.writeBigUInt64BE(bits, 5 + word * 8);
  return bytes.toString('base64');
}

const wordsPerBlock = 8;

function placesOf(
  { hashes, words }: BloomFilter,
  value: string | null,
  kind: BloomKind,
): { readonly word: number; readonly bit: bigint }[] {
  const hash = hashOf(value, kind);
  const low = Number(BigInt.asIntN(32, hash));
  const high = Number(BigInt.asIntN(32, hash >> 32n));
  const block =
    (positive((low + high) | 0) % Math.floor(words.length / wordsPerBlock)) * wordsPerBlock;
  return Array.from({ length: hashes }, (_, at) => {
    const combined = positive((low + Math.imul(at + 2, high)) | 0);
    return { word: block + (combined & 7), bit: 1n << BigInt((combined >>> 3) & 63) };
  });
}

const positive = (hash: number) => (hash < 0 ? ~hash : hash);

function hashOf(value: string | null, kind: BloomKind): bigint {
  if (value === null) return hashOfNull;
  if (kind === 'text') return murmur64(Buffer.from(value));
  return wang64(kind === 'long' ? BigInt(value) : bitsOf(Number(value)));
}

const hashOfNull = 2862933555777941757n;

const bitsOf = (value: number) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigInt64(0);
};

const toUnsigned = (value: bigint) => BigInt.asUintN(64, value);
const rotateLeft = (value: bigint, by: bigint) => toUnsigned(value << by) | (value >> (64n - by));

// Half of the 128-bit MurmurHash3, as used by Hive.
function murmur64(bytes: Buffer): bigint {
  const mixed = (block: bigint) =>
    toUnsigned(rotateLeft(toUnsigned(block * 0x87c37b91114253d5n), 31n) * 0x4cf5ad432745937fn);
  let hash = 104_729n;
  const whole = bytes.length - (bytes.length % 8);
  for (let at = 0; at < whole; at += 8)
    hash = toUnsigned(rotateLeft(hash ^ mixed(bytes.readBigUInt64LE(at)), 27n) * 5n + 0x52dce729n);
  if (whole < bytes.length) {
    let rest = 0n;
    for (let at = bytes.length - 1; at >= whole; at--) rest = (rest << 8n) | BigInt(bytes[at] ?? 0);
    hash ^= mixed(rest);
  }
  hash ^= BigInt(bytes.length);
  hash = toUnsigned((hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn);
  hash = toUnsigned((hash ^ (hash >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return hash ^ (hash >> 33n);
}

// Thomas Wang's hash of 64-bit integers, with signed right shifts.
function wang64(key: bigint): bigint {
  const toSigned = (value: bigint) => BigInt.asIntN(64, value);
  let hash = toSigned(~key + (key << 21n));
  hash ^= hash >> 24n;
  hash = toSigned(hash + (hash << 3n) + (hash << 8n));
  hash ^= hash >> 14n;
  hash = toSigned(hash + (hash << 2n) + (hash << 4n));
  hash ^= hash >> 28n;
  return toSigned(hash + (hash << 31n));
}
