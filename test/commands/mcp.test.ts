// svcctl mcp, as an assistant uses it: the SDK's own client, the built program, a service.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { everyPage } from '../../src/cli/command/tree.ts';
import { commands } from '../../src/commands/index.ts';
import { messagesIn } from '../../src/commands/mcp/messages.ts';
import { lineOf, toolsOf } from '../../src/commands/mcp/tools.ts';
import type { Service } from '../../src/server/server.ts';
import { lines, runCli } from '../support/cli.ts';
import { standIn } from '../support/stand-in.ts';
import { startTestServer } from '../support/start-server.ts';
import { runningTask } from '../support/tasks.ts';

const home = mkdtempSync(join(tmpdir(), 'svcctl-mcp-'));
let service: Service;

beforeAll(async () => {
  service = await startTestServer({
    port: 0,
    tasks: [runningTask('ingest-1'), runningTask('ingest-2')],
    now: () => Date.parse('2024-05-01T12:05:00Z'),
  });
});
afterAll(async () => {
  await service.close();
  rmSync(home, { recursive: true, force: true });
});

test('each reading command that needs no terminal is a tool, and writing ones are only with --allow-writes', async () => {
  const reading = await namesOfTools(service, []);
  expect(reading).toEqual(
    expect.arrayContaining(['sql', 'tasks_list', 'why_task', 'status_health']),
  );
  for (const name of ['tasks_cancel', 'export', 'top', 'serve', 'tasks_watch', 'mcp'])
    expect(reading).not.toContain(name);
  const all = await namesOfTools(service, ['--allow-writes']);
  expect(all).toEqual(expect.arrayContaining([...reading, 'tasks_cancel', 'undo', 'export']));
  for (const name of [
    'top',
    'serve',
    'tasks_watch',
    'rules_edit',
    'profiles_add',
    'users_password',
  ])
    expect(all).not.toContain(name);
  expect(await namesOfTools(service, ['--only', 'why,status'])).toEqual([
    'why_segment',
    'why_supervisor',
    'why_task',
    'status',
    'status_get',
    'status_health',
  ]);
});

test('the reading form of a changing command is a tool without --allow-writes', async () => {
  const { call } = await connected(service);
  expect(await call('api', { method: 'GET', path: '/status/health' })).toEqual({
    isError: false,
    text: 'true',
  });
  expect((await call('config_coordinator', { verb: 'get' })).text).toContain('maxSegmentsToMove');
  expect((await call('undo', { list: true })).isError).toBe(false);
  expect((await call('compaction_slots', {})).text).toContain('ratio');
  for (const [tool, input, said] of [
    ['api', { method: 'DELETE', path: '/x' }, '[method] must be GET or HEAD'],
    ['api', { path: '/x' }, '[method] must be GET or HEAD'],
    ['config_coordinator', { verb: 'set' }, '[verb] must be get or history'],
    ['config_coordinator', { verb: 'get', changes: ['a=1'] }, '[changes] does not exist'],
    ['undo', {}, '[list] must be true'],
    ['undo', { list: false }, '[list] must be true'],
    ['compaction_slots', { max: 3 }, '[max] does not exist'],
  ] as const)
    expect({ tool, ...(await call(tool, input)) }).toEqual({
      tool,
      isError: true,
      text: expect.stringContaining(said),
    });
});

test('every input that a reading form names is an input of its command', async () => {
  for (const { words, arguments: args, options, reads = {} } of await everyPage(commands)) {
    const names = [...args, ...options].map(({ name }) => name);
    expect({ words, unknown: Object.keys(reads).filter((name) => !names.includes(name)) }).toEqual({
      words,
      unknown: [],
    });
  }
});

test('a tool returns the rows of its command, and takes the flags of lists', async () => {
  const { call } = await connected(service);
  expect(await call('tasks_list', { columns: 'id,status', sort: '-id', limit: 1 })).toEqual({
    isError: false,
    text: expect.stringMatching(/^\{"id":"ingest-2","status":"RUNNING"\}\n/),
  });
  expect(await call('sql', { statement: 'SELECT 9007199254740993 AS n' })).toEqual({
    isError: false,
    text: '{"n":9007199254740993}',
  });
  expect(await call('tasks_list', { jmespath: '[].id' })).toEqual({
    isError: false,
    text: '["ingest-1","ingest-2"]',
  });
});

