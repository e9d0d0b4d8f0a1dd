// Where the service should be, there is something else: every kind of it ends in a sentence and an exit code, soon and in little memory.
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { lines, runCli, runEach, runShell } from '../support/cli.ts';
import { standIn } from '../support/stand-in.ts';
import { finishedTask } from '../support/tasks.ts';

const json = (response: ServerResponse) => response.setHeader('content-type', 'application/json');
const page = '<!DOCTYPE html><html><head><title>Router</title></head><body><h1>It works</h1></body></html>';

// What each of these commands asks is read in a way of its own: a list as it comes, a document, rows of SQL.
const asking = ['tasks list', 'datasources list', 'status get', "sql 'SELECT 1'"].map((words) => ({
  words,
  line: `timeout 20 node $SVCCTL ${words} --timeout 1`,
}));

test.each<[string, (response: ServerResponse) => void, readonly number[]]>([
  ['a page of HTML', (response) => void response.setHeader('content-type', 'text/html').end(page), [1]],
  ['a page of HTML that calls itself JSON', (response) => void json(response).end(page), [1]],
  ['garbage', (response) => void json(response).end(Buffer.from([0xff, 0xfe, 0x00, 0x9d, 0x7b])), [1]],
  ['half a document', (response) => void json(response).end('[{"id":"a",'), [1]],
  ['a connection that closes before it says anything', (response) => void response.destroy(), [1, 6]],
  ['nothing at all', () => {}, [6]],
])('%s', async (_, answer, codes) => {
  const service = await standIn(answer);
  const place = { env: { SVCCTL: `${process.cwd()}/bin/svcctl.cjs`, SVCCTL_RETRIES: '0' } };
  for (const { words, stdout, stderr, code } of await runEach(service, asking, place)) {
    if (words.startsWith('sql') && code === 0) continue; // rows of SQL are handed on as they are
    expect({ words, code: codes.includes(code), stdout, stderr }).toEqual({
      words,
      code: true,
      stdout: expect.not.stringContaining('<html'),
      stderr: expect.stringMatching(/^error: [A-Z].*\S\n(hint: .*\n)?$/s),
    });
  }
});

test('a list without an end is cut at --limit, in little memory', async () => {
  const item = `${JSON.stringify(finishedTask('endless').status)},`.repeat(500);
  const service = await standIn((response) => {
    json(response).write('[');
    const more = () => {
      while (!response.destroyed && response.write(item)) {}
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  const measured = `node --import 'data:text/javascript,process.on("exit",()=>console.error("peak",process.resourceUsage().maxRSS/1024|0))' bin/svcctl.cjs`;
  const { stdout, stderr, code } = await runShell(service, `timeout 60 ${measured} tasks list --limit 1000 -o name`);
  expect({ code, rows: lines(stdout).length }).toEqual({ code: 0, rows: 1000 });
  expect(Number(/peak (\d+)/.exec(stderr)?.[1])).toBeLessThan(250);
});

test('names that are no UTF-8 are shown with a sign in place of what cannot be read', async () => {
  const [before = '', after = ''] = JSON.stringify([{ ...finishedTask('?').status, id: '@' }]).split('@');
  const service = await standIn(
    (response) => void json(response).end(Buffer.concat([Buffer.from(before), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from(after)])),
  );
  expect(await runCli(service, 'tasks list -o name')).toEqual({ stdout: '\ufffd(\ufffd\n', stderr: '', code: 0 });
});

test('closed standard streams end no command in silence or a stack', async () => {
  const service = await standIn((response) => void json(response).end(JSON.stringify([finishedTask('a').status])));
  expect(await runShell(service, 'svcctl tasks list <&-')).toMatchObject({ code: 0, stdout: expect.stringContaining('SUCCESS') });
  expect(await runShell(service, 'svcctl tasks list 2>&-')).toMatchObject({ code: 0, stdout: expect.stringContaining('SUCCESS') });
  const { stderr } = await runShell(service, 'svcctl tasks list >&-');
  expect(stderr).not.toMatch(/^ +at /m);
  expect((await runShell({ url: 'http://127.0.0.1:1' }, 'svcctl tasks list 2>&- >&- <&-')).code).toBe(6);
});
