// Compressed replies (RFC 9110, 8.4.1).
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { UnexpectedReply } from './errors.ts';

/**
 * The bytes before compression, as they arrive. Throws UnexpectedReply on an encoding nobody asked for; the decoder's own error where
 * the compressed bytes end too early.
 */
export async function* decoded(body: Readable, encoding: string): AsyncIterable<Uint8Array> {
  const { createGunzip, createInflate } = await import('node:zlib'); // local services do not compress
  const decoders: Record<string, typeof createGunzip | typeof createInflate> = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
  };
  const createDecoder = decoders[encoding];
  if (!createDecoder) {
    body.destroy();
    throw new UnexpectedReply(`The service sent its reply in the encoding [${encoding}], which it was not asked for`);
  }
  yield* pipeline(body, createDecoder(), new PassThrough(), () => {});
}
