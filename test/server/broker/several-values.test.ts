// Native queries over stored rows of several values, and over several segments; the answers are
// those of a real cluster of version 33.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { loadVisits } from '../../support/visits.ts';
import { api } from '../../support/wire.ts';

let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0 });
  const { post, ended } = api(service);
  const rows = [
    { t: '2024-01-01T00:00:00Z', id: 1, tags: null, f: 0.1, d: 1, j: { a: 1 } },
    { t: '2024-01-01T00:00:00Z', id: 2, tags: ['a'], f: 0.2, d: null },
    { t: '2024-01-02T00:00:00Z', id: 3, tags: ['b', 'a'], other: 'b', f: 3.3, d: 2, j: 'x' },
    { t: '2024-01-02T00:00:00Z', id: 4, tags: [''], other: '', f: -7.7, d: null },
  ];
  const { body } = await post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'several',
        timestampSpec: { column: 't', format: 'iso' },
        dimensionsSpec: {
          dimensions: [
            { type: 'long', name: 'id' },
            'tags',
            'other',
            { type: 'float', name: 'f' },
            { type: 'double', name: 'd' },
            { type: 'json', name: 'j' },
          ],
        },
        granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'NONE', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: rows.map((row) => JSON.stringify(row)).join('\n') },
        inputFormat: { type: 'json' },
      },
    },
  });
  expect(await ended(body.task)).toMatchObject({ statusCode: 'SUCCESS' });
});
afterAll(() => service.close());

type Query = Readonly<Record<string, unknown>>;

const ask = async (query: Query) => {
  const { body } = await api(service).post('/svc/v2/', {
    dataSource: 'several',
    intervals: ['2024/2025'],
    granularity: 'all',
    queryType: 'timeseries',
    ...query,
  });
  return body;
};
const ids = async (filter: Query): Promise<readonly number[]> => {
  const dimension = { type: 'default', dimension: 'id', outputName: 'id', outputType: 'LONG' };
  const groups: { event: { id: number } }[] = await ask({
    queryType: 'groupBy',
    dimensions: [dimension],
    filter,
  });
  return groups.map(({ event }) => event.id);
};

const range = { type: 'range', column: 'tags', matchValueType: 'STRING', lower: 'b' };
const bound = { type: 'bound', dimension: 'tags', lower: 'b' };
const not = (field: Query) => ({ type: 'not', field });
const both = (...fields: Query[]) => ({ type: 'and', fields });
const tag = (value: string | null) => ({ type: 'selector', dimension: 'tags', value });
const upTo = { type: 'range', column: 'tags', matchValueType: 'STRING', upper: 'a' };

test.each([
  ['a range holds if one of the values is in it', range, [3]],
  ['its opposite if none is', not(range), [2, 4]],
  ['and the opposite of that again if one is', not(not(range)), [3]],
  ['as with a bound', not(bound), [2, 4]],
  ['and with a list of conditions', not({ type: 'or', fields: [range, bound] }), [2, 4]],
  ['each of several filters holds by itself', both(tag('a'), tag('b')), [3]],
  ['also the opposite of one', both(tag('a'), not(tag('b'))), [2]],
  ['also ranges without a common value', both(range, upTo), [3]],
  ['and the opposite of both, if there is a value', not(both(tag('a'), tag('b'))), [2, 4]],
  [
    'columns without a value are equal',
    { type: 'columnComparison', dimensions: ['tags', 'other'] },
    [1, 3, 4],
  ],
  ['also if one does not exist', { type: 'columnComparison', dimensions: ['tags', 'nope'] }, [1]],
])('several values in a filter: %s', async (_, filter, expected) => {
  expect(await ids(filter)).toEqual(expected);
});

test('floats of several segments are merged as doubles, those of one are floats', async () => {
  const aggregations = [
    { type: 'floatMin', name: 'least', fieldName: 'f' },
    { type: 'floatFirst', name: 'first', fieldName: 'f' },
  ];
  expect(await ask({ aggregations })).toMatchObject([
    { result: { least: -7.699999809265137, first: 0.1 } },
  ]);
  expect(await ask({ aggregations, granularity: 'day' })).toMatchObject([
    { result: { least: 0.1, first: 0.1 } },
    { result: { least: -7.7, first: 3.3 } },
  ]);
  const topN = { queryType: 'topN', dimension: 'nope', metric: 'least', threshold: 1 };
  expect(await ask({ ...topN, aggregations })).toMatchObject([
    { result: [{ nope: null, least: -7.699999809265137, first: 0.1 }] },
  ]);
});

