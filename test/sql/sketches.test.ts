// Sketches in SQL: the expected texts in base64 are replies of a Druid 33.0.0 to the same
// statements over the same values.
import { expect, test } from 'vitest';
import { couponOf, HllSketch } from '../../src/sketches/hll.ts';
import { thetaBytes, thetaHashOf, thetaOf } from '../../src/sketches/theta.ts';
import { hashText, valueHash } from '../../src/sketches/value-hash.ts';
import type { Catalog } from '../../src/sql/catalog.ts';
import type { TranslateOptions } from '../../src/sql/translate/translate.ts';
import { answering, query, refusal } from './statements-over-tables.ts';

const over = (values: string, sketch: string) => `SELECT ${sketch} FROM (VALUES ${values}) AS t(v)`;
const base64 = (rows: readonly (readonly unknown[])[]) =>
  Buffer.from(rows[0]?.[0] as Uint8Array).toString('base64');

test.each([
  ['(-215), (-3), (-24)', 'DS_HLL(v)', 'AgEHDAMIAwB/7g8Fzb9ECikwewk='],
  [
    '(-215), (-3), (-24), (-3)',
    'DS_THETA(v)',
    'AgMDAAAazJMDAAAAAACAP+ZfIiVuzBIIP/eHamRntBwUmL1ENgPEPA==',
  ],
  ["('false'), ('true')", 'DS_HLL(v)', 'AgEHDAMIAgCLWYEEfVGyEA=='],
  ["('false'), ('false'), ('')", 'DS_THETA(v)', 'AQMDAAA6zJMjWZVsQSOjWQ=='],
  ["('')", 'DS_THETA(v)', 'AQMDAAAeAAA='],
  ["('')", 'DS_HLL(v)', 'AgEHDAMMAAA='],
  [
    '(3.5), (1), (2)',
    'DS_QUANTILES_SKETCH(v)',
    'AgMIGoAAAAADAAAAAAAAAAAAAAAAAPA/AAAAAAAADEAAAAAAAADwPwAAAAAAAABAAAAAAAAADEA=',
  ],
  [
    '(3.5), (1), (NULL)',
    'DS_QUANTILES_SKETCH(v)',
    'AgMIGoAAAAACAAAAAAAAAAAAAAAAAPA/AAAAAAAADEAAAAAAAADwPwAAAAAAAAxA',
  ],
  ["('a'), ('b')", 'DS_QUANTILES_SKETCH(v, 64)', 'AgMIHkAAAAA='],
])('the sketch of %s, %s, has the bytes of the engine', async (values, sketch, expected) => {
  const answer = await answering();
  expect(base64(await answer(over(values, sketch)))).toBe(expected);
});

test('texts of any length and alphabet, and doubles, are hashed by their bytes', async () => {
  const answer = await answering();
  const texts = [
    '',
    'a',
    'zwölf Bytes',
    'Zeichen: äöü',
    '日本語のとても長いテキスト',
    '😀😀😀😀',
    'x'.repeat(3000),
  ];
  const values = texts.map((text) => `('${text}')`).join(', ');
  const hashes = texts.slice(1).map((text) => {
    hashText(text, 'utf8');
    return thetaHashOf(valueHash);
  });
  const theta = Buffer.from(thetaBytes(thetaOf(hashes, 16384))).toString('base64');
  expect(base64(await answer(over(values, 'DS_THETA(v)')))).toBe(theta);
  const coupons = new HllSketch(12, 4);
  for (const text of texts.slice(1)) {
    hashText(text, 'utf16le');
    coupons.add(couponOf(valueHash));
  }
  const hll = Buffer.from(coupons.toBytes()).toString('base64');
  expect(base64(await answer(over(values, 'DS_HLL(v)')))).toBe(hll);
  const distinct = 'APPROX_COUNT_DISTINCT_DS_THETA(v), APPROX_COUNT_DISTINCT_DS_HLL(v)';
  const doubles = `(0e0), (-0e0), (1.5e0), (1.5e0), (1e300), (-1.5e0)`;
  expect(await answer(over(doubles, distinct))).toEqual([[4, 4]]);
});

