// Compressed replies (RFC 9110, 8.4.1).
import { pipeline, type Readable, type Transform } from 'node:stream';
import { CutOff, UnexpectedReply } from './errors.ts';

/**
 * The decompressed bytes, as they arrive; `paced` watches the compressed ones. Throws
 * UnexpectedReply for an unrequested encoding and for invalid data, CutOff for a truncated stream,
 * and the errors of the body itself.
 */
export async function* decodeBody(
  body: Readable,
  encoding: string,
  paced: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const { createGunzip, createInflate } = process.getBuiltinModule('node:zlib'); // local services do not compress
  const decoders = new Map<string, () => Transform>([
    ['gzip', createGunzip],
    ['x-gzip', createGunzip],
    ['deflate', createInflate],
  ]);
  const decoder = decoders.get(encoding)?.();
  if (!decoder) {
    body.on('error', () => {}).destroy();
    throw new UnexpectedReply(
      `The service sent its reply in the encoding [${encoding}], which svcctl did not request`,
    );
  }
  try {
    yield* pipeline(body, paced, decoder, () => {});
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (code === 'Z_BUF_ERROR') throw new CutOff(cause);
    if (code.startsWith('Z_'))
      throw new UnexpectedReply(`The service declares its reply as [${encoding}], but it is not`, {
        cause,
      });
    throw cause;
  }
}
