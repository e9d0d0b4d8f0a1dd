import { expect, test } from 'vitest';
import type { EngineVersion } from '../../../src/model/engine-version.ts';
import { answering, query, refusal } from '../statements-over-tables.ts';

test('windows over rows and over groups, named or not', async () => {
  const answer = await answering();
  expect(
    await answer(
      'SELECT author, page, SUM(added) OVER (PARTITION BY author ORDER BY __time) FROM edits',
    ),
  ).toEqual([
    ['anna', 'Berlin', 10],
    ['anna', null, 17],
    ['ben', 'Bern', 5],
    ['ben', 'Berlin', 5],
  ]);
  expect(
    await answer(
      'SELECT page, SUM(COUNT(*)) OVER w, RANK() OVER w FROM edits GROUP BY page WINDOW w AS (ORDER BY page)',
    ),
  ).toEqual([
    [null, 1, 1],
    ['Berlin', 3, 2],
    ['Bern', 4, 3],
  ]);
  expect(
    await answer('SELECT page, ROW_NUMBER() OVER (ORDER BY __time) AS n FROM edits QUALIFY n = 4'),
  ).toEqual([[null, 4]]);
});

test('rows that a window leaves equal stay in the order in which they came', async () => {
  const answer = await answering();
  const text =
    'SELECT page, ROW_NUMBER() OVER (ORDER BY n) FROM (SELECT page, COUNT(*) AS n FROM edits GROUP BY page)';
  expect(query(text).duckdb).toContain(
    'OVER (ORDER BY "query"."n" ASC NULLS FIRST, "query"."page" ASC NULLS FIRST)',
  );
  expect(await answer(text)).toEqual([
    [null, 1],
    ['Bern', 2],
    ['Berlin', 3],
  ]);
});

test('a frame that begins after this row begins with it', () => {
  expect(
    query('SELECT SUM(added) OVER (ORDER BY __time ROWS 1 FOLLOWING) FROM edits').duckdb,
  ).toContain('ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING');
});

test.each([
  [
    'ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW',
    'UNBOUNDED FOLLOWING cannot be specified for the lower frame boundary',
  ],
  [
    'ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING',
    'UNBOUNDED PRECEDING cannot be specified for the upper frame boundary',
  ],
  [
    'ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING',
    'Upper frame boundary cannot be PRECEDING when lower boundary is FOLLOWING',
  ],
  [
    'ROWS BETWEEN 1 FOLLOWING AND CURRENT ROW',
    'Upper frame boundary cannot be CURRENT ROW when lower boundary is FOLLOWING',
  ],
  [
    'ROWS BETWEEN CURRENT ROW AND 1 PRECEDING',
    'Upper frame boundary cannot be PRECEDING when lower boundary is CURRENT ROW',
  ],
  [
    'ROWS BETWEEN -1 PRECEDING AND CURRENT ROW',
    'ROWS value must be a non-negative integral constant',
  ],
  [
    'RANGE 1 PRECEDING',
    'Order By with RANGE clause currently supports only UNBOUNDED or CURRENT ROW. Use ROWS clause instead.',
  ],
])('the frame %s is refused', (frame, message) => {
  expect(refusal(`SELECT SUM(added) OVER (ORDER BY __time ${frame}) FROM edits`)).toContain(
    message,
  );
});

test('a named window with distances is refused for its order first', () => {
  const named = (order: string) =>
    refusal(`SELECT SUM(added) OVER w FROM edits WINDOW w AS (${order} RANGE 1 PRECEDING)`);
  expect(named('ORDER BY __time, page')).toContain(
    'RANGE clause cannot be used with compound ORDER BY clause',
  );
  expect(named('PARTITION BY page')).toContain(
    'Window specification must contain an ORDER BY clause',
  );
  expect(
    query('SELECT SUM(added) OVER (ORDER BY __time, page RANGE UNBOUNDED PRECEDING) FROM edits')
      .columns,
  ).toHaveLength(1);
});

test('functions of windows stand over windows, and ranks over an order', () => {
  expect(refusal('SELECT ROW_NUMBER() FROM edits')).toContain(
    'OVER clause is necessary for window functions',
  );
  expect(refusal('SELECT ROW_NUMBER() AS n FROM edits')).toContain(
    "SQL query requires 'ROW_NUMBER' operator that is not supported.",
  );
  expect(refusal('SELECT RANK() OVER (PARTITION BY page) FROM edits')).toContain(
    'RANK or DENSE_RANK functions require ORDER BY clause in window specification',
  );
  expect(refusal('SELECT SUM(added) OVER w FROM edits')).toContain("Window 'w' not found");
  expect(refusal('SELECT SUM(added) FILTER (WHERE added > 1) OVER () FROM edits')).toContain(
    'OVER must be applied to aggregate function',
  );
  expect(refusal('SELECT COUNT(*) OVER (PARTITION BY tags) FROM edits')).toContain(
    'Window processing does not support MVDs',
  );
});

