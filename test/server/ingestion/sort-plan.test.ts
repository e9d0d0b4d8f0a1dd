// Plans for sorting give the order of all keys, and leave each value as it is.
import { expect, test } from 'vitest';
import type { Session } from '../../../src/server/engine/session.ts';
import { SortPlanner } from '../../../src/server/ingestion/sort-plan.ts';
import { engineFor, temporaryStorage } from '../../support/storage.ts';

const column = (name: string, type: string, multiValue = false) => ({ name, type, multiValue });
const columns = [
  column('__time', 'LONG'),
  column('number', 'DOUBLE'),
  column('country', 'STRING'),
  column('city', 'STRING'),
  column('tags', 'STRING', true),
];
const keys = [
  { sql: 't' },
  { sql: 'c0 + 0' },
  { sql: 'c1', wide: 'c1' },
  { sql: 'c2', wide: 'c2' },
  { sql: 'c3', wide: 'c3' },
];
const numRows = 200_000;

// Rows of which the first 61,440 are taken for a sample.
const rowsWith = (time: string, city: string) => `SELECT ${time} AS t,
  CASE i % 5 WHEN 0 THEN 0.0 WHEN 1 THEN -0.0 WHEN 2 THEN 'nan'::DOUBLE WHEN 3 THEN NULL ELSE i END AS c0,
  CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'é😀' ELSE 'a' END AS c1, ${city} AS c2, [i::VARCHAR, ''] AS c3
  FROM range(${numRows}) AS r(i)`;

async function sorted(session: Session, rows: string) {
  await session.run(`CREATE OR REPLACE TEMP TABLE unsorted AS ${rows}`);
  const plan = await new SortPlanner(session, columns, keys, 100).planFor('unsorted', numRows);
  const print = async (list: string, order: string) => {
    const text = `concat_ws('|', t, c0::VARCHAR, coalesce(c1::VARCHAR, 'null'), coalesce(c2::VARCHAR, 'null'), c3)`;
    const [[digest] = []] = await session.rows(
      `SELECT md5(string_agg(text, '\n' ORDER BY n)) FROM (SELECT ${text} AS text, row_number() OVER () AS n FROM (SELECT ${list} FROM unsorted ORDER BY ${order}))`,
    );
    return digest;
  };
  const all = keys.map(({ sql }) => sql).join(', ');
  return {
    plan,
    isEqual: (await print(plan.columns, plan.order)) === (await print('*', all)),
  };
}

test('rows are sorted as by all keys', async () => {
  const engine = engineFor(await temporaryStorage());
  await engine.session(async (session) => {
    // Times tell the rows apart, and there are few countries and cities.
    const apart = await sorted(session, rowsWith('(i * 7919) % 200003', "'city ' || i % 500"));
    expect(apart.isEqual).toBe(true);
    expect(apart.plan.order).toBe('t, c0 + 0, c1, c2');
    expect(apart.plan.columns).toBe('t, c0, c1::texts_of_c1 AS c1, c2::texts_of_c2 AS c2, c3');

    // Times are equal behind the sample.
    const late = await sorted(session, rowsWith('CASE WHEN i < 100000 THEN i ELSE 7 END', "'x'"));
    expect(late.isEqual).toBe(true);
    expect(late.plan.order).toBe('t, c0 + 0, c1, c2, c3');

    // Behind the sample, each row has a city of its own.
    const cities = await sorted(
      session,
      rowsWith('i % 1000', "CASE WHEN i > 70000 THEN 'city ' || i ELSE 'x' END"),
    );
    expect(cities.isEqual).toBe(true);
    expect(cities.plan.columns).toBe('t, c0, c1::texts_of_c1 AS c1, c2, c3');

    // Behind the sample, there is a long text.
    const long = await sorted(
      session,
      rowsWith('i % 1000', "CASE i WHEN 70000 THEN repeat('é', 1000) ELSE 'x' END"),
    );
    expect(long.isEqual).toBe(true);
    expect(long.plan.columns).toBe('t, c0, c1::texts_of_c1 AS c1, c2, c3');

    const alike = await sorted(session, rowsWith('i % 3', "'x'"));
    expect(alike.isEqual).toBe(true);
  });
});
