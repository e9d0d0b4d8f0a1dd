import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Engine } from '../../../src/server/engine/engine.ts';
import { YieldsToTask } from '../../../src/server/engine/refusals.ts';
import { writeParquet } from '../../support/parquet.ts';
import {
  databaseSession,
  engineFor,
  temporaryFolder,
  temporaryStorage,
} from '../../support/storage.ts';

const endless =
  'SELECT count(*) FROM range(100000000) a, range(100000) b WHERE hash(a.range) % 7 = hash(b.range) % 11';

test('texts come as bytes where they are asked for, unless they are many', async () => {
  const engine = engineFor(await temporaryStorage());
  const read = async (size: number, rows = 3, columns = '') => {
    const text = `CASE range % 3 WHEN 0 THEN 'short' WHEN 1 THEN repeat('é', ${size}) END`;
    const sql = `SELECT ${text}, range, ${text}${columns} FROM range(${rows})`;
    const { chunks } = await engine.rows(sql, { encoded: [0, 1] });
    return chunks;
  };
  const [chunk] = await read(20);
  const { bytes, starts, ends } = chunk?.texts?.[0] ?? emptyTexts;
  const shown = [...starts].map((start, row) =>
    start < 0 ? null : Buffer.from(bytes.subarray(start, ends[row])).toString(),
  );
  expect(shown).toEqual(['short', 'é'.repeat(20), null]);
  expect(chunk?.texts?.slice(1)).toEqual([undefined, undefined]);
  expect(chunk?.columns).toEqual([[], [0, 1, 2], shown]);
  const [many] = await read(1024 ** 2);
  expect(many?.texts?.[0]).toBeUndefined();
  expect(many?.columns[0]?.[0]).toBe('short');
  const wide = await read(20, 1000, ', range'.repeat(150));
  expect(wide.map(({ texts }) => texts?.[0]?.starts.length)).toEqual([653, 347]);
});

const emptyTexts = { bytes: Buffer.alloc(0), starts: new Int32Array(), ends: new Int32Array() };

test('every native type comes back as its value, exact and with nulls', async () => {
  const engine = engineFor(await temporaryStorage());
  const one = (sql: string) => firstColumn(engine, `SELECT ${sql}`);
  expect(await one('9007199254740991::BIGINT')).toEqual([9007199254740991]);
  expect(await one('9223372036854775807::BIGINT')).toEqual([9223372036854775807n]);
  expect(await one('-9223372036854775807::BIGINT - 1')).toEqual([-9223372036854775808n]);
  expect(await one('-1::BIGINT')).toEqual([-1]);
  expect(await one('0.5::DOUBLE')).toEqual([0.5]);
  expect(await one("'nan'::DOUBLE")).toEqual([Number.NaN]);
  expect(await one('1.5::FLOAT')).toEqual([1.5]);
  expect(await one('12.34::DECIMAL(10, 2)')).toEqual([12.34]);
  expect(await one('true')).toEqual([true]);
  expect(await one('18446744073709551614::HUGEINT')).toEqual([18446744073709551614n]);
  expect(await one("''")).toEqual(['']);
  expect(await one("'twelve bytes'")).toEqual(['twelve bytes']);
  expect(await one("'mehr als zwölf Bytes 🚀'")).toEqual(['mehr als zwölf Bytes 🚀']);
  expect(await one("'\\x00\\xFF'::BLOB")).toEqual([Uint8Array.of(0, 255)]);
  expect(await one(`'{"a":[1]}'::JSON`)).toEqual(['{"a":[1]}']);
  expect(await one("['a', NULL, '']")).toEqual([['a', null, '']]);
  expect(await one('[]::DOUBLE[]')).toEqual([[]]);
  expect(await one('NULL::BIGINT[]')).toEqual([null]);
  expect(await one('NULL')).toEqual([null]);
});

