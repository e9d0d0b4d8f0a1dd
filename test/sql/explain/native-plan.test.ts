// Native queries of EXPLAIN, as a real 33.0.0 shows them.
import { expect, test } from 'vitest';
import { translated } from '../statements-over-tables.ts';

type Json = Readonly<Record<string, unknown>>;

function planOf(query: string): Json {
  const { statement } = translated(`EXPLAIN PLAN FOR ${query}`);
  if (statement.kind !== 'explain') throw new TypeError('A plan');
  const [{ query: native }] = JSON.parse(statement.plan) as [{ query: Json }];
  return native;
}

const expressionsOf = (query: string) =>
  (planOf(query).virtualColumns as readonly Json[]).map(({ expression }) => expression);

test('times are formatted, parsed, shifted and cast in the zone of the call or of the statement', () => {
  expect(
    expressionsOf(
      "SELECT TIME_FORMAT(__time, 'HH', 'Europe/Paris'), TIME_PARSE(page), TIME_SHIFT(__time, 'P1D', 1, 'Asia/Tokyo'), CAST(__time AS VARCHAR), CAST(__time AS DATE), CEIL(__time TO HOUR), __time + INTERVAL '1' DAY, __time - INTERVAL '2' MONTH FROM edits",
    ),
  ).toEqual([
    `timestamp_format("__time",'HH','Europe/Paris')`,
    `timestamp_parse("page",null,'UTC')`,
    `timestamp_shift("__time",'P1D',1,'Asia/Tokyo')`,
    `timestamp_format("__time",'yyyy-MM-dd HH:mm:ss','UTC')`,
    `timestamp_floor("__time",'P1D',null,'UTC')`,
    `timestamp_ceil("__time",'PT1H',null,'UTC')`,
    '("__time" + 86400000)',
    `timestamp_shift("__time",'P2M',-1,'UTC')`,
  ]);
});

test('functions of several values are those of arrays', () => {
  expect(
    expressionsOf(
      "SELECT MV_TO_STRING(tags, ','), MV_CONTAINS(tags, 'a'), STRING_TO_MV(page, ','), NOT (added > 5), added IN (1, 2), TRIM(page) FROM edits",
    ),
  ).toEqual([
    `array_to_string("tags",',')`,
    `array_contains(mv_harmonize_nulls("tags"),'a')`,
    `string_to_array("page",',')`,
    '("added" <= 5)',
    'scalar_in_array("added",array(1,2))',
    `trim("page",' ')`,
  ]);
  expect(planOf("SELECT MV_FILTER_ONLY(tags, ARRAY['a']) FROM edits").virtualColumns).toEqual([
    {
      type: 'mv-filtered',
      name: 'v0',
      delegate: { type: 'default', dimension: 'tags', outputName: 'tags', outputType: 'STRING' },
      values: ['a'],
      isAllowList: true,
    },
  ]);
});

test('aggregates and filters read a column instead of its cast', () => {
  const { aggregations, virtualColumns, filter } = planOf(
    "SELECT SUM(CAST(added AS DOUBLE)) FROM edits WHERE CAST(added AS VARCHAR) LIKE '5%' AND added = '7' AND NOT (added > 9)",
  );
  expect(virtualColumns).toBeUndefined();
  expect(aggregations).toEqual([{ type: 'doubleSum', name: 'a0', fieldName: 'added' }]);
  const number = { column: 'added', matchValueType: 'LONG' };
  expect(filter).toEqual({
    type: 'and',
    fields: [
      { type: 'like', dimension: 'added', pattern: '5%', escape: null, extractionFn: null },
      { type: 'equals', ...number, matchValue: 7 },
      { type: 'range', ...number, upper: 9 },
    ],
  });
});

test('ARRAY_AGG and STRING_AGG fold their values', () => {
  const { aggregations } = planOf(
    "SELECT ARRAY_AGG(DISTINCT page), STRING_AGG(page, ',') FROM edits",
  );
  const list = {
    type: 'expression',
    fields: ['page'],
    accumulatorIdentifier: '__acc',
    isNullUnlessAggregated: true,
    shouldCombineAggregateNullInputs: false,
    maxSizeBytes: 1024,
  };
  expect(aggregations).toEqual([
    {
      ...list,
      name: 'a0',
      initialValue: 'ARRAY<STRING>[]',
      initialCombineValue: 'ARRAY<STRING>[]',
      shouldAggregateNullInputs: true,
      fold: 'array_set_add("__acc", "page")',
      combine: 'array_set_add_all("__acc", "a0")',
    },
    {
      type: 'filtered',
      name: 'a1',
      aggregator: {
        ...list,
        name: 'a1',
        initialValue: '[]',
        initialCombineValue: '[]',
        shouldAggregateNullInputs: false,
        fold: 'array_append("__acc", "page")',
        combine: 'array_concat("__acc", "a1")',
        finalize: "if(array_length(o) == 0, null, array_to_string(o, ','))",
      },
      filter: { type: 'not', field: { type: 'null', column: 'page' } },
    },
  ]);
});