test('windows do not read rows with several values, however few rows are returned', async () => {
  const answer = await answering();
  const several =
    'Encountered a multi value column [tags]. Window processing does not support MVDs';
  for (const items of ['tags, COUNT(*) OVER ()', 'LAG(tags) OVER (ORDER BY __time)'])
    await expect(answer(`SELECT ${items} FROM edits LIMIT 1`)).rejects.toThrow(several);
  await expect(answer("SELECT CONCAT(tags, '!'), SUM(added) OVER () FROM edits")).rejects.toThrow(
    'column [v0]',
  );
  const rest = 'FROM edits WHERE MV_LENGTH(tags) < 2 OR tags IS NULL';
  await expect(answer(`SELECT tags, COUNT(*) OVER () ${rest}`)).resolves.toHaveLength(2);
  await expect(
    answer("SELECT MV_TO_STRING(tags, ','), COUNT(*) OVER () FROM edits"),
  ).resolves.not.toHaveLength(0);
});

test('rows that the windows leave equal come in the order of time, or of their groups', async () => {
  const answer = await answering();
  expect(
    await answer(
      'SELECT page, SUM(added) OVER (PARTITION BY author), ARRAY_AGG(page) OVER (PARTITION BY author) FROM edits',
    ),
  ).toEqual([
    ['Berlin', 17, ['Berlin', null]],
    [null, 17, ['Berlin', null]],
    ['Bern', 5, ['Bern', 'Berlin']],
    ['Berlin', 5, ['Bern', 'Berlin']],
  ]);
  const groups = 'FROM edits GROUP BY page, author';
  expect(
    await answer(
      `SELECT page, author, RANK() OVER (ORDER BY COUNT(*)), ANY_VALUE(author) OVER () ${groups}`,
    ),
  ).toEqual([
    [null, 'anna', 1, 'anna'],
    ['Berlin', 'anna', 1, 'anna'],
    ['Berlin', 'ben', 1, 'anna'],
    ['Bern', 'ben', 1, 'anna'],
  ]);
});

test('FIRST_VALUE and LAST_VALUE take the ends of RANGE as those of ROWS', async () => {
  const answer = await answering();
  const range = 'ORDER BY page RANGE BETWEEN';
  const ends = `FIRST_VALUE(author) OVER (${range} CURRENT ROW AND UNBOUNDED FOLLOWING), LAST_VALUE(author) OVER (ORDER BY page)`;
  expect(await answer(`SELECT page, author, ${ends} FROM edits GROUP BY page, author`)).toEqual([
    [null, 'anna', 'anna', 'anna'],
    ['Berlin', 'anna', 'anna', 'anna'],
    ['Berlin', 'ben', 'ben', 'ben'],
    ['Bern', 'ben', 'ben', 'ben'],
  ]);
});

test('an aggregate at a time that groups do not have is refused over a window', () => {
  expect(refusal('SELECT page, LATEST(COUNT(*)) OVER () FROM edits GROUP BY page')).toContain(
    "Expression '__time' is not being grouped",
  );
});

// As a real 33.0.0: its operator compares bytes, of which those above 127 are negative.
test('texts that are sorted after they were computed come by signed bytes', async () => {
  const answer = await answering();
  const names = "CASE WHEN author = 'ben' THEN 'é' ELSE author || 'z' END";
  const numbered = `SELECT ${names} AS name, ROW_NUMBER() OVER (ORDER BY __time) AS n FROM edits`;
  const first = async (statement: string) => (await answer(statement)).map(([name]) => name);
  expect(await first(`${numbered} ORDER BY name`)).toEqual(['é', 'é', 'annaz', 'annaz']);
  expect(await first(`${numbered} ORDER BY name DESC LIMIT 1`)).toEqual(['annaz']);
  expect(
    await first(
      `SELECT ${names} AS name, COUNT(*), RANK() OVER (ORDER BY COUNT(*)) FROM edits GROUP BY 1 ORDER BY 1`,
    ),
  ).toEqual(['é', 'annaz']);
  expect(
    await first(
      `SELECT ${names} AS name FROM edits JOIN people ON author <> name ORDER BY 1 LIMIT 1`,
    ),
  ).toEqual(['é']);
  expect(await first(`SELECT ${names} AS name FROM edits GROUP BY 1 ORDER BY 1`)).toEqual([
    'annaz',
    'é',
  ]);
});

test('LAG counts whole rows', async () => {
  const answer = await answering();
  expect(
    await answer('SELECT LAG(author, 1.9) OVER (ORDER BY author) FROM edits GROUP BY author'),
  ).toEqual([[null], ['anna']]);
});

test('without ORDER BY, a frame of rows is the whole partition before version 37', async () => {
  const answer = await answering();
  const sums = async (version: EngineVersion) => {
    const sql = 'SELECT page, SUM(added) OVER (ROWS 1 PRECEDING) FROM edits ORDER BY __time';
    return (await answer(sql, { version })).map(([, sum]) => sum);
  };
  expect(await sums(33)).toEqual([22, 22, 22, 22]);
  expect(await sums(37)).toEqual([10, 15, 5, 7]);
});

test('a named window loses the frame that OVER adds to it', async () => {
  const answer = await answering();
  expect(
    await answer(
      'SELECT added, SUM(added) OVER (w ROWS 1 PRECEDING) FROM edits WINDOW w AS (ORDER BY added DESC)',
    ),
  ).toEqual([
    [10, 10],
    [7, 17],
    [5, 22],
    [null, 22],
  ]);
});
