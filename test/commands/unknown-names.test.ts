// Unknown names: exit code 3, and a suggestion. A mistyped name must not look like one without
// data.
import { beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../src/server/server.ts';
import { lines, runCli, runEach, runShell } from '../support/cli.ts';

let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0 });
  const { code } = await runShell(
    service,
    `svcctl ingest sql "REPLACE INTO wikipedia OVERWRITE ALL SELECT TIMESTAMP '2024-05-01' AS __time, 1 AS n UNION ALL SELECT TIMESTAMP '2024-05-02', 2 PARTITIONED BY DAY" --wait=queryable --quiet`,
  );
  expect(code).toBe(0);
  return () => service.close();
});

test('a datasource that is not there is none without data', async () => {
  const rows = [
    'rules get wikipdia',
    'rules get wikipdia --full -o json',
    'rules preview wikipdia',
    `rules preview wikipdia --file <(echo '[{"type":"loadForever"}]')`,
    'datasources get wikipdia',
    'datasources schema wikipdia',
    'datasources intervals wikipdia',
    'datasources segments wikipdia',
    'datasources tiers wikipdia -o csv',
    'datasources load-status wikipdia',
    'datasources mark-used wikipdia --yes',
    'datasources drop wikipdia --confirm=wikipdia',
    'datasources kill wikipdia --confirm=wikipdia',
    'segments candidates wikipdia --interval 2024/2025',
    'segments mark-unused wikipdia --all --yes',
    'segments mark-unused wikipdia --interval 2024/2025 --yes',
    'segments mark-used wikipdia --all --yes',
    'segments kill wikipdia --interval 2024/2025 --confirm=wikipdia',
  ].map((words) => ({ line: `svcctl ${words}` }));
  for (const { line, stdout, stderr, code } of await runEach(service, rows)) {
    expect({ line, stdout, code, error: stderr.split('\n')[0] }).toEqual({
      line,
      stdout: '',
      code: 3,
      error: expect.stringMatching(/^error: .*[dD]atasource \[wikipdia\]/),
    });
    expect({ line, hint: lines(stderr).at(-1) }).toEqual({
      line,
      hint: 'hint: did you mean wikipedia?',
    });
  }
});

test('one that has rules and no data yet is there', async () => {
  expect((await runShell(service, `svcctl rules add soon --type loadForever --quiet`)).code).toBe(
    0,
  );
  expect(await runCli(service, 'rules get soon --columns type')).toMatchObject({
    stdout: 'type\nloadForever\n',
    code: 0,
  });
  expect((await runCli(service, 'rules remove soon 1 --yes')).code).toBe(0);
  expect(await runCli(service, 'rules get soon -o json')).toEqual({
    stdout: '[]\n',
    stderr:
      'Datasource [soon] has no rules of its own: the default ones apply, which --full shows, too.\n',
    code: 0,
  });
  expect(await runCli(service, 'rules remove soon 1 --yes')).toEqual({
    stdout: '',
    stderr:
      'error: Datasource [soon] has no rule 1: it has 0 rules of its own\nhint: svcctl rules get soon shows them\n',
    code: 3,
  });
});

test('the id of a segment has a form, and what has it may still not be there', async () => {
  const ids = lines((await runCli(service, 'segments list -o name --sort interval')).stdout);
  const [first = '', second = ''] = ids;
  const other = first.replaceAll('2024-05-0', '2023-05-0');
  for (const line of [
    'get wikipedia nothing',
    'mark-unused wikipedia nothing --yes',
    `mark-used wikipedia ${first} nothing --yes`,
  ])
    expect(await runCli(service, `segments ${line}`)).toEqual({
      stdout: '',
      stderr: `error: Segment [nothing] does not exist: ids of datasource [wikipedia] are wikipedia_START_END_VERSION, and _PARTITION unless it is 0
hint: svcctl segments list --datasource wikipedia --output name shows them\n`,
      code: 3,
    });
  expect(await runCli(service, `segments get wikipedia ${other}`)).toMatchObject({
    stderr: expect.stringMatching(`error: The service knows no segment \\[${other}\\]\nhint: `),
    code: 3,
  });
  expect(await runCli(service, `segments mark-unused wikipedia ${other} --yes`)).toMatchObject({
    stderr: expect.stringMatching(
      `error: Segment \\[${other}\\] does not exist; 0 segments changed\n`,
    ),
    code: 3,
  });
  expect(
    await runCli(service, `segments mark-unused wikipedia ${first} ${other} --yes`),
  ).toMatchObject({
    stderr: expect.stringMatching(
      `error: Segment \\[${other}\\] does not exist; 1 segment changed\n`,
    ),
    code: 3,
  });
  expect(await runCli(service, `segments mark-unused wikipedia ${first} --yes`)).toMatchObject({
    code: 0,
  }); // it is so already
  expect(
    await runCli(service, `segments mark-used wikipedia ${first} ${second} --yes`),
  ).toMatchObject({
    stderr: expect.stringContaining('1 segment marked used.'),
    code: 0,
  });
});