test('a number that came after the plan is told, and never left out of its bits', async () => {
  const engine = engineFor(await temporaryStorage());
  const bits = (count: number) =>
    firstColumn(engine, `SELECT bit_count(bitstring_agg(n, 0, 7)) FROM range(${count}) AS t (n)`);
  expect(await bits(8)).toEqual([8]);
  await expect(bits(9)).rejects.toThrow(
    'Rows were added while the query was planned. Run the query again.',
  );
});

test('a long result comes in chunks that together are all of it', async () => {
  const engine = engineFor(await temporaryStorage());
  const { columns, chunks } = await engine.query(
    `SELECT i::BIGINT AS n, CASE WHEN i % 3 = 0 THEN NULL ELSE 'value ' || (i % 500) || ' of many' END AS s, [i, NULL]::BIGINT[] AS l FROM range(20000) r(i)`,
  );
  expect(columns).toEqual([
    { name: 'n', type: 'BIGINT' },
    { name: 's', type: 'VARCHAR' },
    { name: 'l', type: 'BIGINT[]' },
  ]);
  let row = 0;
  for await (const { rowCount, columns } of chunks) {
    for (let at = 0; at < rowCount; at++, row++) {
      if (columns[0]?.[at] !== row) expect(columns[0]?.[at]).toBe(row);
      const text = row % 3 === 0 ? null : `value ${row % 500} of many`;
      if (columns[1]?.[at] !== text) expect(columns[1]?.[at]).toBe(text);
    }
    expect(columns[2]?.[0]).toEqual([row - rowCount, null]);
  }
  expect(row).toBe(20000);
  await idle(engine);
});

test('SQL reaches the allowed folders and nothing else, and cannot change that', async () => {
  const storage = await temporaryStorage();
  const [allowed, forbidden] = [await temporaryFolder(), await temporaryFolder()];
  for (const folder of [allowed, forbidden])
    await writeFile(join(folder, 'data.csv'), 'a,b\n1,2\n');
  const engine = engineFor(storage, { allowedFolders: [...storage.folder.forQueries, allowed] });
  expect(await firstColumn(engine, `SELECT a FROM read_csv('${allowed}/data.csv')`)).toEqual([1]);
  for (const sql of [
    `SELECT a FROM read_csv('${forbidden}/data.csv')`,
    `SELECT a FROM read_csv('${allowed}/../${forbidden.split('/').at(-1)}/data.csv')`,
    `SELECT * FROM read_text('${storage.folder.path}/pid')`,
    `COPY (SELECT 1) TO '${forbidden}/stolen.csv'`,
    `ATTACH '${forbidden}/x.db'`,
    'SET threads = 1',
    'SET enable_external_access = true',
    'INSTALL httpfs',
  ]) {
    await expect(engine.rows(sql), sql).rejects.toThrow(/[Pp]ermission|locked|disabled/);
  }
});

test('a thousand tables made of one another are refused in words of ours', async () => {
  const engine = engineFor(await temporaryStorage());
  const tables = Array.from(
    { length: 1500 },
    (_, index) => `t${index} AS (SELECT * FROM ${index ? `t${index - 1}` : '(SELECT 1 AS x)'})`,
  );
  await expect(engine.rows(`WITH ${tables.join(', ')} SELECT * FROM t1499`)).rejects.toMatchObject({
    category: 'invalidInput',
    message: expect.stringContaining('nested too deeply'),
  });
});

test('a query is stopped by its id, by its signal and by the clock, and its place is free again', async () => {
  const engine = engineFor(await temporaryStorage(), { maxRunningQueries: 1, maxQueuedQueries: 0 });
  const cancelled = engine.rows(endless, { queryId: 'q' });
  await running(engine);
  expect(engine.cancel('q')).toBe(true);
  await expect(cancelled).rejects.toMatchObject({
    category: 'canceled',
    message: 'Query cancelled',
  });
  await idle(engine);
  expect(engine.cancel('q')).toBe(false);

  const controller = new AbortController();
  const aborted = engine.rows(endless, { signal: controller.signal });
  await running(engine);
  controller.abort();
  await expect(aborted).rejects.toMatchObject({ category: 'canceled' });
  await idle(engine);

  await expect(engine.rows(endless, { timeoutMs: 50 })).rejects.toMatchObject({
    category: 'timeout',
    message: 'Query timeout',
    details: { legacy: { code: 'Query timeout' } },
  });
  await idle(engine);
  expect(await firstColumn(engine, 'SELECT 1::BIGINT')).toEqual([1]);
});

