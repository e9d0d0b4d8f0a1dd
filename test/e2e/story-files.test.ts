// Files, INSERT in the shell, running queries and the undo of a drop, against any service of this
// API that runs SQL tasks.
import { expect, test } from 'vitest';
import { whenListening } from '../support/cli.ts';
import { cluster, named, patience, soon, tellStory } from '../support/story.ts';

const { told, said, json, shown, changed, file } = tellStory();
const edits = named('edits');

test('a file is sent to a service that may not read it', patience, async () => {
  await file(
    'edits.csv',
    'time,page,added\n2024-05-01T08:00:00Z,Berlin,10\n2024-05-02T09:00:00Z,"Köln, Rhein",20\n',
  );
  const { code, stderr } = await told(
    `ingest files edits.csv --into ${edits} --types added:bigint --wait=queryable`,
  );
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('The rows are sent in the statement'),
  });
  expect(stderr).toContain(`Datasource [${edits}] answers queries: 2 segments loaded`);
  expect(await said(`sql 'SELECT page, added FROM "${edits}" ORDER BY __time' -o csv`)).toBe(
    'page,added\nBerlin,10\n"Köln, Rhein",20\n',
  );
});

test('a broken row is named, and nothing is sent', patience, async () => {
  await file('broken.csv', 'time,page,added\n2024-05-01,a,1\nnonsense,b,2\n2024-05-02,c,3\n');
  expect(await told(`ingest files broken.csv --into ${edits}`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('broken.csv:3: column [time]: [nonsense] is not a time'),
  });
});

test('a statement that meets a row without a time names it', patience, async () => {
  await file('no-time.sql', insertOf(edits, 'never'));
  const { code, stderr } = await told('ingest sql -f no-time.sql --wait');
  expect({ code, stderr }).toMatchObject({ code: 1 });
  expect(stderr).toContain('InsertTimeNull');
  expect(stderr).toContain('{"page":"nowhere","added":7}');
});

test('INSERT in the shell is waited for', patience, async () => {
  const insert = `INSERT INTO ${edits} SELECT TIMESTAMP '2024-05-03' AS __time, 'Rom' AS page, 5 AS added PARTITIONED BY DAY;\r`;
  const screen = await shown('sql', [
    ['\\q leaves', insert, whenListening],
    ['answers queries', '\x04', whenListening],
  ]);
  expect(screen).toMatch(/Task \[query-[^\]]+\] succeeded/);
});

test.runIf(cluster)(
  'a running query is listed and killed by part of its id',
  patience,
  async () => {
    await file('slow.sql', insertOf(edits, '2024-05-04'));
    const [id = ''] = (await said('ingest sql -f slow.sql')).trim().split('\n');
    await expect.poll(() => said('queries list -o name'), soon).toContain(id);
    expect(await changed(`queries kill ${id.slice(0, 20)}`)).toContain(id);
    await expect
      .poll(async () => (await json(`tasks status ${id}`)).statusCode, soon)
      .toBe('FAILED');
  },
);

test('a drop is taken back', patience, async () => {
  await said(`datasources drop ${edits} --confirm ${edits}`);
  expect((await json('undo --list'))[0]).toMatchObject({ state: 'open' });
  expect(await told('undo --yes')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('is undone.'),
  });
  await expect
    .poll(() => said('datasources list --columns name,segments --no-header'), soon)
    .toContain(`${edits}\t3\n`);
});

// One row comes from the statement itself.
const insertOf = (dataSource: string, time: string) => {
  const data = JSON.stringify({ time, page: 'nowhere', added: 7 });
  return `INSERT INTO ${dataSource}
SELECT TIME_PARSE("time") AS __time, page, added
FROM TABLE(EXTERN('${JSON.stringify({ type: 'inline', data })}', '{"type":"json"}'))
  EXTEND ("time" VARCHAR, page VARCHAR, added BIGINT)
PARTITIONED BY DAY`;
};
