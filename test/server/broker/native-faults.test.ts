// Faults of native queries as the real engine tells them apart: types of a context, and classes of
// parse errors.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const dataSource = {
  type: 'inline',
  columnNames: ['s', 'n'],
  columnTypes: ['STRING', 'LONG'],
  rows: [['a', 1]],
};
const timeseries = {
  queryType: 'timeseries',
  dataSource,
  intervals: ['2000/2030'],
  granularity: 'all',
  aggregations: [{ type: 'count', name: 'c' }],
};

const groups = { queryType: 'groupBy', dimensions: ['s'] };

const druid = async () => api(await startService({ service: 'druid' }));

test('a parameter of a context has its type, and a text is a condition that may be false', async () => {
  const { post } = await druid();
  const ask = (context: object, query: object = timeseries) =>
    post('/druid/v2', { ...query, context });
  const taken = [{ finalize: 'x' }, { grandTotal: '1' }, { vectorSize: 1.5 }, { timeout: 9000.5 }];
  for (const context of [...taken, { useCache: [] }, { priority: '1' }, { vectorSize: null }])
    expect(await ask(context), JSON.stringify(context)).toMatchObject({ status: 200 });
  const refused: readonly (readonly [object, string])[] = [
    [{ finalize: 1 }, '[finalize] to be a Boolean, but got [java.lang.Integer]'],
    [{ populateCache: {} }, '[populateCache] to be a Boolean, but got [java.util.LinkedHashMap]'],
    [{ vectorSize: true }, '[vectorSize] to be an Integer, but got [java.lang.Boolean]'],
    [{ vectorSize: 'x' }, '[vectorSize] to be in integer format, but got [x]'],
    [{ sqlQueryId: 5 }, '[sqlQueryId] to be a String, but got [java.lang.Integer]'],
    [{ timeout: [] }, '[timeout] to be a Long, but got [java.util.ArrayList]'],
  ];
  for (const [context, message] of refused)
    expect(await ask(context)).toMatchObject({
      status: 400,
      body: {
        error: 'Query context parse failed',
        errorMessage: `Expected key ${message}`,
        errorClass: 'org.apache.druid.query.BadQueryContextException',
      },
    });
  const onServers = { ...timeseries, dataSource: 'none' };
  for (const [context, message] of [
    [{ subQueryId: true }, '[subQueryId] to be a String'],
    [{ maxScatterGatherBytes: '1m' }, '[maxScatterGatherBytes] to be in long format'],
    [{ uncoveredIntervalsLimit: 'x' }, '[uncoveredIntervalsLimit] to be in integer format'],
  ] as const)
    expect(await ask(context, onServers)).toMatchObject({
      status: 400,
      body: { errorMessage: expect.stringContaining(message) },
    });
  const ofServers = { subQueryId: 5, maxQueuedBytes: 'x', uncoveredIntervalsLimit: 'x' };
  expect(await ask(ofServers)).toMatchObject({ status: 200 });
  const scan = { queryType: 'scan', dataSource, intervals: ['2000/2030'] };
  expect(await ask({ maxRowsQueuedForOrdering: 0 }, scan)).toMatchObject({ status: 400 });
  expect(await ask({ priority: [] })).toMatchObject({
    status: 500,
    body: {
      error: 'Unknown exception',
      errorMessage: 'Expected key [priority] to be an Integer, but got [java.util.ArrayList]',
    },
  });
});

const parser = 'com.fasterxml.jackson.databind.exc.';

