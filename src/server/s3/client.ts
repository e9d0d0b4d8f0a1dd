// S3 client: signs requests, and retries them after temporary failures of the server or the
// network. Never follows a redirect.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { exchange, receiveBytes, receiveFile, TooLarge } from '../outgoing/http-exchange.ts';
import { isLinkLocal, linkLocalWords } from '../outgoing/link-local.ts';
import { type FoundObject, readListing, readSmallDocument } from './documents.ts';
import { addressOf, type ObjectPlace, type S3Endpoint, uriOf } from './place.ts';
import type { S3Credentials } from './settings.ts';
import { emptySha256, sign } from './signature.ts';

export interface S3ClientSettings {
  readonly endpoint: S3Endpoint;
  readonly credentials: S3Credentials | undefined; // absent: requests are not signed
  readonly faultOf?: (url: URL) => string | undefined; // reason why an address is forbidden
  readonly signal: AbortSignal;
  readonly patienceMs?: number; // until a response begins, and for each further 1024 bytes
  readonly maxTries?: number; // of each request
  readonly firstPauseMs?: number; // before the second try; the pauses double
}

interface Wanted {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly place: ObjectPlace;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
}

type Body = string | Stretch;

/** A part of a file, with at least one byte. */
export interface Stretch {
  readonly path: string;
  readonly start: number;
  readonly length: number;
}

export class S3Client {
  readonly #settings: Required<Omit<S3ClientSettings, 'credentials' | 'faultOf'>> &
    Pick<S3ClientSettings, 'credentials' | 'faultOf'>;

  constructor(settings: S3ClientSettings) {
    this.#settings = { patienceMs: 60_000, maxTries: 5, firstPauseMs: 250, ...settings };
  }

  /**
   * The objects with a key prefix, at most `max` of them, in key order. Throws an Error when there
   * are more, or when listing fails.
   */
  async list(prefix: ObjectPlace, max: number): Promise<readonly FoundObject[]> {
    const found: FoundObject[] = [];
    let token: string | undefined;
    for (let pages = 0; pages <= max / pageSize + spareParts; pages++) {
      const page = await this.#page(prefix, token, Math.min(pageSize, max + 1));
      for (const object of page.objects) {
        if (!object.key.startsWith(prefix.key))
          throw failureOf('list', prefix, 'the server lists objects outside of the prefix');
        found.push(object);
      }
      if (found.length > max)
        throw failureOf('list', prefix, `the list has more than [${max}] objects`);
      if (page.next === undefined) return found;
      token = page.next;
    }
    throw failureOf('list', prefix, 'the list of the server does not end');
  }