test('of rows with the same time, the first aggregator takes the first and the last one the last', async () => {
  const aggregations = [
    { type: 'longFirst', name: 'first', fieldName: 'id' },
    { type: 'longLast', name: 'last', fieldName: 'id' },
    { type: 'stringLast', name: 'text', fieldName: 'id' },
  ];
  const day = { result: { first: 1, last: 2, text: '2' } };
  expect(await ask({ aggregations, granularity: 'day' })).toMatchObject([
    day,
    { result: { first: 3, last: 4, text: '4' } },
  ]);
  const filter = { type: 'range', column: 'd', matchValueType: 'LONG', lower: 1 };
  const groups = { queryType: 'groupBy', dimensions: ['f'], filter };
  expect(await ask({ ...groups, aggregations })).toMatchObject([
    { event: { first: 1, last: 1 } },
    { event: { first: 3, last: 3 } },
  ]);
});

test('a tuple sketch leaves out rows without a number, and complex values are no keys', async () => {
  const sketch = (fieldName: string) => ({
    aggregations: [{ type: 'arrayOfDoublesSketch', name: 'x', fieldName, metricColumns: ['d'] }],
  });
  expect(await ask(sketch('id'))).toMatchObject([{ result: { x: 2 } }]);
  expect(await ask(sketch('j'))).toMatchObject([{ result: { x: 0 } }]);
});

test('an aggregator of sketches or of first values reads no expression', async () => {
  for (const type of ['longFirst', 'stringAny', 'thetaSketch', 'doubleMean', 'KllDoublesSketch'])
    expect(
      await ask({ aggregations: [{ type, name: 'x', expression: 'id + 1' }] }),
      type,
    ).toMatchObject({
      error: 'Unknown exception',
      errorMessage: expect.stringMatching(/fieldName/),
    });
});

test('groups: directions, limits, and having specs without a value', async () => {
  const groups = async (query: Query): Promise<readonly unknown[]> => {
    const body = await ask({ queryType: 'groupBy', dimensions: ['id'], ...query });
    return Array.isArray(body) ? body.map(({ event }) => event.id) : body.errorMessage;
  };
  const ordered = (direction: string, limit = 1) =>
    groups({ limitSpec: { type: 'default', limit, columns: [{ dimension: 'id', direction }] } });
  expect(await ordered('d')).toEqual(['4']);
  expect(await ordered('ASC')).toEqual(['1']);
  expect(await ordered('')).toMatch('Ambiguous directions');
  expect(await ordered('down')).toEqual(['1']);
  expect(await ordered('d', 1e12)).toMatch('out of range of int');
  expect(await groups({ having: { type: 'greaterThan', aggregation: 'id' } })).toEqual([]);
  expect(await groups({ having: { type: 'and' } })).toHaveLength(4);
});

test('an unknown zone of a granularity is GMT', async () => {
  const granularity = { type: 'period', period: 'P1D', timeZone: 'Mars' };
  expect(await ask({ granularity })).toMatchObject([
    { timestamp: '2024-01-01T00:00:00.000Z' },
    { timestamp: '2024-01-02T00:00:00.000Z' },
  ]);
});

test('a scan shows an array that is declared as a text as a text', async () => {
  const virtualColumns = [
    { type: 'expression', name: 'v', expression: "array_append(tags, 'q')", outputType: 'STRING' },
  ];
  const [{ rowSignature }] = await ask({
    queryType: 'scan',
    columns: ['v'],
    virtualColumns,
    limit: 1,
  });
  expect(rowSignature).toEqual([{ name: 'v', type: 'STRING' }]);
});

test('a scan shows the numbers that a virtual column makes of several values', async () => {
  const found = await ask({
    queryType: 'scan',
    columns: ['v'],
    filter: { type: 'range', column: 'id', matchValueType: 'LONG', lower: 2 },
    virtualColumns: [
      {
        type: 'expression',
        name: 'v',
        expression: "cast(replace(tags, 'a', '1.5'), 'DOUBLE')",
        outputType: 'DOUBLE',
      },
    ],
    resultFormat: 'compactedList',
  });
  expect(found.flatMap(({ events }: { events: unknown[] }) => events)).toEqual([
    [1.5],
    [[1.5, null]],
    [null],
  ]);
});

