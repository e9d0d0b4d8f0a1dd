// Every endpoint, asked by everyone: what the contract says one must be allowed to is what one must
// be allowed to.
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { namesOf } from '../../../src/contract/index.ts';
import { filters } from '../../../src/server/security/filters.ts';
import type { Service } from '../../../src/server/server.ts';
import { startTestServer } from '../../support/start-server.ts';
import { streamSpec } from '../../support/supervisors.ts';
import { finishedTask } from '../../support/tasks.ts';
import { addUser, admin, ask, everything, type Heard, withUsers } from '../../support/users.ts';

let guarded: Service;
let open: Service; // the same without users: those who may are answered the same

const suspended = streamSpec({ dataSource: 'edits', suspended: true });
const settings = { port: 0, dutyTickMs: 3_600_000, now: () => Date.parse('2024-05-01T12:05:00Z') };

beforeAll(async () => {
  guarded = await startTestServer({
    ...settings,
    tasks: [finishedTask('known')],
    properties: withUsers,
  });
  open = await startTestServer({ ...settings, tasks: [finishedTask('known')] });
  await addUser(guarded, 'reader', everything('READ'));
  await addUser(guarded, 'writer', everything('WRITE'));
  await addUser(guarded, 'stranger', []);
  await ask(guarded, admin, 'POST /svc/indexer/v1/supervisor', suspended);
  await ask(open, undefined, 'POST /svc/indexer/v1/supervisor', suspended);
});
afterAll(() => Promise.all([guarded.close(), open.close()]));

// Tasks and supervisors must be there, or there is nothing to protect; the rest need not.
const values: Record<string, string> = {
  taskId: 'known',
  supervisorId: 'edits',
  dataSource: 'edits',
};
const requestTo = ({ method, path }: Endpoint) =>
  `${method} ${path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? 'nothing')}`;

const nobody: Heard = {
  status: 401,
  type: 'application/json',
  challenge: 'Basic',
  text: `{"error":"Unauthorized request","errorMessage":null,"errorClass":null,"host":"${hostname()}"}`,
};
const failed: Heard = {
  status: 401,
  type: 'text/html;charset=iso-8859-1',
  challenge: null,
  text: '<html><body><h2>HTTP ERROR 401</h2><p>User authentication failed.</p></body></html>\n',
};
const denied: Heard = {
  status: 403,
  type: 'application/json',
  challenge: null,
  text: '{"Access-Check-Result":"Unauthorized"}',
};
const deniedInText: Heard = {
  ...denied,
  type: 'text/plain',
  text: 'Access-Check-Result: Unauthorized',
};

describe.each([...namesOf].map(([endpoint, name]) => ({ name, endpoint })))(
  '$name',
  ({ endpoint }) => {
    const { permission, method } = endpoint;
    const send = requestTo(endpoint);
    const body = method === 'POST' ? {} : undefined;
    const isNew = endpoint.path.startsWith('/svc-ext/'); // without users nobody manages them

    async function isAnswered(who: string | undefined) {
      const heard = await ask(guarded, who, send, body);
      if (isNew) return expect([401, 403]).not.toContain(heard.status);
      const without = await ask(open, undefined, send, body);
      expect([who, heard.status, heard.type]).toEqual([who, without.status, without.type]);
    }

    test('nobody, and who has a wrong password', async () => {
      if (permission === 'open' || permission === 'connection') {
        await isAnswered(undefined);
        await isAnswered('reader:wrong');
      } else {
        expect(await ask(guarded, undefined, send, body)).toEqual(nobody);
        expect(await ask(guarded, 'reader:wrong', send, body)).toEqual(failed);
        expect(await ask(guarded, 'unheard-of:reader', send, body)).toEqual(failed);
      }
    });

    test('a stranger, a reader, a writer and the administrator', async () => {
      if (typeof permission === 'string') {
        if (permission !== 'content')
          for (const who of ['stranger:stranger', 'reader:reader', 'writer:writer'])
            await isAnswered(who);
      } else {
        const refused =
          'name' in permission && permission.name === 'security' ? deniedInText : denied;
        expect(await ask(guarded, 'stranger:stranger', send, body)).toEqual(refused);
        expect(
          await ask(
            guarded,
            permission.action === 'READ' ? 'writer:writer' : 'reader:reader',
            send,
            body,
          ),
        ).toEqual(refused);
        await isAnswered(permission.action === 'READ' ? 'reader:reader' : 'writer:writer');
      }
      await isAnswered(admin);
    });
  },
);

test('what a permission is about stands in the path', () => {
  const all = [...namesOf].flatMap(([{ path, permission }, name]) =>
    typeof permission !== 'string' && 'param' in permission
      ? [{ name, is: path.includes(`:${permission.param}`) }]
      : [],
  );
  expect(all.length).toBeGreaterThan(40);
  expect(all.filter(({ is }) => !is)).toEqual([]);
});

test('each filtered endpoint has a filter', () => {
  expect(
    [...namesOf].filter(
      ([endpoint]) => endpoint.permission === 'filtered' && !filters.has(endpoint),
    ),
  ).toEqual([]);
});