  /** Whether any object has the key prefix. */
  async hasAny(prefix: ObjectPlace): Promise<boolean> {
    return (await this.#page(prefix, undefined, 1)).objects.length > 0;
  }

  #page(prefix: ObjectPlace, token: string | undefined, count: number) {
    const { patienceMs } = this.#settings;
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      'max-keys': String(count),
      prefix: prefix.key,
      ...(token !== undefined && { 'continuation-token': token }),
    };
    return this.#tryRequest('list', prefix, async () => {
      const response = await this.#answer({ method: 'GET', place: { ...prefix, key: '' }, query });
      return readListing(receiveBytes(response, { maxBytes: maxPageBytes, patienceMs }));
    });
  }

  /**
   * Writes an object to a file; returns its size. After an interruption, the download continues
   * from the last byte.
   */
  async download(place: ObjectPlace, path: string, maxBytes: number): Promise<number> {
    const { signal, patienceMs } = this.#settings;
    let [had, etag] = [0, ''];
    return this.#tryRequest('read', place, async () => {
      const rest = had > 0 && etag !== '' ? { range: `bytes=${had}-`, 'if-match': etag } : {};
      const response = await this.#answer({ method: 'GET', place, headers: rest });
      if (response.statusCode !== 206) had = 0;
      else if (response.headers['content-range']?.startsWith(`bytes ${had}-`) !== true) {
        response.destroy();
        throw new Error('the server sent another range of the object than the requested one');
      }
      etag = response.headers.etag ?? '';
      try {
        had += await receiveFile(response, {
          path,
          from: had,
          maxBytes: maxBytes - had,
          patienceMs,
          signal,
        });
      } catch (error) {
        had = await stat(path).then(
          ({ size }) => size,
          () => 0,
        );
        throw error;
      }
      return had;
    });
  }

  /** Creates an object from a text, or from a file or a part of it. */
  async put(place: ObjectPlace, body: Body): Promise<void> {
    await this.#tryRequest('write', place, async () => {
      const response = await this.#answer({ method: 'PUT', place, body });
      response.destroy();
    });
  }

  /** Creates an object from a file in parts, without reading them into memory. */
  async putInParts(
    place: ObjectPlace,
    path: string,
    sizeBytes: number,
    wantedPartBytes: number,
  ): Promise<void> {
    const partBytes = Math.max(wantedPartBytes, Math.ceil(sizeBytes / maxParts));
    const { UploadId: uploadId } = await this.#ask({
      method: 'POST',
      place,
      query: { uploads: '' },
    });
    if (!uploadId) throw failureOf('write', place, 'the answer of the server has no upload id');
    try {
      const etags: string[] = [];
      for (let start = 0; start < sizeBytes; start += partBytes) {
        const body = { path, start, length: Math.min(partBytes, sizeBytes - start) };
        const query = { partNumber: String(etags.length + 1), uploadId };
        const etag = await this.#tryRequest('write', place, async () => {
          const response = await this.#answer({ method: 'PUT', place, query, body });
          response.destroy();
          return response.headers.etag ?? '';
        });
        if (!/^"?[\w-]{1,200}"?$/.test(etag))
          throw failureOf('write', place, 'the answer of the server has no ETag of the part');
        etags.push(etag);
      }
      const parts = etags
        .map((etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag></Part>`)
        .join('');
      const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts}</CompleteMultipartUpload>`;
      await this.#ask({ method: 'POST', place, query: { uploadId }, body });
    } catch (error) {
      await this.#cleanUp({ method: 'DELETE', place, query: { uploadId } });
      throw error;
    }
  }

  /** Removes an object; a missing object is ignored. */
  async remove(place: ObjectPlace): Promise<void> {
    await this.#cleanUp({ method: 'DELETE', place });
  }

  // A failure may come with status 200, too.
  #ask(wanted: Wanted): Promise<Readonly<Record<string, string>>> {
    return this.#tryRequest('write', wanted.place, async () => {
      const response = await this.#answer(wanted);
      const { root, fields } = await readSmallDocument(this.#small(response));
      if (root === 'Error') throw this.#faultOf(500, fields);
      return fields;
    });
  }

  #small(response: IncomingMessage) {
    return receiveBytes(response, {
      maxBytes: maxFaultBytes,
      patienceMs: this.#settings.patienceMs,
    });
  }

  // A single try, even when the task has ended: the earlier error is reported, not one from here.
  async #cleanUp(wanted: Wanted): Promise<void> {
    const signal = AbortSignal.timeout(10_000);
    await this.#answer(wanted, signal).then(
      (response) => response.destroy(),
      () => undefined,
    );
  }

  async #tryRequest<Result>(
    verb: Verb,
    place: ObjectPlace,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { signal, maxTries, firstPauseMs } = this.#settings;
    for (let tried = 1; ; tried++) {
      try {
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        if (tried >= maxTries || !isPassing(error))
          throw failureOf(verb, place, wordsOf(error), tried);
      }
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (tried - 1));
      // Randomized, so that clients do not retry at the same time
      await sleep(pauseMs / 2 + (Math.random() * pauseMs) / 2, undefined, { signal });
    }
  }

  // An unsuccessful response is thrown as an S3Fault.
  async #answer(
    { method, place, query, headers = {}, body }: Wanted,
    signal = this.#settings.signal,
  ): Promise<IncomingMessage> {
    const { endpoint, credentials, faultOf, patienceMs } = this.#settings;
    const url = addressOf(endpoint, place, query);
    const fault = isLinkLocal(url.hostname) ? linkLocalWords : faultOf?.(url);
    if (fault !== undefined) throw new NotAllowed(fault);
    const { length, sha256 } = await measure(body);
    const sent = { ...headers, ...(body !== undefined && { 'content-length': String(length) }) };
    const request = { method, url, headers: sent, region: endpoint.region, bodySha256: sha256 };
    const all =
      credentials === undefined ? sent : { ...sent, ...(await sign(request, credentials)) };
    const stream = body === undefined || typeof body === 'string' ? body : streamOf(body);
    const response = await exchange(url, {
      method,
      headers: all,
      ...(stream !== undefined && { body: stream }),
      signal,
      patienceMs,
    });
    const { statusCode = 0 } = response;
    if (statusCode >= 200 && statusCode < 300) return response;
    throw await this.#faultIn(response, statusCode);
  }

  async #faultIn(response: IncomingMessage, status: number): Promise<S3Fault> {
    const region = String(response.headers['x-amz-bucket-region'] ?? '');
    const { fields } = await readSmallDocument(this.#small(response)).catch(() => ({ fields: {} }));
    return this.#faultOf(status, { Region: region, ...fields });
  }

  #faultOf(
    status: number,
    { Code: code = '', Region: region = '' }: Readonly<Record<string, string>>,
  ): S3Fault {
    const { credentials, endpoint } = this.#settings;
    const said = {
      code: /^\w{1,60}$/.test(code) ? code : undefined,
      meant: /^[a-z0-9-]{1,40}$/.test(region) ? region : undefined,
    };
    return new S3Fault(
      status,
      said.code,
      sentenceOf(status, { ...said, isSigned: credentials !== undefined, region: endpoint.region }),
    );
  }
}