test('data sources: unions with arrays, absent lookups, joins where nulls are equal', async () => {
  const scan = { queryType: 'scan', columns: ['tags'], resultFormat: 'compactedList' };
  const union = { type: 'union', dataSources: ['several', 'nope'] };
  expect(await ask({ ...scan, dataSource: union })).toHaveLength(2);
  const lookup = { type: 'lookup', lookup: 'nope' };
  expect(await ask({ ...scan, dataSource: lookup })).toEqual([]);
  expect(
    await ask({ dataSource: lookup, aggregations: [{ type: 'count', name: 'n' }] }),
  ).toMatchObject([{ result: { n: 0 } }]);
  expect(await ask({ ...scan, dataSource: { type: 'union', dataSources: [] } })).toMatchObject({
    errorMessage: expect.stringContaining('non-empty'),
  });
  const right = {
    type: 'inline',
    columnNames: ['k', 'v'],
    columnTypes: ['STRING', 'LONG'],
    rows: [
      ['b', 1],
      [null, 2],
    ],
  };
  const condition = 'notdistinctfrom(other, "r.k")';
  const join = { type: 'join', left: 'several', right, rightPrefix: 'r.', condition };
  expect(
    await ask({
      dataSource: { ...join, joinType: 'INNER' },
      aggregations: [{ type: 'longSum', name: 's', fieldName: 'r.v' }],
    }),
  ).toMatchObject([{ result: { s: 5 } }]);
  expect(
    await ask({ ...scan, dataSource: { type: 'union', dataSources: ['several', 'several'] } }),
  ).toHaveLength(4);
});

test('a format that fills too much is a refusal, also while the query is planned', async () => {
  const extractionFn = { type: 'stringFormat', format: '%2000000000s' };
  const dimension = { type: 'extraction', dimension: 'other', outputName: 'x', extractionFn };
  expect(await ask({ queryType: 'groupBy', dimensions: [dimension] })).toMatchObject({
    error: 'Resource limit exceeded',
  });
});

test('a scan with a batch of 0 rows has batches of the usual size', async () => {
  expect(await ask({ queryType: 'scan', columns: ['id'], batchSize: 0 })).toHaveLength(2);
});

test('buckets of a calendar over filtered and unnested rows are those of the rows', async () => {
  const counted = (dataSource: Query) =>
    ask({
      dataSource,
      granularity: 'day',
      aggregations: [{ type: 'count', name: 'n' }],
      context: { skipEmptyBuckets: true },
    });
  const filter = { type: 'in', dimension: 'id', values: ['1', '3', '4'] };
  expect(await counted({ type: 'filter', base: 'several', filter })).toEqual([
    { timestamp: '2024-01-01T00:00:00.000Z', result: { n: 1 } },
    { timestamp: '2024-01-02T00:00:00.000Z', result: { n: 2 } },
  ]);
  const virtualColumn = { type: 'expression', name: 'tag', expression: 'tags' };
  expect(await counted({ type: 'unnest', base: 'several', virtualColumn })).toEqual([
    { timestamp: '2024-01-01T00:00:00.000Z', result: { n: 2 } },
    { timestamp: '2024-01-02T00:00:00.000Z', result: { n: 3 } },
  ]);
});

test('segments without matching rows do not decide the time of the only bucket', async () => {
  const timeOf = async (filter: Query, context: Query) =>
    (await ask({ filter, context, aggregations: [{ type: 'count', name: 'n' }] })).map(
      ({ timestamp }: { timestamp: string }) => timestamp.slice(0, 10),
    );
  const selector = (value: string) => ({ type: 'selector', dimension: 'id', value });
  expect(await timeOf(selector('3'), {})).toEqual(['2024-01-01']);
  expect(await timeOf(selector('3'), { skipEmptyBuckets: true })).toEqual(['2024-01-02']);
  expect(await timeOf(selector('1'), { skipEmptyBuckets: true })).toEqual(['2024-01-01']);
  expect(await timeOf(selector('9'), { skipEmptyBuckets: true })).toEqual([]);
});

