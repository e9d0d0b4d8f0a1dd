// Routes of the control interface, and parsing of their requests.
import type { IncomingMessage } from 'node:http';
import { check, type Fields, object, type Values } from '../../contract/schema.ts';
import { InvalidTime } from '../../model/instant.ts';
import { parseJson } from '../../model/json.ts';
import { Refusal } from '../checks/refusals.ts';

export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string; // may contain :name
  readonly does: string; // description for the error about unknown routes
  run(asked: ControlRequest): unknown;
}

export interface ControlRequest {
  readonly name: string; // value of :name
  readonly body: unknown; // JSON; {} for an empty body
}

/** The route of a request and the value of its :name; undefined for an unknown route. */
export function findRoute(routes: readonly ControlRoute[], { method, url = '' }: IncomingMessage) {
  const parts = (url.split('?', 1)[0] ?? '').replace(/\/$/, '').split('/');
  for (const route of routes) {
    const wanted = route.path.split('/');
    if (route.method !== method || wanted.length !== parts.length) continue;
    if (!wanted.every((part, at) => part === ':name' || part === parts[at])) continue;
    return { route, params: { name: decode(parts[wanted.indexOf(':name')] ?? '') } };
  }
}

/** The body as JSON; its content type is optional. */
export async function bodyOf(message: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes)
      throw new Refusal('tooLarge', `The body is larger than ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  try {
    return text.trim() === '' ? {} : parseJson(text);
  } catch (error) {
    throw bad(`The body is not JSON: ${(error as Error).message}`);
  }
}

/**
 * The fields of a body. Throws Mismatch, or a Refusal that names an unknown field and the known
 * ones.
 */
export function fieldsIn<F extends Fields>(fields: F, body: unknown): Values<F> {
  const values = check(object(fields), body);
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined)
    throw bad(
      `Field [${unknown}] is unknown; known are ${Object.keys(fields)
        .map((name) => `[${name}]`)
        .join(', ')}`,
    );
  return values;
}

/**
 * A time or period in a field, parsed by `parse`; throws a Refusal with an example of a valid one.
 */
export function timeIn<Time>(
  field: string,
  text: string,
  parse: (text: string) => Time,
  example: string,
): Time {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InvalidTime)) throw error;
    throw bad(`Invalid value for field [${field}]: [${text}] is not ISO 8601, as in ${example}`);
  }
}

export const bad = (sentence: string) => new Refusal('invalidInput', sentence);

const maxBodyBytes = 1024 * 1024;

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw bad('The path is not percent-encoded UTF-8 text');
  }
}
