// Requests to an endpoint of the contract with something wrong about them, and their replies.
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { openApi } from '../../src/contract/openapi.ts';
import { choicesOf, type Fields } from '../../src/contract/schema.ts';
import { headerFor, pathFor } from '../../src/model/dialect.ts';
import { goodBodies } from './good-bodies.ts';
import {
  fitting,
  type JsonSchema,
  mutated,
  oddJson,
  oddText,
  pick,
  type Random,
  randomBytes,
} from './hostile-values.ts';

export interface Hostile {
  readonly method: string;
  readonly target: string; // path and query
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly tookMs: number;
}

/**
 * A request to the endpoint with this name. `known` are names that exist in the service, so that
 * some requests get far; `authorization` is the header of somebody it knows.
 */
export function hostileRequest(
  random: Random,
  name: string,
  endpoint: Endpoint,
  known: readonly string[],
  authorization: string | undefined,
): Hostile {
  const { method, query = {}, headers = {} } = endpoint;
  const path = pick(random, [endpoint.path, endpoint.path, ...(endpoint.aliases ?? [])]);
  const parts = pathFor('svc', path).replace(/:\w+/g, () =>
    random() < 0.5 ? encodeURIComponent(pick(random, known)) : inPath(random),
  );
  const body = endpoint.body
    ? bodyFor(random, name, endpoint)
    : random() < 0.2
      ? randomBytes(random, 200)
      : undefined;
  return {
    method:
      random() < 0.02
        ? pick(random, ['PUT', 'PATCH', 'OPTIONS', 'HEAD', 'DELETE', 'POST', 'GET'])
        : method,
    target: parts + (random() < 0.2 ? '' : `?${queryOf(random, query)}`),
    headers: {
      ...(authorization && { authorization }),
      ...oddHeaders(random, headers),
      ...(body && contentType(random)),
    },
    body,
  };
}

const schemas = openApi('svc').paths as Readonly<
  Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: JsonSchema }> } }>
  >
>;

function bodyFor(random: Random, name: string, { path, method }: Endpoint): Buffer {
  const chance = random();
  if (chance < 0.1) return randomBytes(random, 200);
  if (chance < 0.15) return Buffer.alloc(0);
  if (chance < 0.25) return Buffer.from(oddJson(random));
  const good = goodBodies[name];
  if (good && random() < 0.7) return Buffer.from(mutated(random, pick(random, good)));
  const schema =
    schemas[pathFor('svc', path).replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.requestBody
      ?.content['application/json']?.schema;
  const value = fitting(random, schema ?? {});
  return Buffer.from(random() < 0.2 ? JSON.stringify(value) : mutated(random, value));
}

// Percent-encoded, or as it is where HTTP lets it through.
function inPath(random: Random): string {
  const text = oddText(random);
  const raw = Buffer.from(text).toString('latin1');
  if (random() < 0.2 && /^[\x21\x22\x24-\x3e\x40-\xff]+$/.test(raw)) return raw;
  return encoded(text);
}

function queryOf(random: Random, fields: Fields): string {
  const pairs = Object.entries(fields)
    .filter(() => random() < 0.6)
    .flatMap(([name, schema]) =>
      Array.from(
        { length: random() < 0.05 ? 3 : 1 },
        () => `${name}=${encoded(pick(random, choicesOf(schema) ?? [oddText(random)]))}`,
      ),
    );
  if (random() < 0.2) pairs.push(`${encoded(oddText(random))}=${encoded(oddText(random))}`);
  if (random() < 0.05)
    pairs.push(pick(random, ['%', '%zz=%zz', '=', '&&&', '%ff=%fe', 'a%00=b%00']));
  return pairs.join('&');
}

// Half characters cannot be encoded; they travel as bytes that are no UTF-8.
const encoded = (text: string) =>
  /\p{Surrogate}/u.test(text) ? '%ED%A0%80' : encodeURIComponent(text);

function oddHeaders(random: Random, fields: Fields): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const name of Object.keys(fields))
    if (random() < 0.7) sent[headerFor('svc', name)] = inHeader(oddText(random));
  if (random() < 0.1)
    sent.accept = pick(random, [
      'text/html',
      '*/*;q=0',
      ',',
      'application/*',
      'x'.repeat(2000),
      inHeader(oddText(random)),
    ]);
  if (random() < 0.1)
    sent['accept-encoding'] = pick(random, [
      'gzip;q=0',
      'br',
      '*',
      'gzip, gzip',
      inHeader(oddText(random)),
    ]);
  if (random() < 0.1)
    sent.authorization = pick(random, [
      'Basic',
      'Basic !!!',
      'Bearer a',
      'Basic OjoO',
      inHeader(oddText(random)),
    ]);
  if (random() < 0.05) sent['content-encoding'] = pick(random, ['gzip', 'deflate', 'nothing']);
  if (random() < 0.05)
    sent[
      pick(random, [
        'x-forwarded-for',
        'cookie',
        'if-none-match',
        'range',
        'origin',
        'upgrade-insecure-requests',
      ])
    ] = inHeader(oddText(random));
  return sent;
}

const inHeader = (text: string) =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '');

function contentType(random: Random): Record<string, string> {
  if (random() < 0.85) return { 'content-type': 'application/json' };
  const others = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/xml',
    '/',
    '',
  ];
  const type = pick(random, others);
  return type ? { 'content-type': type } : {};
}

const agent = new Agent({ keepAlive: true, maxSockets: 4 });

/**
 * Sends it and reads the whole reply. Rejects when the connection ends before the reply does, or
 * after so long.
 */
export function send(
  url: string,
  { method, target, headers, body }: Hostile,
  withinMs: number,
): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const began = performance.now();
  const length: Record<string, number> =
    body || method === 'POST' ? { 'content-length': body?.length ?? 0 } : {};
  return new Promise((settle, reject) => {
    const asking = request(
      { agent, hostname, port, method, path: target, headers: { ...headers, ...length } },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('error', reject);
        reply.on('end', () => {
          clearTimeout(late);
          const { statusCode: status = 0, headers } = reply;
          settle({
            status,
            headers,
            text: Buffer.concat(chunks).toString(),
            tookMs: performance.now() - began,
          });
        });
      },
    );
    const late = setTimeout(
      () => asking.destroy(new Error(`There was no reply within ${withinMs} ms`)),
      withinMs,
    );
    asking.on('error', (error) => {
      clearTimeout(late);
      reject(error);
    });
    asking.end(body);
  });
}

/** A request as one line that repeats it. */
export const asCurl = (url: string, { method, target, headers, body }: Hostile): string =>
  [
    `curl -X ${method} ${quoted(url + target)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body
      ? [
          `--data-binary $(echo ${body.toString('base64').slice(0, 4000)} | base64 -d)`,
          `# ${body.toString().slice(0, 1000)}`,
        ]
      : []),
  ].join(' ');

const quoted = (text: string) => `'${text.slice(0, 500).replaceAll("'", `'\\''`)}'`;
