// Hostile and foreign servers: each ends in a message and an exit code, soon and in little memory.
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { lines, runCli, runEach, runShell } from '../support/cli.ts';
import { standIn } from '../support/stand-in.ts';
import { finishedTask } from '../support/tasks.ts';

const json = (response: ServerResponse) => response.setHeader('content-type', 'application/json');
const page =
  '<!DOCTYPE html><html><head><title>Router</title></head><body><h1>It works</h1></body></html>';

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n';

function endless(to: Writable | null, begin: string, more: string) {
  to?.write(begin);
  const goOn = () => {
    while (!to?.destroyed && to?.write(more)) {}
    if (!to?.destroyed) to?.once('drain', goOn);
  };
  goOn();
}

function drip(to: Writable | null, drop: string, everyMs: number) {
  const dripping = setInterval(() => to?.write(drop), everyMs);
  to?.on('close', () => clearInterval(dripping));
}

// What each of these commands asks is read in a way of its own: a list as it comes, a document,
// rows of SQL.
const asking = ['tasks list', 'datasources list', 'status get', "sql 'SELECT 1'"].map((words) => ({
  words,
  line: `timeout 20 node $SVCCTL ${words} --timeout 1`,
}));

test.each<[string, (response: ServerResponse) => void, readonly number[]]>([
  [
    'a page of HTML',
    (response) => void response.setHeader('content-type', 'text/html').end(page),
    [6],
  ],
  ['a page of HTML that calls itself JSON', (response) => void json(response).end(page), [1]],
  [
    'garbage',
    (response) => void json(response).end(Buffer.from([0xff, 0xfe, 0x00, 0x9d, 0x7b])),
    [1],
  ],
  ['half a document', (response) => void json(response).end('[{"id":"a",'), [1]],
  [
    'a connection that closes before it says anything',
    (response) => void response.destroy(),
    [1, 6],
  ],
  ['nothing at all', () => {}, [6]],
  [
    'headers without an end',
    (response) =>
      endless(response.socket, 'HTTP/1.1 200 OK\r\n', `x-more: ${'x'.repeat(1000)}\r\n`),
    [6],
  ],
  [
    'nothing but words in between',
    (response) => drip(response.socket, 'HTTP/1.1 102 Processing\r\n\r\n', 100),
    [6],
  ],
  [
    'a length that is more than comes',
    (response) => void response.socket?.end(`${head}content-length: 999\r\n\r\n[{"id":`),
    [1],
  ],
  [
    'a length that is less than comes',
    (response) => void response.socket?.end(`${head}content-length: 9\r\n\r\n[{"id":"a"}]`),
    [1, 6],
  ],
  [
    'redirects in a loop',
    (response) => void response.writeHead(307, { location: response.req.url ?? '' }).end(),
    [1],
  ],
  [
    'redirects without an end',
    (response) => void response.writeHead(308, { location: `/${Math.random()}` }).end(),
    [1],
  ],
  [
    'a page without an end as the reason why not',
    (response) => endless(response.writeHead(500), '', 'Sorry '.repeat(1000)),
    [1],
  ],
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

const measured = `timeout 60 node --import 'data:text/javascript,process.on("exit",()=>console.error("peak",process.resourceUsage().maxRSS/1024|0))' bin/svcctl.cjs`;
const peakIn = (stderr: string) => Number(/^peak (\d+)$/m.exec(stderr)?.[1]);

test('a list without an end is cut at --limit, in little memory', async () => {
  const item = `${JSON.stringify(finishedTask('endless').status)},`.repeat(500);
  const service = await standIn((response) => endless(json(response), '[', item));
  const { stdout, stderr, code } = await runShell(
    service,
    `${measured} tasks list --limit 1000 -o name`,
  );
  expect({ code, rows: lines(stdout).length }).toEqual({ code: 0, rows: 1000 });
  expect(peakIn(stderr)).toBeLessThan(250);
});

const bomb = gzipSync(Buffer.alloc(2 ** 28, ' '), { level: 1 });

test.each<[string, (response: ServerResponse) => void]>([
  [
    'a gigabyte that says so',
    (response) =>
      void json(response)
        .setHeader('content-length', 2 ** 30)
        .write('{"version":"'),
  ],
  ['what has no end', (response) => endless(json(response), '{"version":"', 'x'.repeat(2 ** 16))],
  [
    'little that is much once it is unpacked',
    (response) => void json(response).setHeader('content-encoding', 'gzip').end(bomb),
  ],
])(
  '%s: a document is refused at 128 MiB, with the way to have it all the same',
  async (_, answer) => {
    const { stdout, stderr, code } = await runShell(
      await standIn(answer),
      `${measured} status get --timeout 30`,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(lines(stderr).slice(0, 2)).toEqual([
      'error: The reply to [/status] is longer than 128 MiB, the limit of one document',
      "hint: save it to a file: svcctl api GET '/status' > FILE",
    ]);
    expect(peakIn(stderr)).toBeLessThan(400);
  },
);

test('documents without an end that are read at the same time are refused at 256 MiB together', async () => {
  const service = await standIn((response) =>
    endless(json(response), '[{"id":"', 'x'.repeat(2 ** 16)),
  );
  const { stdout, stderr, code } = await runShell(
    service,
    `${measured} cluster check --timeout 30`,
  );
  expect({ code, stdout }).toEqual({
    code: 3,
    stdout: expect.stringMatching(/^CLUSTER UNKNOWN - The repl(y|ies) .* longer than \d+ MiB/),
  });
  expect(peakIn(stderr)).toBeLessThan(700);
});

test('a row without an end is refused at 128 MiB, in a list as in a result', async () => {
  const service = await standIn((response, { path }) =>
    endless(json(response), path.endsWith('/sql') ? '["' : '[{"id":"', 'x'.repeat(2 ** 16)),
  );
  for (const words of ['tasks list', "sql 'SELECT 1'", "sql 'SELECT 1' -o csv"]) {
    const { stderr, code } = await runShell(service, `${measured} ${words} --timeout 30`);
    expect({ words, code, stderr }).toEqual({
      words,
      code: 1,
      stderr: expect.stringMatching(/^error: A.* is longer than 128 MiB\n/),
    });
    expect(peakIn(stderr)).toBeLessThan(600);
  }
});

test('as it comes, a reply without an end may be as long as it likes', async () => {
  const service = await standIn((response) =>
    endless(json(response), '[', `${'1,'.repeat(2 ** 15)}\n`),
  );
  const { stdout, stderr } = await runShell(
    service,
    `${measured} api GET /status --timeout 30 | head -c 200000000 | wc -c`,
  );
  expect(stdout.trim()).toBe('200000000');
  expect(peakIn(stderr)).toBeLessThan(250);
});

const statement = {
  queryId: 'query-slow',
  state: 'SUCCESS',
  createdAt: '2024-05-01T00:00:00.000Z',
  schema: [{ name: 'n', type: 'BIGINT', nativeType: 'LONG' }],
};
const oneByteASecond = (response: ServerResponse, path: string) => {
  if (path.includes('/sql/statements/') && !path.includes('/results'))
    return void json(response).end(
      JSON.stringify({ ...statement, result: { pages: [{ id: 0 }] } }),
    );
  json(response).write(' ');
  drip(response, '[', 1000);
};
const slowly = [
  ...asking.map(({ words }) => words),
  'statements results query-slow',
  'api GET /status',
];

test('a byte a second: the answer is given up after --timeout', async () => {
  const service = await standIn((response, { path }) => oneByteASecond(response, path));
  for (const { words, code, stderr } of await runEach(
    service,
    slowly.map((words) => ({ words, line: `timeout 30 node bin/svcctl.cjs ${words} --timeout 3` })),
  ))
    expect({ words, code, stderr }).toEqual({
      words,
      code: 6,
      stderr: expect.stringMatching(
        /^error: The (reply was not complete within 3 s|service is too slow: it sent \d+ bytes in \d+(\.\d)? s)\nhint: --timeout waits longer, as in --timeout 10m\n$/,
      ),
    });
});

test('a byte a second: Ctrl-C ends it at once', async () => {
  const service = await standIn((response, { path }) => oneByteASecond(response, path));
  for (const { words, code } of await runEach(
    service,
    slowly.map((words) => ({
      words,
      line: `timeout --preserve-status -k 10 -s INT 4 node bin/svcctl.cjs ${words}`,
    })),
  ))
    expect({ words, code }).toEqual({ words, code: 130 });
});

test.each([
  ['', 2],
  [' -o json', 2],
  [' -o csv', 2],
])('a list that breaks off: the rows so far%s, then the error', async (format, rows) => {
  const item = JSON.stringify(finishedTask('a').status);
  const service = await standIn((response) => {
    json(response).write(`[${item},${item},${item.slice(0, 30)}`);
    setTimeout(() => response.destroy(), 300);
  });
  const { stdout, stderr, code } = await runCli(service, `tasks list${format}`);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'error: The service stopped in the middle of its reply, which is incomplete\n',
  });
  expect(format === ' -o json' ? JSON.parse(stdout).length : lines(stdout).length - 1).toBe(rows);
});

test('names that are no UTF-8 are shown with a sign in place of what cannot be read', async () => {
  const [before = '', after = ''] = JSON.stringify([
    { ...finishedTask('?').status, id: '@' },
  ]).split('@');
  const service = await standIn(
    (response) =>
      void json(response).end(
        Buffer.concat([Buffer.from(before), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from(after)]),
      ),
  );
  expect(await runCli(service, 'tasks list -o name')).toEqual({
    stdout: '\ufffd(\ufffd\n',
    stderr: '',
    code: 0,
  });
});

test('closed standard streams end no command in silence or a stack', async () => {
  const service = await standIn(
    (response) => void json(response).end(JSON.stringify([finishedTask('a').status])),
  );
  expect(await runShell(service, 'svcctl tasks list <&-')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('SUCCESS'),
  });
  expect(await runShell(service, 'svcctl tasks list 2>&-')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('SUCCESS'),
  });
  const { stderr } = await runShell(service, 'svcctl tasks list >&-');
  expect(stderr).not.toMatch(/^ +at /m);
  expect(
    (await runShell({ url: 'http://127.0.0.1:1' }, 'svcctl tasks list 2>&- >&- <&-')).code,
  ).toBe(6);
});