test('an error is the answer of the tool, with its hint and exit code', async () => {
  const { call } = await connected(service);
  expect(await call('tasks_status', { task_id: 'nope' })).toEqual({
    isError: true,
    text: expect.stringMatching(
      /^error: .*\[?nope\]?.*\nhint: svcctl tasks list shows known tasks\nexit code 3 \(notFound\)$/,
    ),
  });
  expect(await call('tasks_list', { url: 'http://127.0.0.1:1' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(
      /^error: Argument \[url\] does not exist\nhint: arguments are state,/,
    ),
  });
  expect(await call('tasks_list', { max: 'many' })).toEqual({
    isError: true,
    text: 'error: Argument [max] must be a number',
  });
  expect(await call('tasks_list', { state: 'lost' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('choices are running, complete, waiting, pending'),
  });
  expect(await call('nothing', {})).toEqual({
    isError: true,
    text: 'error: Tool [nothing] does not exist',
  });
  expect(await call('tasks_cancel', { ids: ['x'] })).toEqual({
    isError: true,
    text: 'error: Tool [tasks_cancel] changes something, and this server offers only tools that read\nhint: start it as svcctl mcp --allow-writes',
  });
});

test('a change is a preview until confirm is true, needs the name of what it destroys, and undo reverts it', async () => {
  const { call } = await connected(service, ['--allow-writes']);
  const rules = {
    data_source: 'edits',
    file: '-',
    stdin: '[{"type":"dropForever"}]',
  };
  const preview = await call('rules_set', rules);
  expect(preview).toEqual({
    isError: false,
    text: expect.stringMatching(/"undo":"yes".*This is a preview: nothing was changed/s),
  });
  expect(await call('rules_get', { data_source: 'edits' })).toMatchObject({
    text: expect.not.stringContaining('dropForever'),
  });
  expect(await call('rules_set', { ...rules, confirm: true })).toEqual({
    isError: false,
    text: expect.stringContaining('The tool undo reverts this change.'),
  });
  expect(await call('rules_get', { data_source: 'edits' })).toMatchObject({
    text: expect.stringContaining('dropForever'),
  });
  expect(await call('undo', { confirm: true })).toMatchObject({ isError: false });
  expect(await call('rules_get', { data_source: 'edits' })).toMatchObject({
    text: expect.not.stringContaining('dropForever'),
  });
  const lookup = { lookup: 'towns', tier: 'cold', file: '-', stdin: '{"os":"Oslo"}' };
  await call('lookups_set', { ...lookup, confirm: true });
  const drop = { all: true, tier: 'cold', confirm: true };
  expect(await call('lookups_delete', drop)).toEqual({
    isError: true,
    text: expect.stringMatching(/\nhint: add --confirm=cold to confirm\nexit code 9 \(refused\)$/),
  });
  expect(await call('lookups_delete', { ...drop, confirm_name: 'cold' })).toMatchObject({
    isError: false,
  });
});

test('a large result is cut between rows, and says how to see more', async () => {
  const { call } = await connected(service, ['--max-bytes', '400']);
  const { text, isError } = await call('api_list', {});
  const rows = lines(text);
  expect(isError).toBe(false);
  expect(rows.at(-1)).toMatch(/^Only the first 400 bytes are shown: narrow the answer with limit/);
  for (const row of rows.slice(0, -1)) expect(JSON.parse(row)).toHaveProperty('path');
  expect(Buffer.byteLength(rows.slice(0, -1).join('\n'))).toBeLessThanOrEqual(400);
});

test('secrets of the service are masked', async () => {
  const leaky = await standIn((response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      '{"type":"kafka","spec":{"consumerProperties":{"sasl.password":"hunter2"}},"password":"hunter2"}',
    );
  });
  const { call } = await connected(leaky, ['--service', 'druid']);
  const { text } = await call('supervisors_get', { supervisor_id: 'edits' });
  expect(text).toContain('"sasl.password":"<masked>"');
  expect(text).not.toContain('hunter2');
});

test('a call that takes too long is stopped', async () => {
  const silent = await standIn(() => undefined);
  const { call } = await connected(silent, ['--service', 'druid', '--max-time', '1']);
  expect(await call('tasks_list', {})).toEqual({
    isError: true,
    text: expect.stringMatching(
      /error: The call did not end within 1 s and was stopped\nhint: narrow it, or raise --max-time/,
    ),
  });
});

test('no input becomes a flag or another command', async () => {
  const tools = toolsOf(await everyPage(commands), { allowsWrites: true, nouns: undefined });
  const named = (name: string) => tools.find((tool) => tool.name === name) ?? expect.fail(name);
  const fixed = ['--url=http://127.0.0.1:8888'];
  expect(lineOf(named('tasks_status'), { task_id: '--url=http://evil' }, fixed).words).toEqual([
    'tasks',
    'status',
    ...fixed,
    '--error-format=json',
    '--output=json',
    '--',
    '--url=http://evil',
  ]);
  expect(
    lineOf(named('tasks_list'), { datasource: 'a --profile=b', sort: '-id' }, fixed).words,
  ).toEqual([
    'tasks',
    'list',
    ...fixed,
    '--error-format=json',
    '--output=jsonl',
    '--datasource=a --profile=b',
    '--sort=-id',
    '--',
  ]);
  for (const { inputSchema } of tools)
    for (const key of [
      'url',
      'profile',
      'service',
      'profiles',
      'password_command',
      'new_password_command',
    ])
      expect(inputSchema.properties).not.toHaveProperty(key);
});

test('standard output carries only the protocol, and the end of the input ends it', async () => {
  const request = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const { stdout, stderr, code } = await runCli(service, `mcp <<< '${request}'`);
  expect(lines(stdout).map((line) => JSON.parse(line))).toEqual([
    { jsonrpc: '2.0', id: 1, result: {} },
  ]);
  expect(stderr).toMatch(/^\d+ tools are served on standard input and output\.\n$/);
  expect(code).toBe(0);
  expect(await runCli(service, 'mcp --only nothing < /dev/null')).toMatchObject({
    code: 2,
    stdout: '',
  });
});

test('a message that never ends is refused, and blank lines cost nothing', async () => {
  const endless = await runCli(service, 'mcp < <(head -c 20000000 /dev/zero)');
  expect(endless).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('A message is longer than 8388608 bytes'),
  });
  const request = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const blank = await runCli(
    service,
    `mcp < <(head -c 3000000 /dev/zero | tr '\\0' '\\n'; echo '${request}')`,
  );
  expect(lines(blank.stdout)).toHaveLength(1);
});

