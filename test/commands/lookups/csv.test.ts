import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { startService } from '../../support/service.ts';

const cwd = mkdtempSync(join(tmpdir(), 'svcctl-csv-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(join(cwd, 'countries.csv'), 'id;code;name\n1;de;"Germany; west"\n2;fr;France\n');
writeFileSync(join(cwd, 'twice.csv'), 'code,name\nde,Germany\nde,Deutschland\n');

test('two columns of a file become a lookup, whatever the delimiter', async () => {
  const service = await startService();
  expect(
    await runCli(
      service,
      'lookups set countries --csv countries.csv --key-column code --value-column name',
      {
        cwd,
      },
    ),
  ).toMatchObject({ code: 0 });
  const { stdout } = await runCli(service, 'lookups get countries -o json');
  expect(JSON.parse(stdout)).toMatchObject({
    lookupExtractorFactory: { type: 'map', map: { de: 'Germany; west', fr: 'France' } },
  });
});

test.each([
  ['--csv countries.csv --key-column cod', 'did you mean code?'],
  ['--csv twice.csv', 'Key [de] has two values in file [twice.csv]: [Germany] and [Deutschland]'],
  ['--csv twice.csv --file x.json', 'Give the lookup either with --file or with --csv'],
  ['--key-column code', '--key-column requires --csv'],
])('svcctl lookups set countries %s is refused', async (flags, says) => {
  const { stdout, stderr, code } = await runCli(
    await startService(),
    `lookups set countries ${flags}`,
    { cwd },
  );
  expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  expect(stderr).toContain(says);
});