const pageSize = 1000;
const spareParts = 100; // pages with fewer objects than allowed
const maxPageBytes = 16 * 1024 ** 2;
const maxFaultBytes = 64 * 1024;
const longestPauseMs = 10_000;

const maxParts = 10_000;

type Verb = 'list' | 'read' | 'write';

const failureOf = (verb: Verb, place: ObjectPlace, reason: string, tries = 1) =>
  new Error(
    `Cannot ${verb} [${uriOf(place)}]: ${reason}${tries > 1 ? ` (tried [${tries}] times)` : ''}`,
  );

class NotAllowed extends Error {}

class S3Fault extends Error {
  readonly isPassing: boolean;

  constructor(status: number, code: string | undefined, message: string) {
    super(message);
    this.isPassing =
      status >= 500 ||
      status === 429 ||
      status === 408 ||
      (code !== undefined && passingCodes.has(code));
  }
}

const passingCodes = new Set([
  'SlowDown',
  'RequestTimeout',
  'InternalError',
  'ServiceUnavailable',
  'OperationAborted',
]);

const isPassing = (error: unknown): boolean => {
  if (error instanceof AggregateError) return isPassing(error.errors[0]);
  if (error instanceof S3Fault) return error.isPassing;
  if (!(error instanceof Error) || error instanceof NotAllowed || error instanceof TooLarge)
    return false;
  return error.message !== linkLocalWords && !('code' in error && isLasting(String(error.code)));
};

// Errors of the disk, of certificates, and unknown host names: a retry would fail in the same way.
const isLasting = (code: string) =>
  /^(?:ENOTFOUND|ENOENT|ENOSPC|EDQUOT|EFBIG|EACCES|EISDIR|EROFS|EPERM|EPROTO)$|CERT|SELF_SIGNED|ISSUER|^ERR_(?:TLS|SSL|INVALID)/.test(
    code,
  );

function wordsOf(error: unknown): string {
  // One error for each address of the host
  if (error instanceof AggregateError) return wordsOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

interface AskedAs {
  readonly code: string | undefined;
  readonly isSigned: boolean;
  readonly region: string;
  readonly meant: string | undefined; // the bucket's region according to the server
}

// Only the server's error code is shown: its message quotes the request.
function sentenceOf(status: number, { code, isSigned, region, meant }: AskedAs): string {
  const said = `the server answered with status [${status}]${code === undefined ? '' : ` (${code})`}`;
  if (
    (status >= 300 && status < 400) ||
    code === 'AuthorizationHeaderMalformed' ||
    code === 'PermanentRedirect'
  )
    return meant === undefined || meant === region
      ? `${said}: it redirects, and the service does not follow redirects. Set the endpoint of the bucket in [endpointConfig.url] or the property [s3.endpoint.url]`
      : `${said}: the bucket is in region [${meant}], not in [${region}]. Set it in [endpointConfig.signingRegion] or the property [s3.endpoint.signingRegion]`;
  switch (code) {
    case 'NoSuchBucket':
      return `${said}: the bucket does not exist at this endpoint`;
    case 'NoSuchKey':
      return `${said}: the object does not exist`;
    case 'SignatureDoesNotMatch':
      return `${said}: the secret key is wrong, or a proxy changes the requests`;
    case 'InvalidAccessKeyId':
      return `${said}: the access key is unknown`;
    case 'ExpiredToken':
      return `${said}: the session token has expired`;
    case 'RequestTimeTooSkewed':
      return `${said}: the clock of this machine differs from that of the server`;
  }
  if (status === 401 || status === 403)
    return isSigned
      ? `${said}: the credentials do not allow it`
      : `${said}: the request was not signed, because no credentials are configured. Give [accessKeyId] and [secretAccessKey] in [properties]`;
  if (status === 404) return `${said}: the bucket or the object does not exist`;
  if (status === 412) return `${said}: the object was changed while it was read`;
  return said;
}

async function measure(
  body: Body | undefined,
): Promise<{ readonly length: number; readonly sha256: string }> {
  if (body === undefined) return { length: 0, sha256: emptySha256 };
  const hash = createHash('sha256');
  if (typeof body === 'string')
    return { length: Buffer.byteLength(body), sha256: hash.update(body).digest('hex') };
  for await (const chunk of streamOf(body)) hash.update(chunk);
  return { length: body.length, sha256: hash.digest('hex') };
}

const streamOf = ({ path, start, length }: Stretch) =>
  createReadStream(path, { start, end: start + length - 1 });
