// Profiles, precedence and passwords, as a person meets them: real files, real processes, a real
// service.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { standIn } from '../support/stand-in.ts';

const nowhere = { url: '' };

async function aHome(config?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-profiles-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'svcctl', 'config.json');
  if (config !== undefined) {
    await mkdir(join(folder, 'svcctl'), { mode: 0o700 });
    await writeFile(file, config, { mode: 0o600 });
  }
  return { folder, file, place: { cwd: folder, env: { XDG_CONFIG_HOME: folder } } };
}

test('20 and 21: a profile is added after the service was asked, in a file for nobody else', async () => {
  const { file, folder, place } = await aHome();
  const { url } = await standIn((response, { path }) => {
    if (path === '/status') response.end('{"version":"27.0.0","modules":[],"memory":{}}');
    else if (path === '/druid/coordinator/v1/isLeader') response.end('{"leader":true}');
    else response.writeHead(404).end();
  });
  const { stderr, code } = await runCli(
    nowhere,
    `profiles add prod --url ${url} --protected`,
    place,
  );
  expect(stderr).toBe(
    `Service [druid], version 27.0.0, answers at [${url}]. Profile [prod] is saved and in use.\nnext: svcctl status get\n`,
  );
  expect(code).toBe(0);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    current: 'prod',
    profiles: { prod: { url, service: 'druid', version: '27.0.0', protected: true } },
  });
  expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
  expect(((await stat(join(folder, 'svcctl'))).mode & 0o777).toString(8)).toBe('700');
  expect((await runCli(nowhere, 'profiles prompt', place)).stdout).toBe('(prod!)\n');
});

test('21: a service under another name says it through its properties', async () => {
  const { place } = await aHome();
  const { url } = await standIn((response, { path }) => {
    if (path === '/status') response.end('{"version":"1"}');
    else if (path === '/status/properties') response.end('{"java.version":"17","olap.host":"x"}');
    else response.writeHead(404).end();
  });
  expect((await runCli(nowhere, `profiles add it --url ${url}`, place)).stderr).toMatch(
    /^Service \[olap\]/,
  );
});

test('a profile that nobody answers is not kept', async () => {
  const { place } = await aHome();
  expect((await runCli(nowhere, 'profiles add it --url http://127.0.0.1:1', place)).code).toBe(6);
  expect((await runCli(nowhere, 'profiles list -o json', place)).stdout).toBe('[]\n');
});

test('19: flag beats environment beats project file beats profile beats default', async () => {
  const { folder, place } = await aHome(
    JSON.stringify({
      current: 'a',
      profiles: { a: { url: 'http://a', service: 'a', timeout: 5, output: 'json' } },
    }),
  );
  await writeFile(join(folder, '.svcctl.json'), '{"timeout": 4, "service": "project"}');
  const env = { ...place.env, SVCCTL_TIMEOUT: '3', SVCCTL_URL: '' };
  const { stdout } = await runCli(
    nowhere,
    'profiles show --explain --where "setting in (url, service, timeout, connect-timeout, output)" -o csv',
    { ...place, env },
  );
  expect(stdout.split('\r\n').sort()).toEqual(
    [
      '',
      'setting,value,source,from',
      'output,csv,flag,--output',
      'timeout,3,environment,SVCCTL_TIMEOUT',
      `service,project,project file,${join(folder, '.svcctl.json')}`,
      'url,http://a,profile,a',
      'connect-timeout,10,default,default',
    ].sort(),
  );
});

test('16: an address with a password in it is refused wherever it is said, and never shown', async () => {
  const service = await startService();
  const url = service.url.replace('//', '//ann:hush@');
  const { place } = await aHome(
    JSON.stringify({ profiles: { one: { url: service.url, service: 'svc' } } }),
  );
  for (const [line, env] of [
    [`profiles add eu --url ${url}`, {}],
    ['status', { SVCCTL_URL: url }],
    [`tasks list --url=${url}`, {}],
    [`profiles set one url=${url}`, {}],
  ] as const) {
    const { stdout, stderr, code } = await runCli({ url: '' }, line, {
      ...place,
      env: { ...place.env, ...env },
    });
    expect({ line, stdout, stderr, code }).toEqual({
      line,
      stdout: '',
      stderr: expect.stringContaining('contains a password'),
      code: 2,
    });
    expect(stderr).not.toContain('hush');
  }
  for (const [line, hint] of [
    ['login --password x', '--password-stdin'],
    ['users create bob --new-password x', '--new-password-stdin'],
  ])
    expect((await runCli({ url: '' }, String(line), place)).stderr).toContain(
      `hint: a password on the command line is visible to others: use ${hint}`,
    );
});

