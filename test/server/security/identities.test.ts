// The authorization matrix: every endpoint of the contract, asked by every kind of identity about
// two datasources. What is expected follows from what the contract declares; where it leaves the
// decision to the content of a request, this file declares what is needed, and must do so for each.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Action, Endpoint } from '../../../src/contract/endpoint.ts';
import { namesOf } from '../../../src/contract/index.ts';
import { dialectOf } from '../../../src/model/dialect.ts';
import type { Service } from '../../../src/server/server.ts';
import { startTestServer } from '../../support/start-server.ts';
import { streamSpec } from '../../support/supervisors.ts';
import { finishedTask } from '../../support/tasks.ts';
import { addUser, admin, allow, ask, ingest, withUsers } from '../../support/users.ts';

type Need = readonly [type: 'CONFIG' | 'DATASOURCE' | 'STATE', name: string, action: Action];

// The datasource that some identities may use, and one that none of them may see.
const own = 'edits';
const other = 'secrets';

const identities: Readonly<Record<string, readonly Need[]>> = {
  stranger: [],
  reader: [['DATASOURCE', own, 'READ']],
  writer: [['DATASOURCE', own, 'WRITE']],
  stateReader: [['STATE', 'STATE', 'READ']],
  stateWriter: [['STATE', 'STATE', 'WRITE']],
  configReader: [['CONFIG', 'CONFIG', 'READ']],
  configWriter: [['CONFIG', 'CONFIG', 'WRITE']],
  securityReader: [['CONFIG', 'security', 'READ']],
  securityWriter: [['CONFIG', 'security', 'WRITE']],
};

interface Content {
  readonly body?: (dataSource: string) => unknown;
  readonly needs: (dataSource: string) => readonly Need[];
}

const reads = (dataSource: string): Need[] => [['DATASOURCE', dataSource, 'READ']];
const writes = (dataSource: string): Need[] => [['DATASOURCE', dataSource, 'WRITE']];
const nothing = () => [];
const select = (dataSource: string) => ({ query: `SELECT * FROM "${dataSource}"` });
const boundary = (dataSource: string) => ({ queryType: 'timeBoundary', dataSource });
// A statement belongs to its submitter; whether those who manage the service may see it is a matter
// of the dialect.
const ofSubmitter = (action: Action) => (): Need[] =>
  dialectOf('svc').statementOwner === 'submitterOrState'
    ? [['STATE', 'STATE', action]]
    : [['STATE', 'the submitter only', action]];

const contents: Readonly<Record<string, Content>> = {
  'sql.query': { body: select, needs: reads },
  'sql.cancel': { needs: nothing }, // no query runs
  'sql.task': {
    body: (name) => ({
      query: `REPLACE INTO "${name}" OVERWRITE ALL SELECT TIMESTAMP '2024-05-01' AS __time PARTITIONED BY DAY`,
    }),
    needs: writes,
  },
  'statements.submit': {
    body: (name) => ({ ...select(name), context: { executionMode: 'ASYNC' } }),
    needs: reads,
  },
  'statements.status': { needs: ofSubmitter('READ') },
  'statements.results': { needs: ofSubmitter('READ') },
  'statements.cancel': { needs: ofSubmitter('WRITE') },
  'native.query': { body: boundary, needs: reads },
  'native.cancel': { needs: nothing },
  'tasks.submit': {
    body: (dataSource) => ({ type: 'noop', dataSource, runTime: 1 }),
    needs: writes,
  },
  'supervisors.submit': {
    body: (dataSource) => streamSpec({ dataSource, suspended: true }),
    needs: writes,
  },
};

// Of the endpoints that need more than a datasource, those whose replies name datasources: they are
// about the whole service (Druid: StateResourceFilter, ConfigResourceFilter).
const namesDatasources = new Set([
  'rules.list',
  'rules.allHistory',
  'compaction.list',
  'compaction.status',
  'compaction.simulate',
  'compaction.simulateSupervised',
  'cluster.loadStatus',
]);
const named = new Set<string>(); // of these, those that have

let service: Service;
let statementId: string;

beforeAll(async () => {
  service = await startTestServer({
    port: 0,
    dutyTickMs: 3_600_000,
    now: () => Date.parse('2024-05-01T12:05:00Z'),
    tasks: [own, other].map((name) => {
      const { status, ...rest } = finishedTask(`task-${name}`);
      return { ...rest, status: { ...status, dataSource: name } };
    }),
    properties: withUsers,
  });
  for (const [name, needs] of Object.entries(identities))
    await addUser(
      service,
      name,
      needs.map(([type, name, action]) => allow(action, type, name)),
    );
  await ingest(service, own, other);
  for (const dataSource of [own, other]) {
    await ask(
      service,
      admin,
      'POST /svc/indexer/v1/supervisor',
      streamSpec({ id: `stream-${dataSource}`, dataSource, suspended: true }),
    );
    await ask(service, admin, `POST /svc/coordinator/v1/rules/${dataSource}`, [
      { type: 'loadForever', tieredReplicants: { _default_tier: 1 } },
    ]);
    await ask(service, admin, 'POST /svc/coordinator/v1/config/compaction', { dataSource });
  }
  const { text } = await ask(service, admin, 'POST /svc/v2/sql/statements', {
    ...select(other),
    context: { executionMode: 'ASYNC' },
  });
  statementId = JSON.parse(text).queryId;
}, 120_000);
afterAll(() => service.close());