test('servers, tiers, workers, lookups and compaction say what they do not know', async () => {
  const rows = [
    { line: 'svcctl servers enable nowhere:1', says: 'The service knows no server [nowhere:1]' },
    { line: 'svcctl servers get nowhere:1', says: 'The service knows no server [nowhere:1]' },
    {
      line: 'svcctl servers tiers _default_teir',
      says: 'Tier [_default_teir] does not exist',
      hint: 'did you mean _default_tier?',
    },
    {
      line: 'svcctl compaction status wikipedia',
      says: 'Datasource [wikipedia] is not compacted automatically',
    },
    {
      line: 'svcctl compaction get wikipedia',
      says: 'Datasource compaction config does not exist: [wikipedia]',
    },
    {
      line: 'svcctl lookups list --tier nowhere',
      says: 'No lookups found: [nowhere]',
      hint: 'svcctl lookups list shows those of all tiers',
    },
    { line: 'svcctl workers disable nowhere:1', says: 'Worker on host [nowhere:1] does not exist' },
  ];
  for (const { line, says, hint, stdout, stderr, code } of await runEach(service, rows)) {
    expect({ line, stdout, code, error: lines(stderr)[0] }).toEqual({
      line,
      stdout: '',
      code: 3,
      error: `error: ${says}`,
    });
    expect({ line, hint: lines(stderr).at(-1) }).toEqual({
      line,
      hint: hint ? `hint: ${hint}` : expect.stringMatching(/^hint: svcctl /),
    });
  }
});

test('a statement about a table that is not there is refused, with what there is to ask', async () => {
  const rows = ['sql', 'sql explain', 'statements submit', 'ingest sql'].map((words) => ({
    line: `svcctl ${words} "${words === 'ingest sql' ? 'INSERT INTO x ' : ''}SELECT * FROM wikipdia${words === 'ingest sql' ? ' PARTITIONED BY ALL' : ''}"`,
  }));
  for (const { line, stdout, stderr, code } of await runEach(service, rows))
    expect({ line, stdout, stderr, code }).toEqual({
      line,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: Object 'wikipdia' not found .*\n1: .*wikipdia.*\n +\^{8}\nhint: did you mean wikipedia\?\n$/s,
      ),
      code: 1,
    });
});

test.each([
  ['SELCT 1', 'did you mean SELECT?'],
  ['HELLO', 'a statement begins with SELECT, WITH, EXPLAIN, INSERT or REPLACE'],
])('[%s] is not a statement, and the hint is: %s', async (statement, hint) => {
  for (const words of ['sql', 'sql explain', 'statements submit']) {
    const line = `${words} "${statement}"`;
    expect([line, await runCli(service, line)]).toEqual([
      line,
      {
        stdout: '',
        stderr: expect.stringContaining(`\nhint: ${hint}\n`),
        code: 1,
      },
    ]);
  }
});

test('a cancel says no more than the service: of a native query nothing is known, SQL that is not running is not there', async () => {
  const asked =
    'The service got the request to cancel query [nope]. It does not report whether the query was running.';
  expect(await runCli(service, 'query cancel nope')).toEqual({
    stdout: '',
    stderr: `${asked}\n`,
    code: 0,
  });
  const { stdout } = await runCli(service, 'query cancel nope -o json');
  expect(JSON.parse(stdout)).toEqual([{ item: 'nope', result: 'done', message: asked }]);
  for (const line of [
    'sql cancel nope',
    'statements cancel nope',
    'tasks cancel nope',
    'workers cancel nope --yes',
  ])
    expect([line, await runCli(service, line)]).toEqual([
      line,
      { stdout: '', stderr: expect.stringMatching(/^error: .*nope/), code: 3 },
    ]);
  for (const words of [
    'suspend nope',
    'resume nope',
    'terminate nope --yes',
    'reset nope --confirm=nope',
    'hand-off nope 0',
  ])
    expect([words, await runCli(service, `supervisors ${words}`)]).toMatchObject([
      words,
      { stdout: '', code: 3 },
    ]);
});
