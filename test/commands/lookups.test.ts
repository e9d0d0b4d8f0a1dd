import { expect, test } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/storage.ts';
import { api } from '../support/wire.ts';

test('a lookup is made from its pairs, seen, used, changed and deleted', async () => {
  const service = await startService();
  expect((await runCli(service, 'lookups list -o json')).stdout.trim()).toBe('[]');
  const made = await runShell(
    service,
    `echo '{"fr": "France", "de": "Germany"}' | svcctl lookups set countries --file -`,
  );
  expect(made.stderr).toMatch(
    /^Lookup \[countries\] is set, version \[20.*\]\.\nnext: svcctl lookups contents countries\n$/,
  );
  expect(lines((await runCli(service, 'lookups contents countries -o tsv')).stdout)).toEqual([
    'key\tvalue',
    'fr\tFrance',
    'de\tGermany',
  ]);
  expect(
    (await runCli(service, `sql "SELECT LOOKUP('fr', 'countries') AS c" -o csv --no-header`))
      .stdout,
  ).toMatch(/^France\r?\n$/);
  await runShell(
    service,
    `svcctl lookups get countries | svcctl lookups set countries --file - --as v0`,
  );
  expect((await runCli(service, 'lookups list --columns version --no-header')).stdout).toBe('v0\n');
  const older = await runShell(
    service,
    `svcctl lookups get countries | svcctl lookups set countries --file - --as a0`,
  );
  expect(older).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('a new one must have a greater version'),
  });
  await runShell(
    service,
    `echo '{"cold": {"old": {"version": "v1", "lookupExtractorFactory": {"type": "map", "map": {}}}}}' | svcctl lookups apply -`,
  );
  expect(
    lines((await runCli(service, 'lookups list --columns name,tier,type -o tsv')).stdout),
  ).toEqual(['name\ttier\ttype', 'countries\t__default\tmap', 'old\tcold\tmap']);
  expect(
    lines((await runCli(service, 'lookups status --columns name,tier,state -o tsv')).stdout)[1],
  ).toBe('countries\t__default\tloaded');
  expect(
    lines((await runCli(service, 'lookups nodes --columns tier,lookups -o tsv')).stdout)[1],
  ).toBe('__default\tcountries');
  expect((await runCli(service, 'lookups list --tier cold -o name')).stdout).toBe('old\n');
  expect(
    (await runCli(service, 'lookups status countries --columns name,state -o tsv --no-header'))
      .stdout,
  ).toBe('countries\tloaded\n');
  expect((await runCli(service, 'lookups status --tier cold -o name')).stdout).toBe('old\n');
  expect(await runCli(service, 'lookups status nothing')).toMatchObject({ code: 3 });
  const [node = ''] = lines(
    (await runCli(service, 'lookups nodes --tier __default -o name')).stdout,
  );
  expect(
    (await runCli(service, `lookups nodes ${node} --columns node,lookups -o tsv --no-header`))
      .stdout,
  ).toBe(`${node}\tcountries\n`);
  expect(
    JSON.parse((await runCli(service, 'lookups contents countries --only keys')).stdout),
  ).toEqual(['fr', 'de']);
  expect(
    JSON.parse((await runCli(service, 'lookups contents countries --only values')).stdout),
  ).toEqual(['France', 'Germany']);
  expect(
    JSON.parse((await runCli(service, 'lookups contents countries --only version')).stdout),
  ).toEqual({ version: 'v0' });
  expect((await runCli(service, 'lookups delete countries')).code).toBe(9);
  expect((await runCli(service, 'lookups delete countries --dry-run')).code).toBe(0);
  expect((await runCli(service, 'lookups delete countries --yes')).code).toBe(0);
  expect(await runCli(service, 'lookups get countries')).toMatchObject({ code: 3 });
  expect((await runCli(service, 'lookups delete --all --tier cold --yes')).code).toBe(9);
  expect((await runCli(service, 'lookups delete --all --tier cold --confirm cold')).code).toBe(0);
  expect((await runCli(service, 'lookups delete')).code).toBe(2);
  expect((await runCli(service, 'lookups list -o json')).stdout.trim()).toBe('[]');
});