test('a project file of a stranger can neither run a program nor send a password elsewhere', async () => {
  const service = await standIn((response) => response.end('true'));
  const { folder, place } = await aHome(
    JSON.stringify({
      current: 'a',
      profiles: {
        a: {
          url: 'http://127.0.0.1:1',
          service: 'a',
          user: 'me',
          password: 'secret',
          passwordIn: 'file',
        },
      },
    }),
  );
  await writeFile(join(folder, '.svcctl.json'), JSON.stringify({ url: service.url }));
  await runCli(nowhere, 'status health', { ...place, env: { ...place.env, SVCCTL_URL: '' } });
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  await writeFile(join(folder, '.svcctl.json'), JSON.stringify({ passwordCommand: 'touch owned' }));
  expect((await runCli(nowhere, 'status health', place)).stderr).toContain(
    'must not set [passwordCommand]',
  );
  expect(await readdir(folder)).not.toContain('owned');
});

test('19: a project file with a setting that there is not is refused: it would send commands elsewhere', async () => {
  const { folder, place } = await aHome('{}');
  const file = join(folder, '.svcctl.json');
  const refusals = {
    '{"profle": "staging"}': 'did you mean profile?',
    '{"connect-timeout": 3}': 'did you mean connectTimeout?',
    '{"toString": 1}': 'it may set output, color, profile, url, service, timeout, connectTimeout',
  };
  for (const [text, hint] of Object.entries(refusals)) {
    await writeFile(file, text);
    const [name] = Object.keys(JSON.parse(text));
    const stderr = `error: Project file [${file}] sets [${name}], which is not a setting\nhint: ${hint}\n`;
    expect(await runCli(nowhere, 'workers list', place)).toEqual({ stdout: '', stderr, code: 2 });
  }
});

test('19: a name that --profile could not say is not a name of a profile, and words of the language are names like others', async () => {
  const { place } = await aHome('{}');
  for (const name of ['""', 'a,b'])
    expect(
      await runCli(nowhere, `profiles add ${name} --url http://x --no-test`, place),
    ).toMatchObject({
      stderr: expect.stringContaining('cannot be the name of a profile'),
      code: 2,
    });
  for (const name of ['constructor', '__proto__']) {
    const known = `-p ${name} profiles show -o name`;
    expect(await runCli(nowhere, known, place)).toMatchObject({
      stderr: expect.stringContaining(`Profile [${name}]`),
      code: 2,
    });
    expect(
      (await runCli(nowhere, `profiles add ${name} --url http://x --no-test`, place)).code,
    ).toBe(0);
    expect((await runCli(nowhere, known, place)).code).toBe(0);
  }
  expect((await runCli(nowhere, 'profiles list -o name', place)).stdout).toBe(
    'constructor\n__proto__\n',
  );
});

test('20: a broken file is named with line and remedy, and never written over', async () => {
  const broken = '{\n  "current": "a",\n  "profiles": }\n';
  const { file, place } = await aHome(broken);
  for (const line of ['tasks list', 'profiles use a', 'profiles add b --url http://x --no-test']) {
    const { stderr, code } = await runCli(nowhere, line, place);
    expect({ line, code }).toEqual({ line, code: 2 });
    expect(lines(stderr)).toEqual([
      expect.stringContaining(`File [${file}] is broken: line 3, column 15`),
      `hint: correct it, or move it away: mv ${file} ${file}.broken`,
    ]);
  }
  expect(await readFile(file, 'utf8')).toBe(broken);
});

