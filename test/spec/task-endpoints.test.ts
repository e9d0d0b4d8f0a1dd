// The specification's tables of tasks, of SQL-based ingestion and of the MiddleManager (lines 200
// to 209 and 305 to 342), over HTTP.
import { beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { finishedTask } from '../support/tasks.ts';
import { noop, served } from './served.ts';

const old = (id: string, createdTime: string, dataSource: string, type: string) => {
  const { status, ...rest } = finishedTask(id);
  return {
    ...rest,
    status: { ...status, createdTime, dataSource, type },
    log: ['one', 'two', 'three'],
  };
};
const tasks = [
  old('april', '2024-04-01T00:00:00.000Z', 'spring', 'kill'),
  old('may', '2024-05-01T00:00:00.000Z', 'spring', 'noop'),
  old('june', '2024-06-01T00:00:00.000Z', 'summer', 'noop'),
];
const at = '/svc/indexer/v1';

describe('tasks', () => {
  const { get, post, load, ingest, ended, until, rows } = served({
    tasks,
    workerCapacity: 1,
    properties: { 'svc.indexer.auditLog.enabled': 'true' },
  });
  const native = (id: string) => ({
    type: 'index_parallel',
    id,
    spec: {
      dataSchema: {
        dataSource: 'naps',
        timestampSpec: { column: 't' },
        dimensionsSpec: {},
        granularitySpec: { segmentGranularity: 'DAY', intervals: ['2024-01-01/2024-01-02'] },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: '{"t":"2024-01-01"}' },
        inputFormat: { type: 'json' },
      },
    },
  });
  let sqlTask = '';
  // One runs, one has a lock and no slot, one has neither.
  beforeAll(async () => {
    sqlTask = await load('wiki', ['01', '02']);
    await post(`${at}/task`, noop('runs'));
    await until(
      async () => (await get(`${at}/task/runs/status`)).body.status.runnerStatusCode === 'RUNNING',
    );
    await post(`${at}/task`, native('pends'));
    await post(`${at}/task`, native('waits'));
  });
  const ids = async (path: string): Promise<string[]> =>
    (await get(`${at}/${path}`)).body.map(({ id }: { id: string }) => id);
  const ever = 'createdTimeInterval=2024-01-01_2025-01-01';

  test('[362] statusCode and status are RUNNING or SUCCESS', async () => {
    const { status } = (await get(`${at}/task/runs/status`)).body;
    expect([status.statusCode, status.status]).toEqual(['RUNNING', 'RUNNING']);
    expect((await get(`${at}/task/${sqlTask}/status`)).body.status).toMatchObject({
      statusCode: 'SUCCESS',
      status: 'SUCCESS',
    });
  });

  test('[363] runnerStatusCode is NONE, RUNNING, WAITING or PENDING', async () => {
    const code = async (id: string) =>
      (await get(`${at}/task/${id}/status`)).body.status.runnerStatusCode;
    expect([
      await code(sqlTask),
      await code('runs'),
      await code('waits'),
      await code('pends'),
    ]).toEqual(['NONE', 'RUNNING', 'WAITING', 'PENDING']);
  });

  test('[364, 504] the list is filtered by state: running, complete, waiting, pending', async () => {
    expect(await ids('tasks?state=running')).toEqual(['runs']);
    expect(await ids('tasks?state=waiting')).toEqual(['waits']);
    expect(await ids('tasks?state=pending')).toEqual(['pends']);
    expect(await ids('tasks?state=complete')).toContain(sqlTask);
    expect(await ids('tasks?state=complete')).not.toContain('runs');
  });

  test('[505] by datasource', async () => {
    expect(await ids(`tasks?datasource=summer&${ever}`)).toEqual(['june']);
    expect((await ids('tasks?datasource=naps')).sort()).toEqual(['pends', 'runs', 'waits']);
  });

  test('[508] by max, which counts complete ones only', async () => {
    const listed = await ids('tasks?max=1');
    expect(listed.filter((id) => ['runs', 'waits', 'pends'].includes(id))).toHaveLength(3);
    expect(listed).toHaveLength(4);
  });

  test('[509] by type', async () => {
    expect(await ids(`tasks?type=kill&${ever}`)).toEqual(['april']);
    expect(await ids('tasks?type=noop&state=running')).toEqual(['runs']);
  });

  test('[510] without a filter it is 200 and has all that is active', async () => {
    const { status, body } = await get(`${at}/tasks`);
    expect(status).toBe(200);
    expect(body.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(['runs', 'waits', 'pends', sqlTask]),
    );
  });

  test('[511, 678] a state that there is not is 400', async () => {
    expect((await get(`${at}/tasks?state=done`)).status).toBe(400);
  });

  test('[512, 679] another parameter that cannot be read is 500', async () => {
    expect((await get(`${at}/tasks?max=few`)).status).toBe(500);
    expect((await get(`${at}/tasks?createdTimeInterval=sometime`)).status).toBe(500);
  });

  test('[513] completeTasks, with its four filters', async () => {
    expect(await ids(`completeTasks?datasource=spring&${ever}`)).toEqual(['may', 'april']);
    expect(await ids(`completeTasks?datasource=spring&${ever}&type=kill`)).toEqual(['april']);
    expect(await ids(`completeTasks?datasource=spring&${ever}&max=1`)).toEqual(['may']);
    expect(await ids('completeTasks?createdTimeInterval=2024-05-15_2024-07-01')).toEqual(['june']);
  });

  test('[515] runningTasks', async () => expect(await ids('runningTasks')).toEqual(['runs']));
  test('[516] waitingTasks', async () => expect(await ids('waitingTasks')).toEqual(['waits']));
  test('[517] pendingTasks', async () => expect(await ids('pendingTasks')).toEqual(['pends']));

  test('[518, 675] a task: task and payload; 404 of an unknown one', async () => {
    expect((await get(`${at}/task/runs`)).body).toMatchObject({
      task: 'runs',
      payload: { type: 'noop', dataSource: 'naps' },
    });
    expect((await get(`${at}/task/unheard-of`)).status).toBe(404);
  });

  test('[519] its status: task and status; 404 of an unknown one', async () => {
    expect((await get(`${at}/task/runs/status`)).body).toMatchObject({
      task: 'runs',
      status: { id: 'runs' },
    });
    expect((await get(`${at}/task/unheard-of/status`)).status).toBe(404);
  });

  test('[520] its segments, where indexer.auditLog.enabled is true', async () => {
    const { body } = await get(`${at}/task/${sqlTask}/segments`);
    expect(body).toMatchObject([{ dataSource: 'wiki' }, { dataSource: 'wiki' }]);
    const { url } = await startService({ tasks });
    expect((await fetch(`${url}${at}/task/may/segments`)).status).toBe(404);
  });

  test('[522] its log, without the first entries where an offset says so', async () => {
    expect((await get(`${at}/task/may/log`)).text).toBe('one\ntwo\nthree\n');
    expect((await get(`${at}/task/may/log?offset=2`)).text).toBe('three\n');
  });

  test('[523] which is plain text', async () => {
    const { status, type } = await get(`${at}/task/may/log`);
    expect([status, type]).toEqual([200, expect.stringMatching(/^text\/plain/)]);
  });

  test('[524] its reports', async () => {
    expect((await get(`${at}/task/${sqlTask}/reports`)).body).toMatchObject({
      multiStageQuery: { taskId: sqlTask },
    });
  });

  test('[525] shutdown answers with its id, and ends it', async () => {
    expect((await post(`${at}/task/runs/shutdown`)).body).toEqual({ task: 'runs' });
    expect((await ended('runs')).statusCode).toBe('FAILED');
    for (const id of ['pends', 'waits']) await ended(id); // there is a slot for them now
  });

  describe('of SQL', () => {
    const made = (name: string, first: string, n = '1') =>
      `${first} "${name}" ${first === 'REPLACE INTO' ? 'OVERWRITE ALL ' : ''}SELECT TIMESTAMP '2024-01-01' AS __time, ${n} AS n PARTITIONED BY DAY`;

    test('[526] query, context and parameters', async () => {
      const { body } = await post('/svc/v2/sql/task', {
        query: `INSERT INTO "given" SELECT TIMESTAMP '2024-01-01' AS __time, CAST(? AS BIGINT) AS n PARTITIONED BY DAY`,
        context: { note: 'mine' },
        parameters: [{ type: 'BIGINT', value: 42 }],
      });
      await ended(body.taskId);
      expect(await rows('SELECT n FROM given')).toEqual([[42]]);
      expect(JSON.stringify((await get(`${at}/task/${body.taskId}`)).body.payload)).toContain(
        '"note":"mine"',
      );
    });

    test('[528] INSERT appends', async () => {
      await ingest(made('appended', 'INSERT INTO', '1'));
      await ingest(made('appended', 'INSERT INTO', '2'));
      expect(await rows('SELECT SUM(n) FROM appended')).toEqual([[3]]);
    });

    test('[529] REPLACE replaces', async () => {
      await ingest(made('replaced', 'REPLACE INTO', '1'));
      await ingest(made('replaced', 'REPLACE INTO', '2'));
      expect(await rows('SELECT SUM(n) FROM replaced')).toEqual([[2]]);
    });

    test('[530, 706] SELECT has its rows in the report, a list each', async () => {
      const taskId = await ingest('SELECT page, n FROM wiki');
      const { results } = (await get(`${at}/task/${taskId}/reports`)).body.multiStageQuery.payload;
      expect(results.results.sort()).toEqual([
        ['page 01', 1],
        ['page 02', 2],
      ]);
    });

    test('[531] maxNumTasks is a number of tasks, two at least', async () => {
      const status = async (maxNumTasks: unknown) =>
        (
          await post('/svc/v2/sql/task', {
            query: made('limited', 'INSERT INTO'),
            context: { maxNumTasks },
          })
        ).status;
      expect([await status(1), await status('few')]).toEqual([400, 400]);
      await ingest(made('limited', 'INSERT INTO'), { maxNumTasks: 2 });
    });
  });
});