test.each([
  ['an aggregator of an unknown type', { aggregations: [{ type: 'x' }] }, 'InvalidTypeId'],
  ['a name of a type in place of an aggregator', { aggregations: ['x'] }, 'InvalidTypeId'],
  ['no aggregator', { aggregations: [null] }, 'ValueInstantiation'],
  ['a list of lists', { aggregations: [[]] }, 'MismatchedInput'],
  ['a filter without a type', { filter: {} }, 'InvalidTypeId'],
  ['a granularity that is a number', { granularity: 1 }, 'MismatchedInput'],
  ['a condition that is neither', { descending: 'x' }, 'InvalidFormat'],
  ['a data source of an unknown type', { dataSource: { type: 'x' } }, 'ValueInstantiation'],
  ['no interval', { intervals: undefined }, 'ValueInstantiation'],
  ['a context that is a list', { context: [] }, 'MismatchedInput'],
  ['a context that is a text', { context: 'x' }, 'MismatchedInput'],
  ['a query type that is a number', { queryType: 5 }, 'InvalidTypeId'],
  ['no query type', { queryType: undefined }, 'InvalidTypeId'],
  ['a data source that is a number', { dataSource: 5 }, 'MismatchedInput'],
  ['no data source', { dataSource: null }, 'ValueInstantiation'],
  ['filters that are not a list', { filter: { type: 'and', fields: {} } }, 'MismatchedInput'],
  ['no filters', { filter: { type: 'and' } }, 'ValueInstantiation'],
  [
    'a list in place of the name of a column',
    { filter: { type: 'selector', dimension: ['s'], value: 'a' } },
    'MismatchedInput',
  ],
  ['an interval that is a number', { intervals: [5] }, 'ValueInstantiation'],
  [
    'a granularity without its duration',
    { granularity: { type: 'duration' } },
    'ValueInstantiation',
  ],
  [
    'a duration that is a list',
    { granularity: { type: 'duration', duration: [] } },
    'MismatchedInput',
  ],
  [
    'a duration that is not a number',
    { granularity: { type: 'duration', duration: 'x' } },
    'InvalidFormat',
  ],
  [
    'an origin that is not a time',
    { granularity: { type: 'duration', duration: 1, origin: 'x' } },
    'JsonMapping',
  ],
  [
    'a list in place of a value',
    { filter: { type: 'selector', dimension: 's', value: [] } },
    'MismatchedInput',
  ],
  [
    'a list among texts',
    { filter: { type: 'in', dimension: 's', values: [['a']] } },
    'MismatchedInput',
  ],
  ['the type null of a filter without a column', { filter: { type: null } }, 'ValueInstantiation'],
  [
    'an unknown type to match',
    { filter: { type: 'equals', column: 's', matchValueType: 'x', matchValue: 'a' } },
    'ValueInstantiation',
  ],
  [
    'an ordering that is a number',
    { filter: { type: 'bound', dimension: 's', lower: 'a', ordering: 1 } },
    'MismatchedInput',
  ],
  ['a virtual column without a type', { virtualColumns: [{}] }, 'InvalidTypeId'],
  [
    'a path that starts nowhere',
    { virtualColumns: [{ type: 'nested-field', columnName: 's', outputName: 'v', path: 'x' }] },
    'ValueInstantiation',
  ],
  ['a row that is a text', { dataSource: { ...dataSource, rows: ['x'] } }, 'InvalidDefinition'],
  [
    'a join without a condition',
    { dataSource: { type: 'join', left: 'a', right: 'b' } },
    'ValueInstantiation',
  ],
  [
    'an unknown join',
    {
      dataSource: {
        type: 'join',
        left: 'a',
        right: dataSource,
        rightPrefix: 'r.',
        condition: 's == "r.s"',
        joinType: 'x',
      },
    },
    'InvalidFormat',
  ],
  [
    'a data source whose type is an object',
    { dataSource: { type: {}, name: 'a' } },
    'ValueInstantiation',
  ],
  ['a limit that is a text', { ...groups, limitSpec: 'x' }, 'MismatchedInput'],
  [
    'a direction that is a list',
    {
      ...groups,
      limitSpec: { type: 'default', columns: [{ dimension: 's', direction: [] }] },
    },
    'ValueInstantiation',
  ],
  ['a set of subtotals that is a text', { ...groups, subtotalsSpec: ['s'] }, 'MismatchedInput'],
  [
    'a dimension whose type is a list',
    { ...groups, dimensions: [{ type: [] }] },
    'MismatchedInput',
  ],
  [
    'a metric that is a list',
    { queryType: 'topN', dimension: 's', metric: [], threshold: 1 },
    'ValueInstantiation',
  ],
  [
    'a lookup without a type',
    {
      ...groups,
      dimensions: [{ type: 'lookup', dimension: 's', outputName: 'k', lookup: {} }],
    },
    'InvalidTypeId',
  ],
])('the class of a parse error: %s', async (_, part, name) => {
  const { post } = await druid();
  const packageOf = name === 'JsonMapping' ? parser.replace('exc.', '') : parser;
  expect(await post('/druid/v2', { ...timeseries, ...part })).toMatchObject({
    status: 400,
    body: { error: 'Unknown exception', errorClass: `${packageOf}${name}Exception`, host: null },
  });
});

test('a whole number of any size is a condition', async () => {
  const { post } = await druid();
  const query = { ...timeseries, descending: 2 ** 53 };
  expect(await post('/druid/v2', query)).toMatchObject({ status: 200 });
});
