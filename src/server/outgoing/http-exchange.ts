// One HTTP request and its response, with deadlines: never to a link-local address. The body can be
// written to a file.
import { createWriteStream } from 'node:fs';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { lookupElsewhere } from './link-local.ts';

export interface Exchange {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Readable | string;
  readonly signal: AbortSignal;
  readonly patienceMs: number; // for the response to begin, after the body has been sent
}

/**
 * Sends a request; resolves when its response begins. Redirects are returned like other responses.
 */
export function exchange(
  { protocol, hostname, port, pathname, search }: URL,
  wanted: Exchange,
): Promise<IncomingMessage> {
  const { method = 'GET', headers, body, signal, patienceMs } = wanted;
  return new Promise((resolve, reject) => {
    const send = protocol === 'https:' ? requestHttps : requestHttp;
    const request = send({
      method,
      protocol,
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      ...(port !== '' && { port: Number(port) }),
      path: pathname + search,
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'svcctl', ...headers },
      lookup: lookupElsewhere,
      agent: false,
      signal,
    });
    // Progress in sending the body resets the timeout; a stalled body does not.
    let timer = setTimeout(giveUp, patienceMs);
    function giveUp() {
      request.destroy(new Error(`no answer within [${patienceMs}] ms`));
    }
    request.once('close', () => clearTimeout(timer));
    request.once('error', reject);
    request.once('response', (response) => {
      clearTimeout(timer);
      request.off('error', reject);
      request.on('error', () => undefined); // the response gets the error, too
      resolve(response);
    });
    if (body === undefined || typeof body === 'string') {
      request.end(body);
      return;
    }
    body.on('data', () => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, patienceMs);
    });
    body.once('error', (error) => request.destroy(error));
    request.once('close', () => body.destroy());
    body.pipe(request);
  });
}

export interface Receiving {
  readonly path: string; // of the target file
  readonly from?: number; // position in the file: earlier bytes stay
  readonly decoders?: readonly Transform[];
  readonly maxBytes: number;
  readonly patienceMs: number; // for each further 1024 bytes
  readonly signal: AbortSignal;
}

/**
 * Writes the body of a response to a file; returns its size in bytes. Throws an Error with the
 * reason.
 */
export async function receiveFile(
  response: IncomingMessage,
  receiving: Receiving,
): Promise<number> {
  const { path, from = 0, decoders = [], maxBytes, patienceMs, signal } = receiving;
  let sizeBytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      sizeBytes += chunk.length;
      done(
        sizeBytes > maxBytes ? new TooLarge(`it is larger than [${maxBytes}] bytes`) : null,
        chunk,
      );
    },
  });
  const file = createWriteStream(path, {
    mode: 0o600,
    ...(from > 0 && { flags: 'r+', start: from }),
  });
  await patiently(response, { patienceMs, count: () => sizeBytes }, () =>
    pipeline([response, ...decoders, counted, file], { signal }),
  );
  return sizeBytes;
}

/** A body exceeds its limit: a retry cannot help. */
export class TooLarge extends Error {}

/** The body of a response in memory. Throws an Error when it exceeds `maxBytes`. */
export async function* receiveBytes(
  response: IncomingMessage,
  { maxBytes, patienceMs }: Pick<Receiving, 'maxBytes' | 'patienceMs'>,
): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  const stop = watch(response, { patienceMs, count: () => sizeBytes });
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw new TooLarge(`the answer is larger than [${maxBytes}] bytes`);
      yield chunk;
    }
  } finally {
    stop();
    response.destroy();
  }
}

interface Watching {
  readonly patienceMs: number;
  readonly count: () => number;
}

async function patiently(
  response: IncomingMessage,
  watching: Watching,
  work: () => Promise<void>,
): Promise<void> {
  const stop = watch(response, watching);
  try {
    await work();
  } finally {
    stop();
  }
}

// Also detects a server that sends only a byte now and then.
function watch(response: IncomingMessage, { patienceMs, count }: Watching): () => void {
  let before = 0;
  const timer = setInterval(() => {
    if (count() - before < minBytes && response.readableLength === 0)
      response.destroy(
        new Error(`the server sent less than [${minBytes}] bytes within [${patienceMs}] ms`),
      );
    before = count();
  }, patienceMs);
  return () => clearInterval(timer);
}

const minBytes = 1024;