test('queries beyond the limit wait, and beyond the queue are refused', async () => {
  const engine = engineFor(await temporaryStorage(), { maxRunningQueries: 1, maxQueuedQueries: 1 });
  const first = engine.rows(endless, { queryId: 'first' });
  await running(engine);
  const second = engine.rows('SELECT 2::BIGINT');
  await expect(engine.rows('SELECT 3')).rejects.toMatchObject({
    category: 'capacityExceeded',
    message:
      'Too many concurrent queries, total query capacity of 2 exceeded. Please try your query again later.',
  });
  engine.cancel('first');
  await expect(first).rejects.toThrow('Query cancelled');
  expect((await second).chunks[0]?.columns).toEqual([[2]]);
});

test('a task has places of its own', async () => {
  const engine = engineFor(await temporaryStorage(), { maxRunningQueries: 1, maxQueuedQueries: 0 });
  const query = engine.rows(endless, { queryId: 'q' });
  await running(engine);
  expect((await engine.rows('SELECT 1', { lane: 'task' })).chunks[0]?.columns).toEqual([[1]]);
  engine.cancel('q');
  await expect(query).rejects.toThrow('Query cancelled');
});

test('a result that nobody reads to the end gives its place back when closed', async () => {
  const engine = engineFor(await temporaryStorage(), { maxRunningQueries: 1, maxQueuedQueries: 0 });
  const unread = await engine.query('SELECT * FROM range(10000000)');
  await unread.close();
  await idle(engine);
  const left = await engine.query('SELECT * FROM range(10000000)');
  for await (const _ of left.chunks) break;
  await idle(engine);
});

test('what does not fit into memory and disk is a limit of resources, and says so', async () => {
  const engine = engineFor(await temporaryStorage(), {
    memoryLimitBytes: 40e6,
    maxSpillBytes: 1e6,
  });
  await expect(
    engine.rows(
      'SELECT count(*) FROM (SELECT DISTINCT hash(i), hash(i + 1) FROM range(5000000) r(i))',
    ),
  ).rejects.toMatchObject({
    category: 'invalidInput',
    details: { legacy: { code: 'Resource limit exceeded' } },
  });
});

test('what does not fit into the memory of the service has that of a query process', async () => {
  const engine = engineFor(await temporaryStorage(), { memoryLimitBytes: 500e6 });
  const large = (rows: number) => `SELECT len(list(i)) AS n FROM range(${rows}) r(i)`;
  const { chunks } = await engine.rows(large(6_000_000));
  expect(chunks[0]?.columns).toEqual([[6_000_000]]);
  await expect(engine.rows(large(60_000_000))).rejects.toMatchObject({
    details: { legacy: { code: 'Resource limit exceeded' } },
  });
});

test('errors of the data are told, and no path of the service is', async () => {
  const storage = await temporaryStorage();
  const engine = engineFor(storage);
  await expect(engine.rows("SELECT error('/ by zero')")).rejects.toMatchObject({
    category: 'runtimeFailure',
    message: '/ by zero',
  });
  const missing = engine.rows(
    `SELECT * FROM read_parquet('${storage.folder.segments}/none.parquet')`,
  );
  await expect(missing).rejects.toThrow();
  await expect(missing).rejects.not.toThrow(storage.folder.path);
});