test('messages are read no faster than there is room for them', async () => {
  const given = ['{"a":1}\n\r\n{"b"', ':2}\n', '\n{"c":3}\n'].map((text) => Buffer.from(text));
  let room = 0;
  let taken = 0;
  const input = (async function* () {
    for (const chunk of given) {
      taken++;
      yield chunk;
    }
  })();
  const read = messagesIn(input, async () => {
    while (room === 0) await new Promise((resolve) => setImmediate(resolve));
    room--;
  });
  const first = read.next();
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(taken).toBe(1);
  room = 3;
  const messages = [(await first).value];
  for await (const message of read) messages.push(message);
  expect(messages.map(String)).toEqual(['{"a":1}\n', '{"b":2}\n', '{"c":3}\n']);
});

async function connected({ url }: { readonly url: string }, flags: readonly string[] = []) {
  const client = new Client({ name: 'a test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['bin/svcctl.cjs', 'mcp', '--url', url, ...flags],
      env: { PATH: process.env.PATH ?? '', HOME: home, XDG_STATE_HOME: home },
      stderr: 'ignore',
    }),
  );
  onTestFinished(() => client.close());
  return {
    client,
    async call(name: string, input: Record<string, unknown>) {
      const { content, isError } = await client.callTool({ name, arguments: input });
      const [{ text }] = content as [{ text: string }];
      return { text, isError: isError === true };
    },
  };
}

async function namesOfTools(at: Service, flags: readonly string[]): Promise<string[]> {
  const { client } = await connected(at, flags);
  return (await client.listTools()).tools.map(({ name }) => name);
}
