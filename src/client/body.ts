// Body of a reply, as a stream or as one text. Limits on time and size stop services that trickle
// or never end.
import type { Readable } from 'node:stream';
import { decodeBody } from './decode.ts';
import { CutOff, Interrupted, UnexpectedReply, Unreachable } from './errors.ts';
import { type Headers, headerOf, mostBytes, type Reply } from './message.ts';
import { patienceHint } from './unreachable.ts';
import { uptimeMs } from './uptime.ts';

const mostOfRefusal = 2 ** 20;
const mostTogether = 2 * mostBytes; // of documents that arrive at the same time
let arrivingBytes = 0;
const leastBytesPerSecond = 4; // a stream of rows computed one by one is faster

type Arriving = Readable & { text(): Promise<string>; dump(): Promise<void> };

interface How {
  readonly method: string;
  readonly url: URL;
  readonly timeoutMs: number; // for each pause
  readonly endMs: number; // deadline for a whole text, as `uptimeMs` counts
  readonly signal: AbortSignal | undefined;
}

/** The body's part of a reply. Throws as documented in `Reply`. */
export function bodyOf(
  headers: Headers,
  body: Arriving,
  how: How,
): Pick<Reply, 'beginning' | 'discard' | 'stream' | 'text'> {
  const { method, url, timeoutMs, endMs, signal } = how;
  const encoding = headerOf(headers, 'content-encoding')?.toLowerCase() ?? 'identity';
  const limitTrickle = (chunks: AsyncIterable<Uint8Array>) => withoutTrickle(chunks, timeoutMs);
  const stream = failing(
    encoding === 'identity' ? limitTrickle(body) : decodeBody(body, encoding, limitTrickle),
    errorOf,
  );

  async function whole(read: () => Promise<string>): Promise<string> {
    const giveUp = () =>
      body.destroy(
        new Unreachable(
          'replyTimeout',
          `The reply was not complete within ${formatSeconds(timeoutMs)}`,
          patience,
        ),
      );
    const timer = setTimeout(giveUp, Math.max(1, endMs - uptimeMs()));
    try {
      return await read();
    } catch (thrown) {
      throw errorOf(thrown);
    } finally {
      clearTimeout(timer);
    }
  }

  async function text(): Promise<string> {
    const length = Number(headerOf(headers, 'content-length') ?? Number.NaN);
    if (length > mostBytes) {
      body.on('error', () => {}).destroy();
      throw tooLong();
    }
    // undici's own method is faster
    return whole(() =>
      encoding === 'identity' && length <= mostBytes
        ? sharing(() => body.text(), length)
        : textOf(stream, mostBytes, tooLong),
    );
  }

  function tooLong(): UnexpectedReply {
    const hint =
      method === 'GET'
        ? `save it to a file: svcctl api GET '${url.pathname}${url.search}' > FILE`
        : 'request less data at once';
    return new UnexpectedReply(
      `The reply to [${url.pathname}] is longer than ${mostBytes / 2 ** 20} MiB, the limit of one document`,
      {
        hint,
      },
    );
  }

  function errorOf(thrown: unknown): Error {
    if (signal?.aborted) return new Interrupted();
    if (thrown instanceof UnexpectedReply || thrown instanceof Unreachable) return thrown;
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    if (code === 'UND_ERR_BODY_TIMEOUT')
      return new Unreachable(
        'replyTimeout',
        `The service sent nothing for ${formatSeconds(timeoutMs)}`,
        patience,
      );
    return new CutOff(thrown);
  }

  return {
    stream,
    text,
    beginning: () => whole(() => textOf(stream, mostOfRefusal)),
    discard: () => body.dump().catch(() => {}), // errors of an unwanted body do not matter
  };
}

const patience = { hint: patienceHint };

const formatSeconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;

// Time that the reader needs does not count.
async function* withoutTrickle(
  chunks: AsyncIterable<Uint8Array>,
  timeoutMs: number,
): AsyncIterable<Uint8Array> {
  let [bytes, waitedMs] = [0, 0];
  let askedMs = uptimeMs();
  for await (const chunk of chunks) {
    bytes += chunk.length;
    waitedMs += uptimeMs() - askedMs;
    if (waitedMs >= timeoutMs) {
      if (bytes < (leastBytesPerSecond * waitedMs) / 1000)
        throw new Unreachable(
          'replyTimeout',
          `The service is too slow: it sent ${bytes} bytes in ${formatSeconds(waitedMs)}`,
          patience,
        );
      [bytes, waitedMs] = [0, 0];
    }
    yield chunk;
    askedMs = uptimeMs();
  }
}

async function* failing(chunks: AsyncIterable<Uint8Array>, errorOf: (thrown: unknown) => Error) {
  try {
    yield* chunks;
  } catch (thrown) {
    throw errorOf(thrown);
  }
}

// Without an error for too long texts, the rest is dropped.
async function textOf(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
  tooLong?: () => Error,
): Promise<string> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      all.push(chunk);
      bytes += chunk.length;
      arrivingBytes += chunk.length;
      if (bytes > most && tooLong) throw tooLong();
      if (bytes > most) break;
      if (arrivingBytes > mostTogether) throw tooMuch();
    }
    return new TextDecoder().decode(Buffer.concat(all).subarray(0, most));
  } finally {
    arrivingBytes -= bytes;
  }
}

// A text of a known length, which is reserved before it arrives.
async function sharing(read: () => Promise<string>, bytes: number): Promise<string> {
  if (arrivingBytes + bytes > mostTogether) throw tooMuch();
  arrivingBytes += bytes;
  try {
    return await read();
  } finally {
    arrivingBytes -= bytes;
  }
}

const tooMuch = () =>
  new UnexpectedReply(
    `The replies that arrive at the same time are longer than ${mostTogether / 2 ** 20} MiB together`,
  );
