// svcctl sql --types: the types of the columns come before the rows, as the interface writes them.
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { startService } from '../support/service.ts';

test.each([
  ['native', 'csv', `n,s\nLONG,STRING\n1,x\n`],
  ['sql', 'csv', `n,s\nINTEGER,VARCHAR\n1,x\n`],
  ['both', 'csv', `n,s\nLONG,STRING\nINTEGER,VARCHAR\n1,x\n`],
  ['both', 'tsv', `n\ts\nLONG\tSTRING\nINTEGER\tVARCHAR\n1\tx\n`],
  ['both', 'table', `n        s\nLONG     STRING\nINTEGER  VARCHAR\n1        x\n`],
  ['sql', 'jsonl', `{"n":{"sqlType":"INTEGER"},"s":{"sqlType":"VARCHAR"}}\n{"n":1,"s":"x"}\n`],
  ['native', 'json', `[{"n":{"type":"LONG"},"s":{"type":"STRING"}},\n {"n":1,"s":"x"}]\n`],
])('--types %s as %s', async (types, format, said) => {
  const service = await startService();
  expect(
    await runCli(
      service,
      `sql --types ${types} -o ${format} "SELECT 1 AS n, CAST('x' AS VARCHAR) AS s"`,
    ),
  ).toEqual({
    stdout: said,
    stderr: '',
    code: 0,
  });
});

test.each([
  '--sort n',
  '--where n=1',
  '--limit 1',
  '--query "[0]"',
  '--no-header',
  '--control-plane',
])('--types does not go with %s', async (flag) => {
  const { stderr, code } = await runCli(
    await startService(),
    `sql --types both ${flag} 'SELECT 1 AS n'`,
  );
  expect([stderr, code]).toEqual([expect.stringContaining('--types'), 2]);
});