test('an interval of texts compares numbers: other texts are outside, and null is, too', async () => {
  const interval = { type: 'interval', dimension: 'other', intervals: ['1970/2000'] };
  expect(await ids(interval)).toEqual([]);
  expect(await ids({ type: 'not', field: interval })).toEqual([1, 2, 3, 4]);
});

test('one of several values lies between both limits of numbers', async () => {
  const expression = "replace(replace(tags, 'a', '-5'), 'b', '5')";
  const counted = (upper: string) =>
    ask({
      virtualColumns: [{ type: 'expression', name: 'v', expression, outputType: 'STRING' }],
      filter: { type: 'bound', dimension: 'v', lower: '0', upper, ordering: 'numeric' },
      aggregations: [{ type: 'count', name: 'c' }],
    });
  expect(await counted('6')).toMatchObject([{ result: { c: 1 } }]);
  expect(await counted('1')).toMatchObject([{ result: { c: 0 } }]);
});

test('another name of a column that is unnested has the type of the column', async () => {
  const unnested = (expression: string, outputType: string) =>
    ask({
      queryType: 'scan',
      dataSource: {
        type: 'unnest',
        base: 'several',
        virtualColumn: { type: 'expression', name: 'v', expression, outputType },
      },
      columns: ['v'],
      resultFormat: 'compactedList',
    });
  const valuesOf = (segments: readonly { events: unknown[][] }[]) =>
    segments.flatMap(({ events }) => events.flat());
  expect(valuesOf(await unnested('tags', 'STRING'))).toEqual([null, 'a', 'a', 'b', '']);
  expect(valuesOf(await unnested('tags', 'LONG'))).toEqual(['a', 'a', 'b', '']); // as computed
});

test('a search row by row leaves out what a filtered dimension leaves out', async () => {
  const hits = async (filter: Query | undefined) => {
    const [{ result }] = await ask({
      queryType: 'search',
      ...(filter && { filter }),
      searchDimensions: [{ type: 'listFiltered', delegate: 'other', values: ['x'] }],
      query: { type: 'contains', value: 'b' },
    });
    return result.length;
  };
  expect(await hits(undefined)).toBe(1); // dictionaries have all values
  expect(await hits({ type: 'selector', dimension: 'id', value: '3' })).toBe(0);
});

test('theta sketches as texts name their class, and a constant is a sketch', async () => {
  const field = (fieldName: string) => ({ type: 'fieldAccess', fieldName });
  const text = (name: string, of: Query) => ({ type: 'thetaSketchToString', name, field: of });
  const theta = (name: string, value: string) => ({
    type: 'filtered',
    filter: { type: 'in', dimension: 'tags', values: [value] },
    aggregator: { type: 'thetaSketch', name, fieldName: 'id' },
  });
  const constant = {
    type: 'thetaSketchConstant',
    name: 'two',
    value: 'AgMDAAAazJMCAAAAAACAP9zbzAbuWPgXP6Rrj7/jFz8=',
  };
  const both = {
    type: 'thetaSketchSetOp',
    name: 'x',
    func: 'UNION',
    fields: [field('a'), field('b')],
  };
  const [{ result }] = await ask({
    aggregations: [theta('a', 'a'), theta('b', 'b'), theta('none', 'nope')],
    postAggregations: [
      text('ofTwo', field('a')),
      text('ofOne', field('b')),
      text('ofNone', field('none')),
      text('computed', both),
      constant,
      { type: 'thetaSketchEstimate', name: 'estimate', field: constant },
    ],
  });
  expect(result.ofTwo).toBe(`
### DirectCompactSketch SUMMARY: 
   Estimate                : 2.0
   Upper Bound, 95% conf   : 2.0
   Lower Bound, 95% conf   : 2.0
   Theta (double)          : 1.0
   Theta (long)            : 9223372036854775807
   Theta (long) hex        : 7fffffffffffffff
   EstMode?                : false
   Empty?                  : false
   Ordered?                : true
   Retained Entries        : 2
   Seed Hash               : 93cc | 37836
### END SKETCH SUMMARY
`);
  expect(result.ofOne).toContain('### SingleItemSketch SUMMARY');
  expect(result.ofNone).toContain('### EmptyCompactSketch SUMMARY');
  expect(result.ofNone).toContain('Seed Hash               : 0 | 0');
  expect(result.computed).toContain('### HeapCompactSketch SUMMARY');
  expect(result).toMatchObject({ two: constant.value, estimate: 2 });
});