test('a sketch is read from its base64, alone and with others', async () => {
  const answer = await answering();
  const estimate =
    "SELECT HLL_SKETCH_ESTIMATE(DECODE_BASE64_COMPLEX('HLLSketch', 'AgEHDAMIAwB/7g8Fzb9ECikwewk='))";
  expect(await answer(estimate)).toEqual([[3.000000014901161]]);
  const both =
    "THETA_SKETCH_ESTIMATE(THETA_SKETCH_UNION(DECODE_BASE64_COMPLEX('thetaSketch', 'AQMDAAA6zJMjWZVsQSOjWQ=='), DS_THETA(v)))";
  expect(await answer(over("('false'), ('true')", both))).toEqual([[2]]);
  expect(refusal("SELECT HLL_SKETCH_ESTIMATE(DECODE_BASE64_COMPLEX('HLLSketch', 'AAAA'))")).toBe(
    'An HLL sketch ends after [3] bytes instead of [8]',
  );
});

test('tuple sketches add up the numbers of each key', async () => {
  const answer = await answering();
  const from = "FROM (VALUES ('a', 1, 2), ('b', 3, 4), ('a', 5, 6)) AS t(k, x, y)";
  expect(
    await answer(
      `SELECT DS_TUPLE_DOUBLES(k, x, y), DS_TUPLE_DOUBLES_METRICS_SUM_ESTIMATE(DS_TUPLE_DOUBLES(k, x, y)) ${from}`,
    ),
  ).toEqual([['2.0', [9, 12]]]);
  const set = (operation: string) =>
    `DS_TUPLE_DOUBLES_METRICS_SUM_ESTIMATE(DS_TUPLE_DOUBLES_${operation}(DS_TUPLE_DOUBLES(k, x), DS_TUPLE_DOUBLES(k, y) FILTER (WHERE k = 'a')))`;
  expect(
    await answer(`SELECT ${set('UNION')}, ${set('INTERSECT')}, ${set('NOT')} ${from}`),
  ).toEqual([[[17], [14], [3]]]);
  expect(refusal('SELECT DS_TUPLE_DOUBLES(page) FROM edits')).toContain(
    'without a metric merges sketches',
  );
  expect(refusal('SELECT DS_TUPLE_DOUBLES(page, added, 17) FROM edits')).toContain(
    'must be a positive integer-power of 2',
  );
  expect(refusal('SELECT DS_TUPLE_DOUBLES_UNION(page, author) FROM edits')).toContain(
    'can only be used on aggregates',
  );
});

test('what is read from a quantiles sketch is as the engine says it; of no values it is NaN', async () => {
  const answer = await answering();
  const read = (
    sketch: string,
  ) => `DS_GET_QUANTILE(${sketch}, 0.5), DS_GET_QUANTILES(${sketch}, 0, 0.25, 1), DS_RANK(${sketch}, 2),
    DS_CDF(${sketch}, 1.5, 3), DS_HISTOGRAM(${sketch}, 1.5, 3)`;
  const merged = `SELECT DS_QUANTILES_SKETCH(s) AS m FROM (SELECT v, DS_QUANTILES_SKETCH(v) AS s FROM (VALUES (3.5), (1), (2)) AS t(v) GROUP BY v)`;
  const expected = [
    2,
    '[1.0,1.0,3.5]',
    2 / 3,
    '[0.3333333333333333,0.6666666666666666,1.0]',
    '[1.0,1.0,1.0]',
  ];
  expect(await answer(`SELECT ${read('m')} FROM (${merged})`)).toEqual([expected]);
  const given =
    "DECODE_BASE64_COMPLEX('quantilesDoublesSketch', 'AgMIGoAAAAADAAAAAAAAAAAAAAAAAPA/AAAAAAAADEAAAAAAAADwPwAAAAAAAABAAAAAAAAADEA=')";
  expect(await answer(`SELECT ${read(given)}`)).toEqual([expected]);
  const [nothing = []] = await answer(
    `SELECT ${read('m')}, DS_QUANTILE_SUMMARY(m) FROM (SELECT DS_QUANTILES_SKETCH(added) AS m FROM edits WHERE added < -1000)`,
  );
  expect(nothing.slice(0, 5)).toEqual([
    Number.NaN,
    '["NaN","NaN","NaN"]',
    Number.NaN,
    '["NaN","NaN","NaN"]',
    '["NaN","NaN","NaN"]',
  ]);
  expect(nothing[5]).toContain('   Normalized Rank Error        : 1.406%\n');
});

