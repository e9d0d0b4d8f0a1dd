// Names that nobody means: bytes of another encoding, dots that lead elsewhere, letters that a
// terminal obeys.
import { expect, test } from 'vitest';
import { runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { standIn } from '../support/stand-in.ts';

test('a name that no path can hold is refused before anything else is asked for, or deleted', async () => {
  const asked: string[] = [];
  const service = await standIn((response, { path }) => {
    asked.push(path);
    response.end('{"roles":true}');
  });
  for (const name of ["''", '.', '..'])
    expect({
      name,
      ...(await runCli(service, `roles delete ${name} --authorizer roles --yes`)),
    }).toMatchObject({
      name,
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('of role cannot be a name'),
    });
  expect(asked).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'bytes that are not UTF-8 become no name; what looks like them once they were one can be named',
  async () => {
    const service = await standIn((response) => response.end('{"name":"x"}'));
    const get = (name: string) =>
      runShell(service, `svcctl roles get ${name} --authorizer roles --query name`);
    expect(await get(`$'caf\\xe9'`)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('is not UTF-8\nhint: '),
    });
    expect(await get(`$'caf\\xef\\xbf\\xbd'`)).toMatchObject({ code: 0, stdout: '"x"\n' });
  },
);

test('letters that a terminal would obey are shown in what is said', async () => {
  const service = await standIn((response) =>
    response.writeHead(400).end('{"error":"no \\u001b[31mred\\u0007 roles"}'),
  );
  const { stderr } = await runCli(service, 'roles get x --authorizer roles');
  expect(stderr).toContain('\\u001b[31mred\\u0007');
  expect(stderr).not.toMatch(/\p{Cc}(?<!\n)/u);
});

test('what follows a name with anything in it can be pasted into a shell', async () => {
  const service = await startService();
  for (const [typed, said] of [
    [`'my "$HOME" task'`, `'my "$HOME" task'`],
    [`"it's"`, `'it'\\''s'`],
    ['größe_東京', 'größe_東京'],
  ]) {
    const { stderr } = await runCli(service, `rules add ${typed} --type loadForever`);
    expect(stderr).toContain(`\nnext: svcctl rules get ${said} --full\n`);
    const next = /^next: (.*)$/m.exec(stderr)?.[1] ?? '';
    expect(await runShell(service, `${next} --columns type --no-header`)).toMatchObject({
      code: 0,
      stdout: 'loadForever\nloadForever\n',
    });
  }
  const { stderr } = await runCli(service, 'rules add --type loadForever -- -x');
  expect(stderr).toContain('\nnext: svcctl rules get --full -- -x\n');
  expect(
    await runShell(service, 'svcctl rules get --full --columns type --no-header -- -x'),
  ).toMatchObject({
    code: 0,
    stdout: 'loadForever\nloadForever\n',
  });
  const refused = await runCli(service, `supervisors reset 'my task' --yes`);
  expect(refused).toMatchObject({
    code: 9,
    stderr: expect.stringContaining(`add --confirm='my task' to confirm`),
  });
});
