// Every endpoint of the contract over HTTP: it answers with what its entry says, and refuses with
// each refusal that its entry names.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Endpoint, successOf } from '../../../src/contract/endpoint.ts';
import { type Category, type Family, statusOf, typeOf } from '../../../src/contract/failure.ts';
import { areas } from '../../../src/contract/index.ts';
import { check } from '../../../src/contract/schema.ts';
import { dialectOf, pathFor } from '../../../src/model/dialect.ts';
import { parseJson } from '../../../src/model/json.ts';
import { admin } from '../../support/users.ts';
import type { Answered, AnyCases, Asked, InWorld, World } from './cases.ts';
import { tables } from './tables.ts';
import { again, type StartedWorld, startWorld } from './world.ts';

describe.each(Object.entries(tables))('%s', (area, cases: Readonly<Record<string, AnyCases>>) => {
  const worlds = new Map<string, StartedWorld>(); // by the service's name
  const worldOf = async (service: 'svc' | 'druid' = 'svc') => {
    const world = worlds.get(service) ?? (await startWorld(service));
    worlds.set(service, world);
    return world;
  };
  beforeAll(() => worldOf());
  afterAll(() => Promise.all([...worlds.values()].map((world) => world.close())));

  describe.each(Object.entries(cases))(`${area}.%s`, (name, { success, refusals = {} }) => {
    const endpoint = areas[area]?.[name] as Endpoint;

    test('answers', async () => {
      const asked = await made(success, worldOf);
      expectAnswer(endpoint, asked, await send(endpoint, asked, await worldOf(asked.service)));
    });

    test.each(Object.entries(refusals))('refuses: %s', async (category, refused) => {
      const asked = await made(refused, worldOf);
      const heard = await send(endpoint, asked, await worldOf(asked.service));
      expectRefusal(endpoint, category as Category, heard);
      if (asked.says !== undefined) expect(heard.text).toMatch(asked.says);
    });
  });
});

const made = async <T>(given: InWorld<T>, worldOf: () => Promise<World>): Promise<T> =>
  typeof given === 'function'
    ? (given as (world: World) => T | Promise<T>)(await worldOf())
    : given;

interface Heard {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

async function send(
  { method, path }: Endpoint,
  asked: Asked<Endpoint>,
  world: World,
): Promise<Heard> {
  const { body, text, type = 'application/json', by = admin, service = 'svc' } = asked;
  const params: Readonly<Partial<Record<string, string>>> = asked.params ?? {};
  const query = Object.entries(asked.query ?? {}).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const place = pathFor(service, path).replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? world.params[name];
    if (value === undefined) throw new Error(`The path needs a value for [${name}]`);
    return encodeURIComponent(value);
  });
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const reply = await again(() =>
    fetch(`${asked.url ?? world.url}${place}?${new URLSearchParams(query)}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(by).toString('base64')}`,
        ...((sent !== undefined || method === 'POST') && type && { 'content-type': type }),
      },
      ...(sent !== undefined && { body: sent }),
    }),
  );
  return {
    status: reply.status,
    type: reply.headers.get('content-type'),
    text: await reply.text(),
  };
}

function expectAnswer(
  { reply }: Endpoint,
  { status, shows, service = 'svc' }: Answered<Endpoint>,
  heard: Heard,
): void {
  const usual = successOf(reply, dialectOf(service));
  const absent = reply.kind === 'json' ? reply.absent : undefined;
  expect([usual, absent, ...(reply.also ?? [])], heard.text).toContain(heard.status);
  expect(heard.status, heard.text).toBe(status ?? usual);
  if (reply.kind === 'empty' || heard.text === '') {
    expect([heard.text, reply.kind === 'empty' || absent !== undefined]).toEqual(['', true]);
  } else if (reply.kind === 'json') {
    check(reply.schema, parseJson(heard.text));
    expect(['application/json', null]).toContain(heard.type); // an answer may be untyped
  }
  if (typeof shows === 'string' || shows instanceof RegExp) expect(heard.text).toMatch(shows);
  else if (shows !== undefined)
    expect({ body: parseJson(heard.text) }).toMatchObject({ body: shows });
}

// The status is that of the category, the body and its type those of the family.
function expectRefusal(
  { refusals }: Endpoint,
  category: Category,
  { status, type, text }: Heard,
): void {
  const family = refusals?.[category] as Family;
  expect(status, text).toBe(statusOf[category]);
  expect(type, text).toBe(typeOf(family) ?? null);
  const keys = keysOf[family];
  if (!keys) return;
  const body = parseJson(text) as Record<string, unknown>;
  expect(Object.keys(body).sort(), text).toEqual(expect.arrayContaining(keys));
  if (family === 'druidException')
    expect(body.category).toBe(category.replace(/[A-Z]/g, '_$&').toUpperCase());
}

const keysOf: { readonly [Name in Family]?: string[] } = {
  druidException: ['category', 'context', 'error', 'errorCode', 'errorMessage', 'persona'],
  queryException: ['error', 'errorClass', 'errorMessage', 'host'],
  simpleMap: ['error'],
  untyped: ['error'],
  errorAndMessage: ['error', 'message'],
  accessCheck: ['Access-Check-Result'],
  failedTask: ['error', 'state', 'taskId'],
};