describe('on the MiddleManager', () => {
  const { get, post, ended, until } = served({ rolePorts: true, workerCapacity: 4 });
  const role = { role: 'middleManager' } as const;
  const worker = '/svc/worker/v1';
  const host = async () => (await get(`${at}/workers`)).body[0].worker.host;
  const codeOf = async (id: string) =>
    (await get(`${at}/task/${id}/status`)).body.status.runnerStatusCode;
  const started = async (id: string, rest: object = {}) => {
    await post(`${at}/task`, noop(id, rest));
    await until(async () => (await codeOf(id)) === 'RUNNING');
  };

  test('[514, 685] completeTasks is 404 on another service', async () => {
    expect((await get(`${at}/completeTasks`, { role: 'broker' })).status).toBe(404);
    expect((await get(`${at}/completeTasks`, { role: 'overlord' })).status).toBe(200);
  });

  test('[533] enabled: by host and port, whether', async () => {
    expect((await get(`${worker}/enabled`, role)).body).toEqual({ [await host()]: true });
  });

  test('[534] tasks: the ids of what is active', async () => {
    await started('listed');
    expect((await get(`${worker}/tasks`, role)).body).toEqual(['listed']);
  });

  test('[535] the log of a task', async () => {
    await started('logged');
    expect((await get(`${worker}/task/logged/log`, role)).text).toContain('logged');
  });

  test('[536] shutdown answers with the task, and 200', async () => {
    await started('stopped');
    const { status, body } = await post(`${worker}/task/stopped/shutdown`, undefined, role);
    expect([status, body]).toEqual([200, { task: 'stopped' }]);
    expect((await ended('stopped')).statusCode).toBe('FAILED');
  });

  test('[349, 350, 351, 537, 538] disabled, a worker takes no tasks and finishes what it has; enabled, it takes tasks again', async () => {
    await started('short', { runTime: 1500 });
    expect((await post(`${worker}/disable`, undefined, role)).body).toEqual({
      [await host()]: 'disabled',
    });
    expect((await get(`${worker}/enabled`, role)).body).toEqual({ [await host()]: false });
    await post(`${at}/task`, noop('next', { runTime: 1 }));
    expect((await ended('short')).statusCode).toBe('SUCCESS');
    expect(await codeOf('next')).toBe('PENDING');
    expect((await post(`${worker}/enable`, undefined, role)).body).toEqual({
      [await host()]: 'enabled',
    });
    expect((await ended('next')).statusCode).toBe('SUCCESS');
  });
});