test('20: many writers at once lose nothing, whatever they write', {
  timeout: 300_000,
}, async () => {
  const { file, folder, place } = await aHome(
    '{"profiles":{"kept":{"url":"http://kept","service":"svc"}}}',
  );
  const names = Array.from({ length: 20 }, (_, at) => `p${at}`);
  const all = names.map(
    (name) =>
      `(svcctl profiles add ${name} --url http://${name} --no-test -q && svcctl profiles set ${name} timeout=7 -q || echo ${name}) &`,
  );
  const { stdout, stderr } = await runShell(
    nowhere,
    `${all.join('\n')}\nsvcctl profiles use kept -q & wait`,
    place,
  ); // all of them at once
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
  const { profiles } = JSON.parse(await readFile(file, 'utf8'));
  expect(Object.keys(profiles).sort()).toEqual([...names, 'kept'].sort());
  expect(names.map((name) => profiles[name].timeout)).toEqual(names.map(() => 7));
  expect(await readdir(join(folder, 'svcctl'))).toEqual(['config.json']);
  expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
});

test('20: what is broken inside of a profile is named with the command that mends it, and that command works', async () => {
  const { place } = await aHome(
    '{"current":"a","profiles":{"a":{"url":"http://127.0.0.1:1","service":"svc","output":"nice"}}}',
  );
  expect(await runCli(nowhere, 'whoami', place)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      '[nice] of [output] in profile a is not allowed: use table, wide',
    ),
  });
  expect((await runCli(nowhere, 'whoami', place)).stderr).toContain(
    'hint: svcctl profiles set a output=VALUE\n',
  );
  expect((await runCli(nowhere, 'profiles set a output=json', place)).code).toBe(0);
  expect(JSON.parse((await runCli(nowhere, 'profiles list', place)).stdout)).toMatchObject([
    { name: 'a' },
  ]);

  for (const [config, said] of [
    ['{"current":5,"profiles":{}}', 'the value of [current] is not the name of a profile'],
    ['\uFEFF{"profiles":{}}', 'line 1, column 1: the file has a byte order mark'],
  ]) {
    const { place } = await aHome(config);
    expect(await runCli(nowhere, 'api GET /status', place)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(String(said)),
    });
  }
});

test('a lock that a dead process left behind is not an obstacle', async () => {
  const { folder, place } = await aHome('{"profiles":{"a":{"url":"http://a","service":"svc"}}}');
  await writeFile(join(folder, 'svcctl', 'config.lock'), '4194304');
  expect((await runCli(nowhere, 'profiles use a', place)).code).toBe(0);
});

test('a folder that cannot be written is named', async () => {
  const { folder, place } = await aHome('{"profiles":{"a":{"url":"http://a","service":"svc"}}}');
  await chmod(join(folder, 'svcctl'), 0o700);
  await rm(join(folder, 'svcctl'), { recursive: true });
  await writeFile(join(folder, 'svcctl'), 'a file where the folder should be');
  expect((await runCli(nowhere, 'profiles add b --url http://b --no-test', place)).code).not.toBe(
    0,
  );
});

test.each([
  ['--password-stdin', 'echo secret | svcctl status health --user me --password-stdin'],
  [
    '--password-file',
    'echo secret > password.txt; svcctl status health --user me --password-file password.txt',
  ],
  ['--password-command', 'svcctl status health --user me --password-command "echo secret"'],
  ['SVCCTL_PASSWORD', 'SVCCTL_PASSWORD=secret svcctl status health --user me'],
])('16: a password comes by %s, and is in no output', async (_, line) => {
  const { place } = await aHome();
  const service = await standIn((response) => response.end('true'));
  const { stdout, stderr, code } = await runShell(
    service,
    line.replace('svcctl status', 'svcctl --debug --print-curl status'),
    place,
  );
  expect(code).toBe(0);
  expect(service.requests[0]?.headers.authorization).toBe(
    `Basic ${Buffer.from('me:secret').toString('base64')}`,
  );
  expect(stdout + stderr).not.toMatch(/secret|bWU6c2VjcmV0/);
  expect(stderr).toContain('authorization: <redacted>');
});