test('conditions on items of UNNEST, and on the rows beside them, filter the data source', () => {
  const { dataSource, filter } = planOf(
    "SELECT page, x FROM edits CROSS JOIN UNNEST(links) AS u (x) WHERE x > 1 AND added > 5 AND (x = 2 OR page = 'a')",
  );
  const range = (column: string, lower: number) => ({
    type: 'range',
    column,
    matchValueType: 'LONG',
    lower,
    lowerOpen: true,
  });
  expect(dataSource).toMatchObject({
    type: 'unnest',
    base: {
      type: 'filter',
      base: { type: 'table', name: 'edits' },
      filter: range('added', 5),
    },
    unnestFilter: range('j0.unnest', 1),
  });
  expect(filter).toMatchObject({ type: 'or' });
});

test('a join reads the needed columns of its right side', () => {
  const { dataSource } = planOf(
    'SELECT a.page, b.added FROM edits AS a LEFT JOIN edits AS b ON a.author = b.page',
  );
  expect(dataSource).toMatchObject({
    right: { query: { columns: ['page', 'added'], columnTypes: ['STRING', 'LONG'] } },
  });
});

test('columns that WHERE decides are constants, also behind a star', () => {
  const { virtualColumns, columns } = planOf("SELECT * FROM edits WHERE page = 'Bern'");
  expect(virtualColumns).toEqual([
    { type: 'expression', name: 'v0', expression: "'Bern'", outputType: 'STRING' },
  ]);
  expect(columns).toEqual(['__time', 'v0', 'author', 'added', 'tags', 'links']);
});

test('window functions of groups are operators over the query of the groups', () => {
  const { queryType, dataSource, operatorDefinition, outputSignature } = planOf(
    'SELECT page, SUM(added), SUM(SUM(added)) OVER (PARTITION BY page ORDER BY SUM(added) DESC ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM edits GROUP BY page',
  );
  expect(queryType).toBe('windowOperator');
  expect(dataSource).toMatchObject({ type: 'query', query: { queryType: 'groupBy' } });
  expect(outputSignature).toEqual([
    { name: 'd0', type: 'STRING' },
    { name: 'a0', type: 'LONG' },
    { name: 'w0', type: 'LONG' },
  ]);
  expect(operatorDefinition).toEqual([
    {
      type: 'naiveSort',
      columns: [
        { column: 'd0', direction: 'ASC' },
        { column: 'a0', direction: 'DESC' },
      ],
    },
    { type: 'naivePartition', partitionColumns: ['d0'] },
    {
      type: 'window',
      processor: {
        type: 'framedAgg',
        frame: { type: 'rows', lowerOffset: -2, upperOffset: 0 },
        aggregations: [{ type: 'longSum', name: 'w0', fieldName: 'a0' }],
      },
    },
  ]);
});

test('several functions of a window are one composing operator, without a sort of sorted groups', () => {
  const items = `page, ROW_NUMBER() OVER (ORDER BY page), LAG(COUNT(*), 2) OVER (ORDER BY page),
    LAST_VALUE(COUNT(*)) OVER (ORDER BY page), COUNT(*) OVER (ORDER BY page)`;
  const { operatorDefinition } = planOf(`SELECT ${items} FROM edits GROUP BY page`);
  const offset = (outputColumn: string, by: number) => ({
    type: 'offset',
    inputColumn: 'a0',
    outputColumn,
    offset: by,
  });
  const frame = { type: 'groups', lowerOffset: null, upperOffset: 0, orderByColumns: ['d0'] };
  const processors = [
    { type: 'rowNumber', outputColumn: 'w0' },
    offset('w1', -2),
    offset('w2', 0),
    { type: 'framedAgg', frame, aggregations: [{ type: 'count', name: 'w3' }] },
  ];
  expect(operatorDefinition).toEqual([
    { type: 'naivePartition', partitionColumns: [] },
    { type: 'window', processor: { type: 'composing', processors } },
  ]);
  const filtered = planOf(`SELECT ${items} FROM edits GROUP BY page HAVING COUNT(*) > 1`);
  const [first] = filtered.operatorDefinition as readonly Json[];
  expect(first?.type).toBe('naiveSort');
});