test('ranks, points and sizes of quantiles sketches are checked before anything is computed', () => {
  const of = (rest: string) => refusal(`SELECT ${rest} FROM edits`);
  expect(of('DS_QUANTILES_SKETCH(added, 3)')).toBe(
    'The value of the int argument "k" must be a positive integer-power of 2 and greater than 0: 3',
  );
  expect(of('APPROX_QUANTILE_DS(added, 0.5, 65536)')).toBe(
    'K must be >= 2 and <= 32768 and a power of 2: 65536',
  );
  expect(of('DS_GET_QUANTILES(DS_QUANTILES_SKETCH(added), 0.5, 1.5)')).toMatch(
    'A normalized rank must be >= 0 and <= 1.0: 1.5',
  );
  expect(of('DS_HISTOGRAM(DS_QUANTILES_SKETCH(added), 5, 1)')).toMatch(
    'Values must be unique, monotonically increasing and not NaN.',
  );
  expect(of("DS_RANK(DECODE_BASE64_COMPLEX('quantilesDoublesSketch', 'AAAA'), 1)")).toBe(
    'A quantiles sketch has at least [8] bytes, not [3]',
  );
});

test('a size with a fraction is cut off to a whole number, where a sketch is made', async () => {
  const answer = await answering();
  const one = async (call: string) => (await answer(`SELECT ${call} FROM edits`))[0];
  expect(await one('DS_HLL(author, 12.5)')).toEqual(await one('DS_HLL(author, 12)'));
  expect(await one('DS_THETA(author, 1.024e3)')).toEqual(await one('DS_THETA(author, 1024)'));
  expect(await one('DS_QUANTILES_SKETCH(added, 128.9)')).toEqual(
    await one('DS_QUANTILES_SKETCH(added, 128)'),
  );
  expect(await one('APPROX_QUANTILE_DS(added, 0.5, 128.5)')).toEqual(
    await one('APPROX_QUANTILE_DS(added, 0.5, 128)'),
  );
  expect(await one('DS_TUPLE_DOUBLES(author, added, 16.5)')).toEqual(
    await one('DS_TUPLE_DOUBLES(author, added, 16)'),
  );
  expect(await one('BLOOM_FILTER(author, 100.5)')).toEqual(await one('BLOOM_FILTER(author, 100)'));
  expect(refusal('SELECT APPROX_COUNT_DISTINCT_DS_HLL(author, 12.5) FROM edits')).toContain(
    'Cannot apply',
  );
});

test('settings that no sketch has are refused', () => {
  expect(refusal('SELECT DS_THETA(author, 17) FROM edits')).toBe(
    'The value of the int argument "size" must be a positive integer-power of 2 and greater than 0: 17',
  );
  expect(refusal('SELECT DS_THETA(author, 1073741824) FROM edits')).toBe(
    'The size of a theta sketch must be at most [67108864], not [1073741824]',
  );
  expect(refusal('SELECT DS_HLL(author, 30) FROM edits')).toBe(
    'Log K must be between 4 and 21, inclusive: 30',
  );
  expect(refusal("SELECT DS_HLL(author, 12, 'HLL_9') FROM edits")).toBe(
    'No HLL sketch has the type [HLL_9]; use HLL_4, HLL_6 or HLL_8',
  );
});