test('16: login tries the password before it keeps it, and says where; logout forgets it', async () => {
  const service = await standIn((response, { headers }) => {
    const isKnown = headers.authorization === `Basic ${Buffer.from('me:right').toString('base64')}`;
    response
      .writeHead(isKnown ? 200 : 401)
      .end(isKnown ? '{"version":"1"}' : '{"error":"Unauthorized"}');
  });
  const { file, place } = await aHome(
    JSON.stringify({ current: 'a', profiles: { a: { url: service.url, service: 'svc' } } }),
  );
  const wrong = await runShell(
    service,
    'echo wrong | svcctl login --user me --password-stdin',
    place,
  );
  expect(wrong.code).toBe(4);
  const right = await runShell(
    service,
    'echo right | svcctl login --user me --password-stdin',
    place,
  );
  expect(right.stderr).toMatch(
    /^Logged in as user \[me\] in profile \[a\]\. The password is in the (keychain|profile file)/,
  );
  expect((await runCli(service, 'profiles test', place)).code).toBe(0);
  expect((await runCli(service, 'profiles show a -o json', place)).stdout).not.toContain('right');
  await runCli(service, 'logout', place);
  expect(await readFile(file, 'utf8')).not.toContain('right');
});

test('13: a protected profile asks for the name before every change', async () => {
  const { place } = await aHome(
    '{"current":"a","profiles":{"a":{"url":"http://a","service":"svc","protected":true}}}',
  );
  const asked = await runCli(nowhere, 'profiles remove a --yes', place);
  expect(asked).toMatchObject({
    code: 9,
    stderr: 'error: Remove profile [a]: not confirmed\nhint: add --confirm=a to confirm\n',
  });
  expect((await runCli(nowhere, 'profiles remove a --confirm=b', place)).code).toBe(9);
  expect((await runCli(nowhere, 'profiles remove a --confirm=a', place)).code).toBe(0);
});

test('13: what is sent by hand is asked for, too, where the profile is protected', async () => {
  const asked: string[] = [];
  const { url } = await standIn((response, { method, path }) => {
    asked.push(`${method} ${path}`);
    response.end('leader.example');
  });
  const { place } = await aHome(
    `{"current":"a","profiles":{"a":{"url":"${url}","service":"svc","protected":true}}}`,
  );
  const drop = 'api DELETE /svc/coordinator/v1/datasources/wikipedia';
  expect(await runCli({ url: '' }, `${drop} --yes`, place)).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('--confirm=a'),
  });
  expect(asked).toEqual([]);
  expect((await runCli({ url: '' }, `${drop} --confirm=a`, place)).code).toBe(0);
  expect(await runCli({ url: '' }, 'api POST /svc/v2/sql -f query=1', place)).toMatchObject({
    code: 0,
    stdout: 'leader.example',
  }); // reads
  expect((await runCli({ url: '' }, 'api get /leader -o json', place)).stdout).toBe(
    '"leader.example"\n',
  ); // words are a document, too
});

test('23: profiles complete one after the other, and a broken file completes nothing, without a word', async () => {
  const { file, place } = await aHome();
  await runShell(
    nowhere,
    'for name in one two three; do svcctl profiles add $name --url http://127.0.0.1:1 --no-test; done',
    place,
  );
  for (const line of ['tasks list --profile=one,t', 'sql --control-plane --profiles one,t'])
    expect(
      (await runCli(nowhere, `__complete -- ${line}`, place)).stdout.replaceAll('--profile=', ''),
    ).toBe('one,two\none,three\n');
  await writeFile(file, '{broken');
  expect(await runCli(nowhere, '__complete -- tasks list --profile t', place)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

test('23: names complete from the service, from the cache while they are fresh, and from nowhere after a second', async () => {
  const { folder, place } = await aHome();
  const cached = { ...place, env: { ...place.env, XDG_CACHE_HOME: join(folder, 'cache') } };
  const service = await startService();
  const names = async (of: { url: string }, word: string) =>
    lines((await runCli(of, `__complete -- rules get ${word}`, cached)).stdout);
  await expect.poll(() => names(service, '_de')).toEqual(['_default']); // a busy machine may need more than the second
  const silent = await standIn(() => {});
  const start = performance.now();
  expect((await runCli(silent, '__complete -- tasks get x', cached)).stdout).toBe('');
  // A second; an answer is waited for much longer than any machine is busy
  expect(performance.now() - start).toBeLessThan(20_000);
  const tasks = await standIn((response) => response.end('["one","two"]'));
  await expect.poll(() => names(tasks, '""')).toEqual(['_default', 'one', 'two']);
  const asked = tasks.requests.length;
  expect(await names(tasks, '""')).toEqual(['_default', 'one', 'two']);
  expect(tasks.requests).toHaveLength(asked);
});
