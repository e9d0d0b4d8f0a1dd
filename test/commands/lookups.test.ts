import { expect, test } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';

test('a lookup is made from its pairs, seen, used, changed and deleted', async () => {
  const service = await startService();
  expect((await runCli(service, 'lookups list -o json')).stdout.trim()).toBe('[]');
  const made = await runShell(service, `echo '{"fr": "France", "de": "Germany"}' | svcctl lookups set countries --file -`);
  expect(made.stderr).toMatch(/^Lookup \[countries\] is set, version \[20.*\]\.\nnext: svcctl lookups contents countries\n$/);
  expect(lines((await runCli(service, 'lookups contents countries -o tsv')).stdout)).toEqual(['key\tvalue', 'fr\tFrance', 'de\tGermany']);
  expect((await runCli(service, `sql "SELECT LOOKUP('fr', 'countries') AS c" -o csv --no-header`)).stdout).toMatch(/^France\r?\n$/);
  await runShell(service, `svcctl lookups get countries | svcctl lookups set countries --file - --as v0`);
  expect((await runCli(service, 'lookups list --columns version --no-header')).stdout).toBe('v0\n');
  const older = await runShell(service, `svcctl lookups get countries | svcctl lookups set countries --file - --as a0`);
  expect(older).toMatchObject({ code: 1, stderr: expect.stringContaining('a new one must have a greater version') });
  await runShell(
    service,
    `echo '{"cold": {"old": {"version": "v1", "lookupExtractorFactory": {"type": "map", "map": {}}}}}' | svcctl lookups apply -`,
  );
  expect(lines((await runCli(service, 'lookups list --columns name,tier,type -o tsv')).stdout)).toEqual([
    'name\ttier\ttype',
    'countries\t__default\tmap',
    'old\tcold\tmap',
  ]);
  expect(lines((await runCli(service, 'lookups status --columns name,tier,state -o tsv')).stdout)[1]).toBe('countries\t__default\tloaded');
  expect(lines((await runCli(service, 'lookups nodes --columns tier,lookups -o tsv')).stdout)[1]).toBe('__default\tcountries');
  expect((await runCli(service, 'lookups list --tier cold -o name')).stdout).toBe('old\n');
  expect((await runCli(service, 'lookups status countries --columns name,state -o tsv --no-header')).stdout).toBe('countries\tloaded\n');
  expect((await runCli(service, 'lookups status --tier cold -o name')).stdout).toBe('old\n');
  expect(await runCli(service, 'lookups status nothing')).toMatchObject({ code: 3 });
  const [node = ''] = lines((await runCli(service, 'lookups nodes --tier __default -o name')).stdout);
  expect((await runCli(service, `lookups nodes ${node} --columns node,lookups -o tsv --no-header`)).stdout).toBe(`${node}\tcountries\n`);
  expect(JSON.parse((await runCli(service, 'lookups contents countries --only keys')).stdout)).toEqual(['fr', 'de']);
  expect(JSON.parse((await runCli(service, 'lookups contents countries --only values')).stdout)).toEqual(['France', 'Germany']);
  expect(JSON.parse((await runCli(service, 'lookups contents countries --only version')).stdout)).toEqual({ version: 'v0' });
  expect((await runCli(service, 'lookups delete countries')).code).toBe(9);
  expect((await runCli(service, 'lookups delete countries --dry-run')).code).toBe(0);
  expect((await runCli(service, 'lookups delete countries --yes')).code).toBe(0);
  expect(await runCli(service, 'lookups get countries')).toMatchObject({ code: 3 });
  expect((await runCli(service, 'lookups delete --all --tier cold --yes')).code).toBe(9);
  expect((await runCli(service, 'lookups delete --all --tier cold --confirm cold')).code).toBe(0);
  expect((await runCli(service, 'lookups delete')).code).toBe(2);
  expect((await runCli(service, 'lookups list -o json')).stdout.trim()).toBe('[]');
});