test('the outlier mode and the resolution of quantiles of histograms have their effect', async () => {
  const answer = await answering();
  const clipped = (mode: string) => `APPROX_QUANTILE_FIXED_BUCKETS(v, 0.5, 10, 0, 10${mode})`;
  const statement = over(
    '(1), (2), (50), (60), (70)',
    `${clipped('')}, ${clipped(", 'IGNORE'")}, ${clipped(", 'clip'")}, APPROX_QUANTILE(v, 0.5, 2)`,
  );
  const [[byDefault, ignored, clip, ofTwoBins] = []] = await answer(statement);
  expect([byDefault, ignored]).toEqual([2, 2]); // of 1 and 2 only
  expect(Number(clip)).toBeCloseTo(9 + 0.5 / 3, 5);
  expect(ofTwoBins).not.toEqual(
    (await answer(over('(1), (2), (50), (60), (70)', 'APPROX_QUANTILE(v, 0.5)')))[0]?.[0],
  );
});

test('settings that no histogram has are refused', () => {
  const of = (call: string) => refusal(`SELECT ${call} FROM edits`);
  expect(of('APPROX_QUANTILE(added, 0.5, 0)')).toMatch(
    'The resolution of APPROX_QUANTILE must be from 1 to 10000, not [0]',
  );
  expect(of('APPROX_QUANTILE(added, 0.5, 10001)')).toMatch('must be from 1 to 10000, not [10001]');
  expect(of('APPROX_QUANTILE_FIXED_BUCKETS(added, 0.5, 0, 1, 2)')).toMatch(
    'numBuckets must be > 0 and < 2147483648, got [0] instead.',
  );
  expect(of('APPROX_QUANTILE_FIXED_BUCKETS(added, 0.5, 1, 5, 5)')).toMatch(
    'Upper limit [5] must be greater than lower limit [5].',
  );
  expect(of("APPROX_QUANTILE_FIXED_BUCKETS(added, 0.5, 1, 0, 5, 'drop')")).toMatch(
    'The outlier mode must be one of [ignore, overflow, clip], not [drop]',
  );
  expect(of("DS_QUANTILES_SKETCH(added, 'x')")).toMatch('DS_QUANTILES_SKETCH(<column>, [<k>])');
  expect(of("APPROX_QUANTILE_DS(added, 0.5, 'x')")).toMatch(
    'APPROX_QUANTILE_DS(<column>, <probability>, [<k>])',
  );
});

test('a million different values are estimated, and sketches of parts of them are merged to the sketch of all', async () => {
  const answer = await answering();
  const thousand = (from: string) =>
    `(VALUES ${Array.from({ length: 1000 }, (_, at) => `(${at})`).join(', ')}) AS ${from}`;
  const values = `SELECT a.x AS part, a.x * 1000 + b.y AS v FROM ${thousand('a(x)')}, ${thousand('b(y)')}`;
  const [[hll, theta] = []] = await answer(
    `SELECT APPROX_COUNT_DISTINCT_DS_HLL(v), APPROX_COUNT_DISTINCT_DS_THETA(v) FROM (${values})`,
  );
  expect(Number(hll) / 1e6).toBeCloseTo(1, 1);
  expect(Number(theta) / 1e6).toBeCloseTo(1, 1);
  const quantiles = `SELECT part, DS_QUANTILES_SKETCH(v) AS s FROM (${values}) GROUP BY part`;
  const [medians = []] = await answer(
    `SELECT APPROX_QUANTILE_DS(s, 0.5), (SELECT APPROX_QUANTILE_DS(v, 0.5) FROM (${values})) FROM (${quantiles})`,
  );
  for (const median of medians) expect(Math.abs(Number(median) / 1e6 - 0.5)).toBeLessThan(0.0141);
  const parts = `SELECT part, DS_THETA(v) AS s FROM (${values}) GROUP BY part`;
  expect(await answer(`SELECT APPROX_COUNT_DISTINCT_DS_THETA(s) FROM (${parts})`)).toEqual([
    [theta],
  ]);
}, 60_000);