// One of each way to print: a list, a document, fields, rows of SQL, bytes, a change, a wait, and
// what needs no service.
const printing = [
  'tasks list',
  'tasks list -o json',
  'tasks list --watch=0.2',
  'status get',
  "sql 'SELECT 1'",
  "sql 'SELECT 1' -o csv",
  'api GET /status',
  'rules set wiki --file /dev/null --dry-run',
  'tasks wait a',
  'tasks log a',
  'profiles list',
  'api list',
  'help',
  'help formatting',
  'tasks --help',
  'completion bash',
  '--version',
  'help --json',
];

test('whoever stops reading, closes a stream or has a full disk meets neither a stack nor a hang', async () => {
  const much = Array.from({ length: 3000 }, (_, at) => finishedTask(`task-${at}`).status);
  const service = await standIn((response, { path }) => {
    if (path.endsWith('/tasks')) return void json(response).end(JSON.stringify(much));
    if (path.endsWith('/a/status'))
      return void json(response).end(
        JSON.stringify({ task: 'a', status: finishedTask('a').status }),
      );
    if (path.endsWith('/a/log')) return void response.end('a line\n'.repeat(100_000));
    if (path.endsWith('/sql'))
      return void response.end(`["n"]\n["BIGINT"]\n${'[1]\n'.repeat(100_000)}\n`);
    const memory = { maxMemory: 1, totalMemory: 1, freeMemory: 1, usedMemory: 1, directMemory: 1 };
    json(response).end(
      JSON.stringify({ version: '1', modules: much.map(({ id }) => ({ name: id })), memory }),
    );
  });
  const rows = printing.flatMap((words) => {
    const line = `timeout -k 1 30 node bin/svcctl.cjs ${words}`;
    return [
      { words, how: 'nobody reads', line: `${line} | true` },
      { words, how: 'one line is read', line: `${line} | head -1` },
      { words, how: 'no streams', line: `${line} <&- >&- 2>&-` },
      ...(words.includes('watch')
        ? []
        : [{ words, how: 'no stdin and no stderr', line: `${line} <&- 2>&-` }]),
      { words, how: 'a full disk', line: `${line} > /dev/full` },
    ].filter(({ how }) => !words.includes('watch') || !how.startsWith('no streams'));
  });
  const wrong = (await runEach(service, rows)).filter(({ how, words, code, stderr }) => {
    const isHeard = !words.startsWith('rules') && !words.startsWith('tasks wait'); // they print nothing, or may
    const codes = how === 'a full disk' && isHeard ? [1] : [0, ...(isHeard ? [] : [1, 2])];
    return !codes.includes(code) || /^ +at |EPIPE|Unhandled/m.test(stderr);
  });
  expect(
    wrong.map(({ how, words, code, stderr }) => ({
      how,
      words,
      code,
      stderr: stderr.slice(0, 300),
    })),
  ).toEqual([]);
}, 400_000);