test('an empty array equals the arrays without items, and null is unknown', async () => {
  const virtualColumns = [
    { type: 'expression', name: 'v', expression: "string_to_array(other, 'b')" },
  ];
  const counted = async (filter: Query) =>
    (await ask({ virtualColumns, filter, aggregations: [{ type: 'count', name: 'n' }] }))[0].result;
  const empty = { type: 'equals', column: 'v', matchValueType: 'ARRAY<STRING>', matchValue: [] };
  const [isEmpty, isNot] = [await counted(empty), await counted({ type: 'not', field: empty })];
  expect(isEmpty.n + isNot.n).toBe(2); // two rows have no text
});

test('a topN bucket that several segments share shows its time in the zone', async () => {
  const times = async (intervals: readonly string[]) =>
    (
      await ask({
        queryType: 'topN',
        intervals,
        granularity: { type: 'period', period: 'P1M', timeZone: 'Asia/Kolkata' },
        dimension: 'id',
        metric: 'n',
        threshold: 1,
        aggregations: [{ type: 'count', name: 'n' }],
      })
    ).map(({ timestamp }: { timestamp: string }) => timestamp);
  expect(await times(['2024-01-01/2024-01-03'])).toEqual(['2024-01-01T00:00:00.000+05:30']);
  expect(await times(['2024-01-02/2024-01-03'])).toEqual(['2023-12-31T18:30:00.000Z']);
});

test('rows with several computed numbers have no number to add up', async () => {
  const { post } = api(service);
  const { body } = await post('/svc/v2', {
    queryType: 'timeseries',
    dataSource: 'several',
    intervals: '2024/2025',
    granularity: 'all',
    virtualColumns: [{ type: 'expression', name: 'v', expression: 'strlen(tags)' }],
    aggregations: [
      { type: 'longSum', name: 'a', fieldName: 'v' },
      { type: 'doubleMax', name: 'b', fieldName: 'v' },
    ],
  });
  expect(body[0].result).toEqual({ a: 1, b: 1 });
});

test('a bound is false, not unknown, in a segment where a text has no values', async () => {
  const ofOther = { ...bound, dimension: 'other' };
  expect(await ids(ofOther)).toEqual([3]);
  expect(await ids(not(ofOther))).toEqual([1, 2, 4]);
  expect(await ids(not(both(ofOther, tag('a'))))).toEqual([1, 2, 4]);
  const scanned = { queryType: 'scan', columns: ['id'], resultFormat: 'compactedList' };
  const batches: readonly { events: unknown[] }[] = await ask({ ...scanned, filter: not(ofOther) });
  expect(batches.flatMap(({ events }) => events)).toEqual([[1], [2], [4]]);
  const aggregator = { type: 'count', name: 'n' };
  const aggregations = [{ type: 'filtered', filter: not(ofOther), aggregator }];
  expect(await ask({ aggregations })).toMatchObject([{ result: { n: 3 } }]);
  expect(await ids(not({ ...ofOther, lower: null, upper: 'a' }))).toEqual([3]);
});

