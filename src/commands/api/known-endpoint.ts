// Contract endpoint of a handwritten request.
import type { Endpoint } from '../../contract/endpoint.ts';
import { namesOf } from '../../contract/index.ts';
import type { GivenRequest } from '../../contract/inverses.ts';
import { pathFor } from '../../model/dialect.ts';
import { parseJson } from '../../model/json.ts';

interface Request {
  readonly method: string;
  readonly path: string; // with its query, and the service's own name
  readonly body: string | undefined;
}

export interface KnownEndpoint {
  readonly endpoint: Endpoint;
  readonly given: GivenRequest;
}

/**
 * The endpoint and its input; undefined when the contract has none. If several match, the one with
 * more fixed segments in its path wins.
 */
export function knownEndpoint(
  service: string,
  { method, path, body }: Request,
): KnownEndpoint | undefined {
  const [bare = '', search = ''] = path.split('?');
  const given = {
    query: Object.fromEntries(
      [...new URLSearchParams(search)].map(([name, text]) => [name, truths[text] ?? text]),
    ),
    body: documentIn(body),
  };
  return [...namesOf.keys()]
    .filter((endpoint) => endpoint.method === method)
    .flatMap((endpoint) =>
      [endpoint.path, ...(endpoint.aliases ?? [])].flatMap((known) => {
        const params = paramsIn(pathFor(service, known), bare);
        return params ? [{ endpoint, given: { ...given, params } }] : [];
      }),
    )
    .toSorted((a, b) => Object.keys(a.given.params).length - Object.keys(b.given.params).length)[0];
}

const truths: Readonly<Record<string, boolean>> = { true: true, false: false };

function paramsIn(known: string, path: string): Record<string, string> | undefined {
  const [wanted, parts] = [known.split('/'), path.replace(/\/$/, '').split('/')];
  if (wanted.length !== parts.length) return;
  const params: Record<string, string> = {};
  for (const [at, part] of parts.entries()) {
    const name = wanted[at] ?? '';
    if (name.startsWith(':') && part !== '') params[name.slice(1)] = decode(part);
    else if (name !== part) return;
  }
  return params;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function documentIn(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : parseJson(body);
  } catch {
    return undefined; // the service reports the error
  }
}
