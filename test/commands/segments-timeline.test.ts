// Segments over time, from a real service: a list for programs, a picture on a terminal.
import { beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../src/server/server.ts';
import { runCli } from '../support/cli.ts';
import { api } from '../support/wire.ts';

let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0 });
  const query = `REPLACE INTO "trips" OVERWRITE ALL SELECT TIME_PARSE("t") AS __time, "city" FROM TABLE(EXTERN(
    '{"type":"inline","data":"2020-01-01,ulm\\n2020-01-02,bonn\\n2020-01-03,ulm\\n2020-01-03,bonn"}',
    '{"type":"csv","columns":["t","city"]}')) EXTEND ("t" VARCHAR, "city" VARCHAR) PARTITIONED BY DAY`;
  const { post, ended } = api(service);
  const { body } = await post('/svc/v2/sql/task', { query });
  expect(await ended(body.taskId)).toMatchObject({ statusCode: 'SUCCESS' });
  const unused = 'segments mark-unused trips --interval 2020-01-02/2020-01-03 --yes --wait';
  expect(await runCli(service, unused)).toMatchObject({ code: 0 });
  return () => service.close();
});

test('for programs it is a list like any other', async () => {
  const list = 'segments timeline trips --columns interval,segments,rows,unused';
  expect((await runCli(service, `${list} -o csv`)).stdout).toBe(
    'interval,segments,rows,unused\r\n2020-01-01T00:00:00.000Z/2020-01-02T00:00:00.000Z,1,1,0\r\n2020-01-02T00:00:00.000Z/2020-01-03T00:00:00.000Z,0,0,1\r\n2020-01-03T00:00:00.000Z/2020-01-04T00:00:00.000Z,1,2,0\r\n',
  );
  expect(JSON.parse((await runCli(service, 'segments timeline -o json')).stdout)).toEqual([
    expect.objectContaining({ datasource: 'trips', segments: 1, versions: 1, notLoaded: 0 }),
    expect.objectContaining({ datasource: 'trips', rows: 2 }),
  ]);
  expect(
    (await runCli(service, "segments timeline trips --where 'unused > 0' -o name")).stdout,
  ).toBe('trips\n');
});

test('on a terminal it is a picture that fits', async () => {
  const on = async (line: string, cols: number) =>
    (await runCli(service, line, { tty: true, cols, env: { NO_COLOR: '1', LANG: 'C.UTF-8' } }))
      .stdout;
  const one = await on('segments timeline trips', 80);
  expect(one).toContain('trips: 3 intervals, 2 segments, ');
  expect(one).toMatch(/2020-01-02 {2}░+ +0 B +0 +0 +0 {2}1 unused\n/);
  expect(one).toMatch(/2020-01-03 {2}▓+ .* B +1 +2 +1\n/);
  const all = await on('segments timeline', 60);
  expect(all).toMatch(/^DATASOURCE +SIZE +SEGMENTS\ntrips +[▁-█]+ +[▁-█]+ .* B +2\n/);
  for (const line of all.split('\n')) expect([...line].length).toBeLessThanOrEqual(60);
});

test('a datasource without segments is empty, an unknown one is said', async () => {
  expect(await runCli(service, 'segments timeline nope')).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('Datasource [nope] does not exist'),
    code: 3,
  });
});
