// The guided builder of batch tasks, on a terminal and without one.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { runCli } from '../../support/cli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'svcctl-builder-'));
let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0, allowedFolders: [cwd] });
  writeFileSync(
    join(cwd, 'edits.csv'),
    'time,page,added\n2024-05-01T10:00:00Z,Oslo,5\n2024-05-01T11:00:00Z,Oslo,7\n',
  );
});
afterAll(async () => {
  await service.close();
  rmSync(cwd, { recursive: true, force: true });
});

test('a terminal is asked step by step, sees parsed rows, and the task runs', async () => {
  const { stdout, code } = await runCli(service, 'tasks create edits.csv', {
    tty: true,
    cwd,
    env: { NO_COLOR: '1' },
    types: [
      ['Datasource to write to:', '\r'],
      ['Format of the rows:', '\r'],
      ['Column with the time', '\r'],
      ['Format of the time', '\r'],
      ['Columns to leave out', '\r'],
      ['Roll up', 'y\r'],
      ['Time chunk', '\r'],
      ['Write the specification', '\r'],
    ],
  });
  expect({ code, stdout }).toMatchObject({ code: 0 });
  expect(stdout).toMatch(/time +page +added\n.*Oslo +5/);
  expect(stdout).toMatch(/__time .*\n2024-05-01T10:00:00\.000Z +Oslo +5/);
  expect(stdout).toContain('svcctl tasks submit edits-task.json');
  expect(
    await runCli(service, 'tasks submit edits-task.json --wait=queryable -q', { cwd }),
  ).toMatchObject({ code: 0 });
  const { stdout: sum } = await runCli(
    service,
    `sql 'SELECT SUM("count"), SUM(sum_added) FROM edits' -o csv --no-header`,
  );
  expect(sum).toBe('2,12\n');
});

test('Tab completes the name of the sample file, through folders', async () => {
  mkdirSync(join(cwd, 'samples'));
  copyFileSync(join(cwd, 'edits.csv'), join(cwd, 'samples/edits.csv'));
  const { stdout, code } = await runCli(service, 'tasks create --out other.json', {
    tty: true,
    cwd,
    env: { NO_COLOR: '1', LANG: 'C.UTF-8' },
    types: [
      ['Sample file', 'samp'],
      ['❯ samples/', '\t'],
      ['❯ samples/edits.csv', '\r'],
      ['Datasource to write to:', '\r'],
      ['Format of the rows:', '\r'],
      ['Column with the time', '\r'],
      ['Format of the time', '\r'],
      ['Columns to leave out', '\r'],
      ['Roll up', 'n\r'],
      ['Time chunk', '\r'],
    ],
  });
  expect({ code, stdout }).toMatchObject({ code: 0 });
  expect(stdout).toContain('svcctl ingest files sends it from here');
});

test('off a terminal flags and guesses answer, and the specification is on stdout', async () => {
  const { stdout, stderr, code } = await runCli(
    service,
    'tasks create edits.csv --into other --exclude page --segment-granularity HOUR',
    { cwd },
  );
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(JSON.parse(stdout)).toMatchObject({
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'other',
        timestampSpec: { column: 'time', format: 'iso' },
        dimensionsSpec: { dimensions: [{ type: 'long', name: 'added' }] },
        granularitySpec: { segmentGranularity: 'HOUR', rollup: false },
      },
      ioConfig: { inputSource: { type: 'local', filter: 'edits.csv' } },
    },
  });
});

test('the sampled rows of a specification are a table', async () => {
  await runCli(service, 'tasks create edits.csv --into other --out other.json', { cwd });
  expect((await runCli(service, 'tasks sample other.json -o csv', { cwd })).stdout).toMatch(
    /^__time,page,added\r\n2024-05-01T10:00:00\.000Z,Oslo,5\r\n/,
  );
});

test.each([
  ['tasks create nosuch.json', 'File [nosuch.json] does not exist'],
  ['tasks create', 'give it with argument file'],
  ['supervisors create', 'give it with argument topic'],
])('svcctl %s is refused off a terminal', async (line, says) => {
  const { stdout, stderr, code } = await runCli(service, line, { cwd });
  expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  expect(stderr).toContain(says);
});