test('a failure of DuckDB itself ends one query, and the next one has another database', async () => {
  const storage = await temporaryStorage();
  const folder = await temporaryFolder();
  const engine = engineFor(storage, { allowedFolders: [...storage.folder.forQueries, folder] });
  const deep = join(folder, 'deep.parquet');
  await writeParquet(deep, `SELECT ${"{'a': ".repeat(300)}1${'}'.repeat(300)} AS a`);
  for (const isolated of [false, true]) {
    for (let time = 0; time < 2; time++)
      await expect(
        engine.rows(`SELECT * FROM read_parquet('${deep}')`, { isolated }),
      ).rejects.toThrow('INTERNAL: Information loss');
    const { chunks } = await engine.rows('SELECT 7::BIGINT', { isolated });
    expect(chunks[0]?.columns).toEqual([[7]]);
  }
});

test('a database has its macros and its functions in TypeScript from the start', async () => {
  const session = await databaseSession({
    macros: ['CREATE MACRO one_more(a) AS a + 1;'],
    scalarFunctions: [
      {
        name: 'js_reverse',
        parameters: ['VARCHAR'],
        returns: 'VARCHAR',
        call: (text) => [...String(text)].reverse().join(''),
      },
      {
        name: 'js_words',
        parameters: ['VARCHAR'],
        returns: 'VARCHAR[]',
        call: (text) => String(text).split(' '),
      },
      {
        name: 'js_sum',
        parameters: ['BIGINT[]'],
        returns: 'BIGINT',
        call: (list) =>
          list instanceof BigInt64Array ? list.reduce((sum, each) => sum + each, 0n) : 0,
      },
      {
        name: 'js_nulls',
        parameters: [],
        variadic: 'VARCHAR',
        returns: 'BIGINT',
        acceptsNull: true,
        call: (...all) => all.filter((one) => one === null).length,
      },
      {
        name: 'js_half',
        parameters: ['DOUBLE'],
        returns: 'DOUBLE',
        call: (number) => (number === 0 ? null : Number(number) / 2),
      },
      {
        name: 'js_refuse',
        parameters: ['BIGINT'],
        returns: 'BOOLEAN',
        call: (number) => {
          throw new Error(`Value [${String(number)}] is refused`);
        },
      },
    ],
  });
  const first = async (sql: string) => (await session.rows(sql)).map(([value]) => value);
  expect(await first('SELECT one_more(i)::BIGINT FROM range(2) r(i)')).toEqual([1, 2]);
  expect(
    await first(
      "SELECT js_reverse(s) FROM (VALUES ('abc'), (NULL), ('ein längerer Text 🚀')) v(s)",
    ),
  ).toEqual(['cba', null, '🚀 txeT reregnäl nie']);
  expect(await first("SELECT js_words(s) FROM (VALUES ('a b'), (NULL), ('c')) v(s)")).toEqual([
    ['a', 'b'],
    null,
    ['c'],
  ]);
  expect(await first('SELECT js_sum([1, 2, 39]::BIGINT[])')).toEqual([42]);
  expect(await first("SELECT js_nulls('a', NULL, NULL)")).toEqual([2]);
  expect(await first('SELECT js_half(d) FROM (VALUES (3::DOUBLE), (0), (NULL)) v(d)')).toEqual([
    1.5,
    null,
    null,
  ]);
  await expect(first('SELECT js_refuse(7)')).rejects.toThrow('Value [7] is refused');
});

test('temporary tables live as long as their session', async () => {
  const engine = engineFor(await temporaryStorage());
  const rows = await engine.session(async (session) => {
    await session.run(
      'CREATE TEMP TABLE input AS SELECT * FROM range(3) r(i); CREATE TEMP VIEW seen AS SELECT i::BIGINT AS i FROM input',
    );
    return session.rows('SELECT i FROM seen ORDER BY i');
  });
  expect(rows).toEqual([[0], [1], [2]]);
  await expect(engine.rows('SELECT * FROM input')).rejects.toThrow('input');
});

async function firstColumn(engine: Engine, sql: string) {
  return (await engine.rows(sql)).chunks.flatMap((chunk) => chunk.columns[0] ?? []);
}

const running = (engine: Engine) => expect.poll(() => engine.load.running).toBe(1);
const idle = (engine: Engine) => expect.poll(() => engine.load.running).toBe(0);

