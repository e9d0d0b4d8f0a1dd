// One service for all tests of a file: most statements of the specification can be shown one after
// the other on the same one.
import { afterAll, beforeAll } from 'vitest';
import type { Role } from '../../src/contract/endpoint.ts';
import { parseJson } from '../../src/model/json.ts';
import type { Service } from '../../src/server/server.ts';
import { startTestServer, type TestSettings } from '../support/start-server.ts';

export interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a reply holds is what the test is about
  readonly body: any;
}

export interface Sent {
  readonly by?: string; // name:password
  readonly headers?: Readonly<Record<string, string>>;
  readonly role?: Role; // whose port is asked; the Router's otherwise
}

/**
 * Starts it before the first test of the file. Its duties run only when they are asked to, unless
 * the settings say otherwise.
 */
export function served(settings: TestSettings = {}) {
  let service: Service;
  beforeAll(async () => {
    service = await startTestServer({ port: 0, dutyTickMs: 3_600_000, ...settings });
  });
  afterAll(() => service.close());

  const send = async (
    method: string,
    path: string,
    body?: unknown,
    { by, headers, role }: Sent = {},
  ): Promise<Answer> => {
    const given = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(by && { authorization: basic(by) }),
      ...headers,
    };
    const sent =
      body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const url = role === undefined ? service.url : service.urls.get(role);
    const reply = await fetch(`${url}${path}`, { method, headers: given, ...sent });
    const text = await reply.text();
    return {
      status: reply.status,
      type: reply.headers.get('content-type'),
      headers: reply.headers,
      text,
      body: jsonIn(text),
    };
  };
  const get = (path: string, sent?: Sent) => send('GET', path, undefined, sent);
  const post = (path: string, body?: unknown, sent?: Sent) => send('POST', path, body, sent);
  const remove = (path: string, sent?: Sent) => send('DELETE', path, undefined, sent);
  const until = async (holds: () => Promise<boolean>) => {
    for (
      const end = Date.now() + 30_000;
      !(await holds());
      await new Promise((wake) => setTimeout(wake, 20))
    )
      if (Date.now() > end) throw new Error('This did not happen in time');
  };
  const ended = async (taskId: string, sent?: Sent) => {
    const status = async () =>
      (await get(`/svc/indexer/v1/task/${taskId}/status`, sent)).body.status;
    await until(async () => (await status()).statusCode !== 'RUNNING');
    return status();
  };
  /** Runs a statement as a task to its end; returns the task's id. */
  const ingest = async (query: string, context: object = {}, sent?: Sent): Promise<string> => {
    const { text, body } = await post('/svc/v2/sql/task', { query, context }, sent);
    const { statusCode, errorMsg } = await ended(body?.taskId ?? text, sent);
    if (statusCode !== 'SUCCESS') throw new Error(`The task failed: ${errorMsg}`);
    return body.taskId;
  };
  return {
    get service() {
      return service;
    },
    send,
    get,
    post,
    remove,
    until,
    ended,
    ingest,
    /** Fills a datasource with a row and a segment for each of these days of January 2024. */
    load: (dataSource: string, days: readonly string[], sent?: Sent) =>
      ingest(`REPLACE INTO "${dataSource}" ${rowsOf(days)}`, {}, sent),
    rows: async (query: string, rest: object = {}) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array', ...rest })).body,
    segmentsOf: async (dataSource: string): Promise<string[]> =>
      (await get(`/svc/coordinator/v1/metadata/datasources/${dataSource}/segments`)).body,
  };
}

/** What is written for such days. */
export function rowsOf(days: readonly string[]): string {
  const values = days.map((day) => `('2024-01-${day}', 'page ${day}', ${Number(day)})`).join(', ');
  return `OVERWRITE ALL SELECT TIME_PARSE(t) AS __time, page, n FROM (VALUES ${values}) AS v (t, page, n) PARTITIONED BY DAY`;
}

/** A query that runs until it is stopped. */
export const endless = `SELECT COUNT(*) FROM ${Array.from({ length: 25 }, (_, at) => `wiki AS w${at}`).join(', ')}`;

export const noop = (id: string, rest: object = {}) => ({
  type: 'noop',
  id,
  dataSource: 'naps',
  runTime: 60_000,
  ...rest,
});

const basic = (who: string) => `Basic ${Buffer.from(who).toString('base64')}`;

function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
