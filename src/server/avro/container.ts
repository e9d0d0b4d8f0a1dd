// Avro object container files (avro.apache.org, specification, "Object Container Files"): a header
// with the schema, then blocks of rows. They are read in pieces with bounds, because sizes in a
// file may be wrong.
import { readSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { unpackSnappy } from './snappy.ts';

export interface Header {
  readonly schema: unknown; // as JSON
  readonly codec: string;
}

export interface Block {
  readonly count: number; // of rows
  readonly data: Buffer;
}

/**
 * Reads a container from an open file: first the header, then all blocks. Throws an Error that
 * names the fault.
 */
export class Container {
  readonly header: Header;
  readonly #input: Input;
  readonly #sync: Buffer;

  constructor(file: number) {
    this.#input = new Input(file);
    if (this.#input.isAtEnd() || !this.#input.bytes(magic.length).equals(magic))
      throw new Error('it is not an Avro container file');
    const metadata = this.#metadata();
    this.#sync = this.#input.bytes(syncBytes);
    const schema = metadata.get('avro.schema');
    if (!schema) throw new Error('its header has no schema');
    this.header = {
      schema: parseSchema(schema.toString()),
      codec: metadata.get('avro.codec')?.toString() ?? 'null',
    };
    if (!(this.header.codec in codecs)) throw unknownCodec(this.header.codec);
  }

  /** The next block; undefined at the end. */
  next(): Block | undefined {
    if (this.#input.isAtEnd()) return undefined;
    const count = this.#input.long();
    const size = this.#input.long();
    if (count < 0 || size < 0 || size > maxBlockBytes)
      throw new Error(`it has a block of [${size}] bytes; at most [${maxBlockBytes}] are read`);
    const packed = this.#input.bytes(size);
    if (!this.#input.bytes(syncBytes).equals(this.#sync))
      throw new Error('a block of it is damaged: the marker at its end is missing');
    const unpack = codecs[this.header.codec];
    if (!unpack) throw unknownCodec(this.header.codec);
    return { count, data: unpack(packed) };
  }

  #metadata(): Map<string, Buffer> {
    const metadata = new Map<string, Buffer>();
    let room = maxHeaderBytes;
    const bytes = (): Buffer => {
      const length = this.#input.long();
      room -= Math.abs(length) + 1;
      if (length < 0 || room < 0)
        throw new Error(`its header has more than [${maxHeaderBytes}] bytes`);
      return this.#input.bytes(length);
    };
    for (let count = this.#input.long(); count !== 0; count = this.#input.long()) {
      if (count < 0) this.#input.long(); // the size of the following items
      for (let left = Math.abs(count); left > 0; left--) metadata.set(bytes().toString(), bytes());
    }
    return metadata;
  }
}

const magic = Buffer.from('Obj\u0001');
const syncBytes = 16;
const maxHeaderBytes = 1024 ** 2;
const maxBlockBytes = 64 * 1024 ** 2; // for both compressed and decompressed blocks

type Unpack = (packed: Buffer) => Buffer;

const unpackZstd = (
  zlib as { zstdDecompressSync?: (packed: Buffer, options: zlib.ZlibOptions) => Buffer }
).zstdDecompressSync;

const codecs: Readonly<Record<string, Unpack>> = {
  null: (packed) => packed,
  deflate: (packed) =>
    limitSize(() => zlib.inflateRawSync(packed, { maxOutputLength: maxBlockBytes })),
  snappy: (packed) => unpackSnappy(packed.subarray(0, -checksumBytes), maxBlockBytes),
  // Node supports it since version 22.15.
  ...(unpackZstd && {
    zstandard: (packed: Buffer) =>
      limitSize(() => unpackZstd(packed, { maxOutputLength: maxBlockBytes })),
  }),
};

const checksumBytes = 4;

function limitSize(unpack: () => Buffer): Buffer {
  try {
    return unpack();
  } catch (error) {
    const isLarge =
      error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw new Error(
      isLarge
        ? `a block of it unpacks to more than [${maxBlockBytes}] bytes`
        : 'a block of it cannot be unpacked',
    );
  }
}

const unknownCodec = (codec: string) =>
  new Error(
    `its blocks are compressed with [${codec.slice(0, 50)}], and the service reads [${Object.keys(codecs).join(', ')}]`,
  );

function parseSchema(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('its schema is not JSON');
  }
}

// Sequential reader of a file.
class Input {
  readonly #file: number;
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(file: number) {
    this.#file = file;
  }

  isAtEnd(): boolean {
    return this.#at === this.#buffer.length && !this.#fill(1);
  }

  // A number of up to 64 bits in Avro's zigzag form.
  long(): number {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = BigInt(this.bytes(1)[0] ?? 0);
      value |= (byte & 127n) << shift;
      if (byte > 127n) continue;
      const number = Number((value >> 1n) ^ -(value & 1n));
      if (!Number.isSafeInteger(number)) break;
      return number;
    }
    throw new Error('it is damaged: a size in it is out of range');
  }

  // Memory is allocated as bytes arrive, not by the size that the file states.
  bytes(count: number): Buffer {
    const pieces: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      if (this.#at === this.#buffer.length && !this.#fill(missing))
        throw new Error('it ends too early');
      const piece = this.#buffer.subarray(this.#at, this.#at + missing);
      this.#at += piece.length;
      missing -= piece.length;
      pieces.push(piece);
    }
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }

  #fill(wanted: number): boolean {
    const buffer = Buffer.alloc(Math.min(mostAtOnce, Math.max(leastAtOnce, wanted)));
    this.#buffer = buffer.subarray(0, readSync(this.#file, buffer));
    this.#at = 0;
    return this.#buffer.length > 0;
  }
}

const leastAtOnce = 64 * 1024;
const mostAtOnce = 4 * 1024 ** 2;
