// Running queries of all kinds, listed and cancelled.
import { expect, test } from 'vitest';
import { startServer } from '../../../src/server/server.ts';
import { runCli, startCli } from '../../support/cli.ts';
import { standIn } from '../../support/stand-in.ts';

interface Listed {
  readonly id: string;
  readonly kind: string;
  readonly user?: string;
  readonly query: string;
}

const listed = async (service: { url: string }) =>
  JSON.parse((await runCli(service, 'queries list -o json')).stdout) as Listed[];

// A query that takes longer than the test waits.
const ten = '(VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10)) AS';
const many = Array.from('abcdefghijkl', (name) => `${ten} ${name}(n)`).join(', ');
const slowSql = `SELECT COUNT(*) FROM ${many} WHERE a.n + b.n + c.n + d.n + e.n + f.n + g.n + h.n + i.n + j.n + k.n + l.n = 7`;

const numbers = {
  type: 'inline',
  columnNames: ['n'],
  rows: Array.from({ length: 40 }, (_, n) => [n]),
};
const allPairs = ['a', 'b', 'c', 'd', 'e'].reduce<object>(
  (left, name) => ({
    type: 'join',
    left,
    right: numbers,
    rightPrefix: `${name}.`,
    condition: '1',
    joinType: 'INNER',
  }),
  numbers,
);

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let turn = 0; turn < 100; turn++) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('It did not appear within ten seconds');
}

test('an SQL query is listed with its text, and killed by the beginning of its id', async () => {
  const service = await startServer({ port: 0 });
  try {
    const query = startCli(service, ['sql', slowSql, '--query-id', 'slow-report']);
    const found = await until(async () =>
      (await listed(service)).find(({ id }) => id === 'slow-report'),
    );
    expect(found).toMatchObject({ kind: 'sql', query: expect.stringContaining('l.n = 7') });
    const killed = await runCli(service, 'queries kill slow-r');
    expect(killed).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Query [slow-report] is cancelled.'),
    });
    expect(await query.ended).not.toBe(0);
    expect(await listed(service)).toEqual([]);
  } finally {
    await service.close();
  }
});

test('a service that cannot list queries is named, and SQL tasks are shown all the same', async () => {
  const status = {
    id: 'query-1',
    groupId: 'query-1',
    type: 'query_controller',
    createdTime: '2024-05-01T12:00:00.000Z',
    queueInsertionTime: '2024-05-01T12:00:00.000Z',
    statusCode: 'RUNNING',
    status: 'RUNNING',
    runnerStatusCode: 'RUNNING',
    duration: -1,
    location: { host: null, port: -1, tlsPort: -1 },
    dataSource: 'edits',
    errorMsg: null,
  };
  const service = await standIn((response, { path }) => {
    if (path.startsWith('/svc/indexer/v1/runningTasks')) response.end(JSON.stringify([status]));
    else if (path === '/svc/indexer/v1/task/query-1')
      response.end(
        JSON.stringify({
          task: 'query-1',
          payload: { type: 'query_controller', sqlQuery: 'INSERT 1' },
        }),
      );
    else response.writeHead(404).end();
  });
  const { stdout, stderr, code } = await runCli(service, 'queries list -o json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ id: 'query-1', kind: 'task', query: 'INSERT 1' }]);
  expect(stderr).toContain('cannot list the queries of its Brokers');
});

test('a native query is listed with its JSON where the service lists it', async () => {
  const service = await startServer({ port: 0 });
  try {
    const query = {
      queryType: 'timeseries',
      dataSource: allPairs,
      intervals: '1970/1971',
      granularity: 'all',
      aggregations: [{ type: 'count', name: 'rows' }],
      context: { queryId: 'native-report' },
    };
    const run = startCli(service, ['query', 'run', JSON.stringify(query), '-o', 'none']);
    const found = await until(async () =>
      (await listed(service)).find(({ id }) => id === 'native-report'),
    );
    expect(found).toMatchObject({ kind: 'native', query: expect.stringContaining('timeseries') });
    const killed = await runCli(service, 'queries kill native-report');
    expect(killed).toMatchObject({ code: 0 });
    await run.ended;
    expect(await listed(service)).toEqual([]);
  } finally {
    await service.close();
  }
});

test('a service that has no list of queries shows its SQL tasks only', async () => {
  const service = await startServer({ port: 0, service: 'druid', engineVersion: 33 });
  try {
    expect(await runCli(service, 'queries list -o json')).toEqual({
      code: 0,
      stdout: '[]\n',
      stderr: expect.stringContaining('cannot list the queries of its Brokers'),
    });
  } finally {
    await service.close();
  }
});
