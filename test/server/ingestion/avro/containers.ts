// Containers of Avro: written by a real writer, and by hand, where no writer would do it.
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { streams, Type } from 'avsc';
import { temporaryFolder } from '../../../support/storage.ts';

export interface Written {
  readonly codec?: 'null' | 'deflate';
  readonly blockSize?: number;
}

/** A file with rows, as avsc writes it; returns its path. */
export async function avroFile(
  schema: object,
  rows: readonly object[],
  { codec = 'null', blockSize = 65536 }: Written = {},
): Promise<string> {
  const path = join(await temporaryFolder(), 'rows.avro');
  const type = Type.forSchema(schema as never, { wrapUnions: 'always' });
  const encoder = new streams.BlockEncoder(type, { codec, blockSize });
  const file = encoder.pipe(createWriteStream(path));
  for (const row of rows) encoder.write(row);
  encoder.end();
  await once(file, 'finish');
  return path;
}

/** A number as Avro writes it. */
export function long(value: bigint | number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

export const bytes = (content: string | Buffer): Buffer =>
  Buffer.concat([long(Buffer.byteLength(content)), Buffer.from(content)]);

export const sync = Buffer.alloc(16, 7);

export interface RawBlock {
  readonly count: number | bigint;
  readonly data: Buffer;
  readonly size?: number | bigint; // that it claims
}

/** A container as it is told, byte by byte. */
export const container = (
  schema: object | string,
  codec: string,
  blocks: readonly RawBlock[],
): Buffer =>
  Buffer.concat([
    Buffer.from('Obj\u0001'),
    long(2),
    bytes('avro.schema'),
    bytes(typeof schema === 'string' ? schema : JSON.stringify(schema)),
    bytes('avro.codec'),
    bytes(codec),
    long(0),
    sync,
    ...blocks.flatMap(({ count, data, size = data.length }) => [
      long(count),
      long(size),
      data,
      sync,
    ]),
  ]);

/** A file with these bytes; returns its path. */
export async function fileWith(content: Buffer): Promise<string> {
  const path = join(await temporaryFolder(), 'made.avro');
  writeFileSync(path, content);
  return path;
}