test('quantiles of many values are within the error of the sketch, beside infinite values too', async () => {
  const answer = await answering();
  const hundred = (from: string) =>
    `(VALUES ${Array.from({ length: 100 }, (_, at) => `(${at})`).join(', ')}) AS ${from}`;
  const values = `SELECT a.x * 100 + b.y AS v FROM ${hundred('a(x)')}, ${hundred('b(y)')}`;
  const [[low, middle, high, few, none] = []] = await answer(
    `SELECT APPROX_QUANTILE_DS(v, 0.1), APPROX_QUANTILE_DS(v / 2.0, 0.5), APPROX_QUANTILE_DS(CASE WHEN v < 1000 THEN POWER(10 + v, 400) ELSE v END, 0.95),
       APPROX_QUANTILE_DS(v, 0.5) FILTER (WHERE v < 5), APPROX_QUANTILE_DS(v, 0.5) FILTER (WHERE v < 0)
     FROM (${values})`,
  );
  expect(Number.isInteger(low)).toBe(true);
  expect(Math.abs(Number(low) / 1e4 - 0.1)).toBeLessThan(0.0172);
  expect(Math.abs(Number(middle) / 5e3 - 0.5)).toBeLessThan(0.0172);
  expect([high, few, none]).toEqual([Number.POSITIVE_INFINITY, 2, Number.NaN]);
});

test('a quantile is exact where the values of the table fit into memory, and only there', async () => {
  const answer = await answering();
  const catalog: Catalog = {
    findLookup: () => undefined,
    findTable: () => ({
      schema: 'druid',
      name: 'numbers',
      kind: 'datasource',
      columns: [{ name: 'v', type: 'DOUBLE', multiValue: false, tableRows: 40_000 }],
      scan: () => ({
        sql: "(SELECT CASE WHEN i = 0 THEN 'nan'::DOUBLE WHEN i < 20300 THEN 0.25 WHEN i < 39000 THEN 7.5 ELSE 'infinity'::DOUBLE END AS v FROM range(40000) r(i))",
        files: [],
      }),
    }),
  };
  const half = 'APPROX_QUANTILE_DS(v, 0.5)';
  const given = { catalog, mostKeptValues: 120_000 };
  const other = 'APPROX_QUANTILE_DS(v, 0.51), APPROX_QUANTILE_DS(v, 0.99, 1024)';
  expect(await answer(`SELECT ${half}, ${other} FROM numbers`, given)).toEqual([
    [0.25, 7.5, Number.POSITIVE_INFINITY],
  ]);
  expect(await answer(`SELECT ${half} FILTER (WHERE v < 0) FROM numbers`, given)).toEqual([
    [Number.NaN],
  ]);

  const planned = (sql: string, mostKeptValues = 120_000) => {
    const { keptValues, duckdb } = query(sql, { catalog, mostKeptValues });
    return { keptValues, isDigest: duckdb.includes('approx_quantile') };
  };
  expect(planned(`SELECT ${half} FROM numbers`)).toEqual({ keptValues: 40_000, isDigest: false });
  expect(planned(`SELECT ${half}, APPROX_QUANTILE_DS(v, 0.6) FROM numbers`, 50_000)).toEqual({
    keptValues: 40_000,
    isDigest: true,
  });
  const twice = "TABLE(APPEND('numbers', 'numbers'))";
  expect(planned(`SELECT ${half} FROM ${twice}`)).toEqual({ keptValues: 80_000, isDigest: false });
  // The number of rows is not that of a table
  for (const statement of [
    `SELECT ${half} FROM numbers GROUP BY GROUPING SETS ((v), ())`,
    `SELECT ${half} FROM (SELECT v FROM numbers UNION ALL SELECT v FROM numbers)`,
    'SELECT APPROX_QUANTILE_DS(a.v, 0.5) FROM numbers AS a JOIN numbers AS b ON a.v = b.v',
    'SELECT (SELECT APPROX_QUANTILE_DS(b.v, 0.5) FROM numbers AS b WHERE b.v = a.v) FROM numbers AS a',
  ])
    expect(planned(statement)).toEqual({ keptValues: 0, isDigest: true });
});