test('a lookup is set in each of its forms, and nothing else is taken for one', async () => {
  const service = await startService();
  const set = (name: string, document: unknown) =>
    runShell(
      service,
      `cat <<'EOF' | svcctl lookups set ${name} --file -\n${JSON.stringify(document)}\nEOF\n`,
    );
  const pairs = { fr: 'France', n: 7, yes: true, none: null };
  const factory = { type: 'map', map: pairs };
  const namespace = {
    type: 'cachedNamespace',
    extractionNamespace: { type: 'staticMap', map: pairs },
  };
  const forms = {
    pairs,
    factory,
    container: { version: 'v1', lookupExtractorFactory: factory },
    namespace,
  };
  for (const [name, document] of Object.entries(forms)) {
    expect(await set(name, document)).toMatchObject({ code: 0 });
    expect((await runCli(service, `lookups contents ${name} -o csv --no-header`)).stdout).toBe(
      'fr,France\r\nn,7\r\nyes,true\r\nnone,\r\n',
    );
  }
  expect(await set('typed', { type: 'map', map: 'x' })).toMatchObject({ code: 0 }); // two pairs
  expect((await runCli(service, 'lookups contents typed -o csv --no-header')).stdout).toBe(
    'type,map\r\nmap,x\r\n',
  );
  const others: readonly [document: unknown, says: string][] = [
    [
      { type: 'mop', map: {} },
      'its type [mop] is not one of [map, cachedNamespace, kafka, loadingLookup, pollingLookup]',
    ],
    [
      { type: 'map', map: { a: { b: 'c' } } },
      'the value of key [a] is an object, and must be a text',
    ],
    [{ a: ['b'] }, 'the value of key [a] is a list, and must be a text'],
    [{ lookupExtractorFactory: 'map' }, 'its lookupExtractorFactory is not an object'],
    [{ lookupExtractorFactory: { map: {} } }, 'its lookupExtractorFactory has no type'],
    [
      { lookupExtractorFactory: { type: 'map' } },
      'a lookup of type [map] needs an object as [map]',
    ],
    [
      { lookupExtractorFactory: { type: 'map', map: factory } },
      'the value of key [map] is an object, and must be a text',
    ],
    [
      { type: 'cachedNamespace', extractionNamespace: { type: 'ftp' } },
      'the type [ftp] of its extractionNamespace is not one of',
    ],
  ];
  for (const [document, says] of others)
    expect(await set('wrong', document)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`does not hold a lookup: ${says}`),
    });
  expect((await runCli(service, 'lookups get wrong')).code).toBe(3);

  const apply = (document: unknown) =>
    runShell(service, `cat <<'EOF' | svcctl lookups apply -\n${JSON.stringify(document)}\nEOF\n`);
  expect(await apply({ __default: { bare: factory } })).toMatchObject({ code: 0 });
  expect(JSON.parse((await runCli(service, 'lookups get bare')).stdout)).toMatchObject({
    lookupExtractorFactory: factory,
  });
  expect(await apply({ __default: { wrong: { a: 'b' } } })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'Lookup [wrong] of tier [__default] in file [-] is not a lookup: it has no lookupExtractorFactory',
    ),
  });
  const files = `mkdir -p c/lookups/__default; echo '${JSON.stringify(factory)}' > c/lookups/__default/filed.yaml
    svcctl apply --files c --only lookups --yes; svcctl lookups contents filed --only keys; echo '{"type":"map","map":{"a":{}}}' > c/lookups/__default/filed.yaml; svcctl apply --files c --only lookups --yes`;
  expect(await runShell(service, files, { cwd: await temporaryFolder() })).toMatchObject({
    stdout: expect.stringContaining('"fr"'),
    stderr: expect.stringContaining(
      'Lookup [__default/filed] is not a lookup: the value of key [a] is an object',
    ),
  });
});

test('the service refuses what is not a lookup, and does not say that it has loaded what it cannot', async () => {
  const service = await startService();
  const { post, get } = api(service);
  await post('/svc/coordinator/v1/lookups/config', {});
  const one = (lookupExtractorFactory: object) =>
    post('/svc/coordinator/v1/lookups/config/__default/x', {
      version: 'v1',
      lookupExtractorFactory,
    });
  expect(await one({ type: 'mop' })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('Lookup [x] is not a lookup: its type [mop]') },
  });
  expect(
    (await one({ type: 'cachedNamespace', extractionNamespace: { type: 'uri', uri: 'file:/x' } }))
      .status,
  ).toBe(202);
  const { body } = await get('/svc/coordinator/v1/lookups/status');
  expect(body.__default.x).toMatchObject({ loaded: false });
  const [state] = Object.values(
    (await get('/svc/coordinator/v1/lookups/nodeStatus')).body.__default,
  );
  expect(state).toEqual({ current: {}, toLoad: { x: 'v1' }, toDrop: [] });
  expect((await runCli(service, 'lookups status x --columns state --no-header')).stdout).toBe(
    'loading\n',
  );
});