test('a search reads each segment by itself', async () => {
  const hits = async (query: Query) => {
    const results: readonly { result: readonly Query[] }[] = await ask({
      queryType: 'search',
      query: { type: 'all' },
      ...query,
    });
    return results.map(({ result }) =>
      result.map(({ dimension, value, count }) => `${dimension} ${value} ${count}`),
    );
  };
  // A text without values is not stored in its segment; a number is.
  const byRow = { type: 'range', column: 'id', matchValueType: 'LONG', lower: 0 };
  expect(await hits({ searchDimensions: ['other', 'd'] })).toEqual([
    ['d null 2', 'other  1', 'd 1.0 1', 'd 2.0 1', 'other b 1'],
  ]);
  expect(await hits({ searchDimensions: ['other'], filter: byRow })).toEqual([
    ['other  1', 'other b 1'],
  ]);
  // A limit holds in each segment; buckets have no limit of their own.
  expect(await hits({ searchDimensions: ['tags'], limit: 1 })).toEqual([['tags null 1']]);
  expect(await hits({ searchDimensions: ['tags'], limit: 1, granularity: 'year' })).toEqual([
    ['tags null 1', 'tags  1'],
  ]);
  expect(await hits({ searchDimensions: ['d', 'id'], limit: 3 })).toEqual([
    ['d null 2', 'id 1 1', 'd 1.0 1'],
  ]);
  // The last row is read up to the dimension that reaches the limit, indexed ones after others.
  expect(
    await hits({ searchDimensions: ['tags', 'id'], limit: 2, filter: byRow, granularity: 'day' }),
  ).toEqual([
    ['tags null 1', 'id 1 1'],
    ['id 3 1', 'tags a 1'],
  ]);
  const context = { searchStrategy: 'cursorOnly' };
  expect(
    await hits({ searchDimensions: ['tags', 'id'], limit: 1, context, granularity: 'day' }),
  ).toEqual([['tags null 1'], ['tags a 1']]);
});

test('a search reads the entries of a dictionary before it extracts from them', async () => {
  const [{ result }] = await ask({
    queryType: 'search',
    query: { type: 'all' },
    searchDimensions: [{ type: 'extraction', dimension: 'tags', extractionFn: { type: 'strlen' } }],
  });
  expect(result).toEqual([
    { dimension: 'tags', value: null, count: 1 },
    { dimension: 'tags', value: '0', count: 1 },
    { dimension: 'tags', value: '1', count: 3 },
  ]);
});

test('without vectors, the first, last and any number of a stored text is 0', async () => {
  const aggregations = ['longFirst', 'doubleLast', 'floatAny'].map((type) => ({
    type,
    fieldName: 'other',
    name: type,
  }));
  const numbers = async (query: Query) => {
    const results: readonly { result: Query }[] = await ask({ granularity: 'day', ...query });
    return results.map(({ result }) => result);
  };
  const none = { longFirst: null, doubleLast: null, floatAny: null };
  const zero = { longFirst: 0, doubleLast: 0, floatAny: 0 };
  expect(await numbers({ aggregations })).toEqual([none, none]);
  expect(await numbers({ aggregations, context: { vectorize: false } })).toEqual([none, zero]);
  expect(await numbers({ aggregations, descending: true })).toEqual([zero, none]);
  const computed = await numbers({
    aggregations: [{ type: 'doubleAny', fieldName: 'v', name: 'v' }],
    virtualColumns: [{ type: 'expression', name: 'v', expression: "concat(id, '7')" }],
    context: { vectorize: false },
  });
  expect(computed).toEqual([{ v: 17 }, { v: 37 }]);
});

test('a scan of a union shows the columns of each datasource', async () => {
  await loadVisits(service);
  const dataSource = { type: 'union', dataSources: ['several', 'visits'] };
  const scanned = async (query: Query) => {
    const found: readonly { segmentId: string; columns: string[]; rowSignature: Query[] }[] =
      await ask({ queryType: 'scan', dataSource, intervals: ['2020/2025'], ...query });
    return found
      .filter(({ segmentId }) => /^(several_2024|visits_2020)-01-02/.test(segmentId))
      .map(({ columns, rowSignature }) => [
        columns.join(),
        rowSignature.map(({ type }) => type ?? '-').join(),
      ]);
  };
  expect(await scanned({})).toEqual([
    ['__time,id,tags,other,f,d,j', 'LONG,LONG,STRING,STRING,FLOAT,DOUBLE,COMPLEX<json>'],
    [
      '__time,city,tags,n,x,f,arr,doc',
      'LONG,STRING,STRING,LONG,DOUBLE,FLOAT,ARRAY<STRING>,COMPLEX<json>',
    ],
  ]);
  // A column that a query names has no type where it does not exist.
  expect(await scanned({ columns: ['city', 'id', 'j', 'doc'] })).toEqual([
    ['city,id,j,doc', '-,LONG,COMPLEX<json>,-'],
    ['city,id,j,doc', 'STRING,-,-,COMPLEX<json>'],
  ]);
});