const contentOf = (endpoint: Endpoint) =>
  endpoint.permission === 'content' ? contents[nameOf(endpoint)] : undefined;
const nameOf = (endpoint: Endpoint) => namesOf.get(endpoint) ?? '';

const requestTo = ({ method, path }: Endpoint, dataSource: string) => {
  const values: Record<string, string> = {
    dataSource,
    taskId: `task-${dataSource}`,
    supervisorId: `stream-${dataSource}`,
    queryId: statementId,
  };
  return `${method} ${path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? 'nothing')}`;
};

function needsOf(endpoint: Endpoint, dataSource: string): readonly Need[] {
  const { permission } = endpoint;
  if (permission === 'content') return contentOf(endpoint)?.needs(dataSource) ?? [];
  if (typeof permission === 'string') return [];
  return [
    [permission.resource, 'name' in permission ? permission.name : dataSource, permission.action],
  ];
}

const may = (identity: string, needs: readonly Need[]) =>
  needs.every((need) =>
    identities[identity]?.some((grant) => grant.every((part, at) => part === need[at])),
  );

interface Surprise {
  readonly endpoint: string;
  readonly who: string;
  readonly dataSource: string;
  readonly what: string;
}

async function surprisesOf(methods: readonly string[]): Promise<readonly Surprise[]> {
  const surprises: Surprise[] = [];
  for (const endpoint of namesOf.keys()) {
    if (!methods.includes(endpoint.method)) continue;
    for (const dataSource of [own, other]) {
      const send = requestTo(endpoint, dataSource);
      const body =
        endpoint.method === 'POST' ? (contentOf(endpoint)?.body?.(dataSource) ?? {}) : undefined;
      const heard = async (
        who: string,
        credentials: string | undefined,
        expected: readonly number[] | 'an answer',
        mayName: boolean,
      ) => {
        const { status, text } = await ask(service, credentials, send, body);
        const isExpected =
          expected === 'an answer' ? status !== 401 && status !== 403 : expected.includes(status);
        const surprise = (what: string) =>
          surprises.push({ endpoint: nameOf(endpoint), who, dataSource, what });
        if (!isExpected) surprise(`${status} instead of ${expected}: ${text.slice(0, 200)}`);
        if (status === 500 && text.includes('Internal error')) surprise('an internal error');
        // What a request itself names may be named in its refusal.
        if (mayName && text.includes(other)) named.add(nameOf(endpoint));
        if (
          !mayName &&
          !send.includes(other) &&
          !JSON.stringify(body ?? '').includes(other) &&
          text.includes(other)
        )
          surprise(`names [${other}]`);
      };
      if (dataSource === own) {
        const isOpen = endpoint.permission === 'open' || endpoint.permission === 'connection';
        await heard('nobody', undefined, isOpen ? 'an answer' : [401], false);
        await heard('a wrong password', 'reader:wrong', isOpen ? 'an answer' : [401], false);
        await heard('an unknown user', 'unheard-of:reader', isOpen ? 'an answer' : [401], false);
      }
      const needs = needsOf(endpoint, dataSource);
      const isOfService = needs.length > 0 && needs.every(([type]) => type !== 'DATASOURCE');
      for (const identity of Object.keys(identities)) {
        const isAllowed = may(identity, needs);
        await heard(
          identity,
          `${identity}:${identity}`,
          isAllowed ? 'an answer' : [403],
          isAllowed && isOfService && namesDatasources.has(nameOf(endpoint)),
        );
      }
    }
  }
  return surprises;
}

test('each endpoint whose permission lies in the content says here what it needs', () => {
  const declared = [...namesOf]
    .filter(([{ permission }]) => permission === 'content')
    .map(([, name]) => name);
  expect(Object.keys(contents).sort()).toEqual(declared.sort());
});

// What is read comes first, because writers and the administrator end and delete things.
test.each([[['GET']], [['POST']], [['DELETE']]])(
  'every endpoint answers whom it must, refuses the rest, and names no datasource to those who may not see it: %s',
  { timeout: 240_000 },
  async (methods) => {
    expect(await surprisesOf(methods)).toEqual([]);
  },
);

test('the administrator is answered everywhere', { timeout: 120_000 }, async () => {
  const refused: string[] = [];
  for (const method of ['GET', 'POST', 'DELETE'])
    for (const endpoint of namesOf.keys()) {
      if (endpoint.method !== method) continue;
      const body = method === 'POST' ? (contentOf(endpoint)?.body?.(own) ?? {}) : undefined;
      const { status, text } = await ask(service, admin, requestTo(endpoint, own), body);
      if (status === 401 || status === 403 || text.includes('Internal error'))
        refused.push(`${nameOf(endpoint)}: ${status} ${text}`);
    }
  expect(refused).toEqual([]);
});

test('the endpoints that are declared to name datasources do', () => {
  expect([...named].sort()).toEqual([...namesDatasources].sort());
});