test('a statement over few rows uses one thread, in the service and in a query process', async () => {
  const engine = engineFor(await temporaryStorage(), { threads: 3, memoryLimitBytes: 2 ** 30 });
  const threadsOver = async (numRows: number, isolated: boolean) => {
    const { chunks } = await engine.rows("SELECT current_setting('threads')::BIGINT", {
      grouping: { numRows, aggregates: 0, tables: 1, groupingSets: 0 },
      isolated,
    });
    return chunks.map(({ columns }) => columns[0]?.[0]);
  };
  for (const isolated of [false, true]) {
    expect(await threadsOver(100_000, isolated)).toEqual([1]);
    expect(await threadsOver(1_000_000, isolated)).toEqual([3]);
  }
  await idle(engine);
  await engine.close();
  await expect(threadsOver(1, false)).rejects.toThrow('Query cancelled');
});

test('a reader that stops early leaves a process that answers the next query at once', async () => {
  const engine = engineFor(await temporaryStorage());
  const { chunks } = await engine.query('SELECT range FROM range(100000000000)', {
    isolated: true,
  });
  for await (const chunk of chunks) if (chunk.rowCount > 0) break;
  const { chunks: next } = await engine.rows('SELECT 7::BIGINT', { isolated: true });
  expect(next.map(({ columns }) => columns[0]?.[0])).toEqual([7]);
  await idle(engine);
});

test('a session with little memory has an instance of its own, which spills where nobody else does and leaves nothing behind', async () => {
  const storage = await temporaryStorage();
  // Each thread of DuckDB needs some memory that it cannot put on disk: with 64 MB for two of them,
  // one try in eight fails.
  const engine = engineFor(storage, { threads: 2 });
  const answer = await engine.session(
    async (session) => {
      await session.run(
        'CREATE TEMP TABLE numbers AS SELECT hash(i) AS h, repeat(i::VARCHAR, 40) AS text FROM range(1000000) r(i) ORDER BY h',
      );
      return session.rows(
        "SELECT current_setting('memory_limit'), count(*)::BIGINT, (SELECT count(*) > 0 FROM duckdb_temporary_files()) FROM numbers",
      );
    },
    { memoryBytes: 128 * 1024 ** 2 },
  );
  expect(answer).toEqual([['128.0 MiB', 1_000_000, true]]);
  await idle(engine);
  expect(readdirSync(storage.folder.spill, { recursive: true })).toEqual([
    expect.stringContaining('process-'),
  ]); // an idle process
  await engine.close();
  expect(readdirSync(storage.folder.spill)).toEqual([]);
});

test.each([
  [1e9, true],
  [4e9, false],
])(
  'of %d bytes, a task needs what the segment cache takes: %s',
  async (memoryLimitBytes, yields) => {
    const engine = engineFor(await temporaryStorage(), { memoryLimitBytes });
    const closing = new AbortController();
    const cached = engine
      .session((session) => session.rows(endless), {
        lane: 'cache',
        signal: closing.signal,
      })
      .catch((error: unknown) => error);
    await vi.waitUntil(() => engine.isProcessing, 30_000);
    const needed = await engine.session(
      async (session) => {
        const rows = await session.rows('SELECT 1::INTEGER');
        closing.abort();
        await cached;
        const later = engine.session((cache) => cache.rows('SELECT 2::INTEGER'), { lane: 'cache' });
        return [rows, await later.catch((error: unknown) => error)];
      },
      { lane: 'task' },
    );
    expect(needed).toEqual([[[1]], yields ? expect.any(YieldsToTask) : [[2]]]);
    expect((await cached) instanceof YieldsToTask).toBe(yields);
  },
);

test("DuckDB keeps no content of files, which may be another file's of the same path", async () => {
  const engine = engineFor(await temporaryStorage());
  const name = 'enable_external_file_cache';
  const setting = `SELECT value FROM duckdb_settings() WHERE name = '${name}'`;
  expect(await firstColumn(engine, setting)).toEqual(['false']);
});