test('rows in the order of time show their segments, even if these overlap', async () => {
  const dataSource = { type: 'union', dataSources: ['several', 'several'] };
  const scanned = async (query: Query) => {
    const found: readonly { segmentId: string | null; events: [number][] }[] = await ask({
      queryType: 'scan',
      dataSource,
      columns: ['__time', 'id'],
      resultFormat: 'compactedList',
      order: 'descending',
      ...query,
    });
    return found.map(({ segmentId, events }) => [
      segmentId?.slice('several_'.length, 'several_2024-01-01'.length),
      events.map(([time]) => new Date(time).getUTCDate()),
    ]);
  };
  const [day1, day2] = [Array(4).fill(['2024-01-01', [1]]), Array(4).fill(['2024-01-02', [2]])];
  expect(await scanned({})).toEqual([...day2, ...day1]);
  expect(await scanned({ limit: 3 })).toEqual([[undefined, [2, 2, 2]]]);
});

test('a search shows the time of merged segments in the zone of the query', async () => {
  const times = async (period: string) => {
    const granularity = { type: 'period', period, timeZone: 'Europe/Paris' };
    const query = { queryType: 'search', searchDimensions: ['id'], granularity };
    return (await ask(query)).map(({ timestamp }: Query) => timestamp);
  };
  expect(await times('P1M')).toEqual(['2024-01-01T00:00:00.000+01:00']);
  expect(await times('P1D')).toEqual(['2024-01-01T00:00:00.000Z', '2024-01-02T00:00:00.000Z']);
});

test('subtotals without dimensions have a row if there are segments', async () => {
  const groups = (query: Query) =>
    ask({
      queryType: 'groupBy',
      subtotalsSpec: [[]],
      aggregations: [{ type: 'count', name: 'rows' }],
      ...query,
    });
  expect(await groups({ filter: { type: 'false' } })).toMatchObject([{ event: { rows: 0 } }]);
  expect(await groups({ intervals: [] })).toEqual([]);
});

test('the null of a text comes last in both directions of a topN', async () => {
  const aggregations = [{ type: 'stringAny', fieldName: 'other', name: 'any' }];
  const top = async (metric: unknown) => {
    const query = { queryType: 'topN', dimension: 'other', threshold: 9, aggregations, metric };
    const [{ result }] = await ask(query);
    return result.map(({ any }: Query) => any);
  };
  expect(await top('any')).toEqual(['b', '', null]);
  expect(await top({ type: 'inverted', metric: 'any' })).toEqual(['', 'b', null]);
});

test('the total of no buckets is null, but 0 for an estimate', async () => {
  const aggregations = [
    { type: 'cardinality', name: 'values', fields: ['tags'] },
    { type: 'HLLSketchBuild', name: 'sketch', fieldName: 'tags' },
    { type: 'longSum', name: 'sum', fieldName: 'id' },
  ];
  const totals = (context: Query) =>
    ask({ intervals: [], granularity: 'day', aggregations, context });
  expect(await totals({ grandTotal: true })).toEqual([
    { timestamp: null, result: { values: 0, sketch: 0, sum: null } },
  ]);
  expect(await totals({ grandTotal: true, finalize: false })).toEqual([
    { timestamp: null, result: { values: null, sketch: null, sum: null } },
  ]);
});

test('groups take values apart unless the context forbids it', async () => {
  const context = { groupByEnableMultiValueUnnesting: false };
  const sql = async (query: string, given: object = context) =>
    (await api(service).post('/svc/v2/sql', { query, context: given })).body;
  const refusal = 'multi-value dimension [tags]';
  const every = 'SELECT tags, COUNT(*) FROM several GROUP BY 1';
  expect(await sql(every, {})).toHaveLength(4);
  expect(await sql(every)).toMatchObject({ errorMessage: expect.stringContaining(refusal) });
  const single = 'SELECT tags, COUNT(*) AS n FROM several WHERE id <> 3 GROUP BY 1';
  expect(await sql(single)).toEqual([
    { tags: null, n: 1 },
    { tags: '', n: 1 },
    { tags: 'a', n: 1 },
  ]);
  const groupBy = { queryType: 'groupBy', dimensions: ['tags'], context };
  expect(JSON.stringify(await ask(groupBy))).toContain(refusal);
  expect(await ask({ ...groupBy, intervals: ['2024-01-01/P1D'] })).toHaveLength(2);
});
