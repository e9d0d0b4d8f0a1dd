// Dry runs show the effect of a change, where it can be computed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../src/server/server.ts';
import { runCli } from '../support/cli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'svcctl-effects-'));
let service: Service;

beforeAll(async () => {
  service = await startServer({ port: 0 });
  const statement = `INSERT INTO edits SELECT t AS __time FROM (VALUES (TIMESTAMP '2024-05-01'), (TIMESTAMP '2024-05-02')) AS v(t) PARTITIONED BY DAY`;
  expect(await runCli(service, `ingest sql "${statement}" --wait=queryable -q`)).toMatchObject({
    code: 0,
  });
  writeFileSync(
    join(cwd, 'rules.json'),
    '[{"type":"loadByInterval","interval":"2024-05-01/2024-05-02","tieredReplicants":{"_default_tier":1}},{"type":"dropForever"}]',
  );
  writeFileSync(join(cwd, 'same.json'), '[]');
});
afterAll(async () => {
  await service.close();
  rmSync(cwd, { recursive: true, force: true });
});

test.each([
  ['rules set edits rules.json', /Effect: of 2 segments, .*1 segment dropped, .* \(50\.0 %\)/],
  ['rules set edits same.json', /Effect: of 2 segments, .*no segment is dropped, loaded or moved/],
  ['datasources drop edits', /drop 2 segments, .*, 100\.0 % of the cluster/],
  ['segments mark-unused edits --all', /Effect: Mark as unused: .*2 segments, /],
  ['compaction set edits --skip-offset P1D', /Compaction would look at 2 segments, /],
])('svcctl %s --dry-run', async (line, effect) => {
  const { stdout, stderr, code } = await runCli(service, `${line} --dry-run -o json`, { cwd });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toHaveLength(1);
  expect(stderr).toMatch(effect);
});
