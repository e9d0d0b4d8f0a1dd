// Segments are marked and deleted, and waited for, until queries and files say so too.
import { expect, test } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';

test('marking says how much it is about, and waits until servers have followed', async () => {
  const service = await startService();
  await runShell(
    service,
    `svcctl ingest sql "REPLACE INTO days OVERWRITE ALL SELECT TIMESTAMP '2024-05-01' AS __time, 1 AS n UNION ALL SELECT TIMESTAMP '2024-05-02', 2 PARTITIONED BY DAY" --wait=queryable --quiet`,
  );
  const asked = await runCli(
    service,
    'segments mark-unused days --interval 2024-05-01/2024-05-02 --no-input',
  );
  expect(asked.stderr).toMatch(
    /^error: Mark as unused: segments of datasource \[days\] in \[2024-05-01\/2024-05-02\]: 1 segment, .+: not confirmed\n/,
  );
  expect(asked.code).toBe(9);
  const marked = await runCli(
    service,
    'segments mark-unused days --interval 2024-05-01/2024-05-02 --yes --wait',
  );
  expect(marked).toMatchObject({
    stderr: expect.stringMatching(/Datasource \[days\] is served without them\n$/),
    code: 0,
  });
  const again = await runCli(service, 'segments mark-used days --all --yes --wait --max-wait 60');
  expect(again).toMatchObject({
    stderr: expect.stringMatching(/Datasource \[days\] answers queries: 2 segments loaded\n$/),
    code: 0,
  });
  await runCli(service, 'segments mark-unused days --all --yes');
  const killed = await runCli(
    service,
    'segments kill days --interval 2024-05-01/2024-05-03 --confirm=days --wait',
  );
  expect(killed.code, killed.stderr).toBe(0);
  expect(lines(killed.stderr).at(-1)).toMatch(/^Task \[.*kill.*\] succeeded after /);
  expect((await runCli(service, 'segments list --datasource days --unused -o json')).stdout).toBe(
    '[]\n',
  );
});
