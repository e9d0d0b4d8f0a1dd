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
])('the class of a parse error: %s', async (_, part, name) => {
  const { post } = await druid();
  expect(await post('/druid/v2', { ...timeseries, ...part })).toMatchObject({
    status: 400,
    body: { error: 'Unknown exception', errorClass: `${parser}${name}Exception`, host: null },
  });
});

test('a whole number of any size is a condition', async () => {
  const { post } = await druid();
  const query = { ...timeseries, descending: 2 ** 53 };
  expect(await post('/druid/v2', query)).toMatchObject({ status: 200 });
});