test('the HLL sketch of a large table is that of the union of its parts, and theta hashes each integer once', async () => {
  const answer = await answering();
  const catalog = (tableRows: number): Catalog => ({
    findLookup: () => undefined,
    findTable: () => ({
      schema: 'druid',
      name: 'numbers',
      kind: 'datasource',
      columns: [
        { name: 'v', type: 'LONG', multiValue: false, tableRows },
        { name: 't', type: 'STRING', multiValue: false, tableRows },
      ],
      scan: () => ({
        sql: "(SELECT CASE WHEN i % 10 = 0 THEN NULL ELSE i % 70000 END::BIGINT AS v, 'x' || v AS t FROM range(300000) r(i))",
        files: [],
      }),
    }),
  });
  const estimates = (column: string, given: Partial<TranslateOptions>) =>
    answer(
      `SELECT HLL_SKETCH_ESTIMATE(DS_HLL(${column})), THETA_SKETCH_ESTIMATE(DS_THETA(${column})) FROM numbers`,
      given,
    );
  for (const column of ['v', 't']) {
    const [[hll, theta] = []] = await estimates(column, { catalog: catalog(5_000_000) });
    const union = `SELECT HLL_SKETCH_ESTIMATE(HLL_SKETCH_UNION(DS_HLL(${column}) FILTER (WHERE v < 30000), DS_HLL(${column}) FILTER (WHERE v >= 30000))), THETA_SKETCH_ESTIMATE(DS_THETA(${column === 'v' ? 'v + 0' : "t || ''"})) FROM numbers`;
    expect(await answer(union, { catalog: catalog(300_000) })).toEqual([[hll, theta]]);
    const [[inOrder] = []] = await estimates(column, { catalog: catalog(300_000) });
    expect(inOrder).not.toBe(hll);
    for (const estimate of [hll, theta, inOrder])
      expect(Math.abs(Number(estimate) / 63_000 - 1)).toBeLessThan(0.04);
  }
});

test('the empty text counts where no node sends the sketch to the Broker', async () => {
  const answer = await answering();
  const distinct = 'COUNT(DISTINCT x) AS n';
  const shortened = "SELECT REPLACE(page, 'Bern', '') AS x FROM edits";
  expect(await answer(`SELECT ${distinct} FROM (${shortened})`)).toEqual([[1]]);
  expect(await answer(`SELECT ${distinct} FROM (${shortened} LIMIT 9)`)).toEqual([[2]]);
  expect(await answer(`SELECT ${distinct} FROM (${shortened} GROUP BY 1)`)).toEqual([[2]]);
  expect(await answer(`SELECT ${distinct} FROM (VALUES (''), ('a')) AS t (x)`)).toEqual([[2]]);
  const over = `SELECT APPROX_COUNT_DISTINCT(x) OVER () FROM (${shortened})`;
  expect(await answer(over)).toEqual([[2], [2], [2], [2]]);
});

test('the empty text is a distinct value of a group only where the Broker merges grouping sets', async () => {
  const answer = await answering();
  const counted = (groups: string) =>
    answer(
      `SELECT COUNT(DISTINCT p) FROM (SELECT REPLACE(page, 'Bern', '') AS p, author FROM edits) WHERE p = '' GROUP BY ${groups}`,
    );
  expect(await counted('author')).toEqual([[0]]);
  expect(await counted('GROUPING SETS ((author))')).toEqual([[0]]);
  expect(await counted('ROLLUP (author)')).toEqual([[1], [1]]);
});
