// The native aggregator `expression` and aggregators of extensions; what is expected is what the
// real engine answered to the same rows.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { api } from '../../support/wire.ts';

let service: Service;
let wire: ReturnType<typeof api>;

beforeAll(async () => {
  service = await startServer({ port: 0 });
  wire = api(service);
  const rows = Array.from({ length: 14 }, (_, index) => ({
    t: `2024-01-01T${String(index).padStart(2, '0')}:00:00Z`,
    a: `a${index}`,
    n: index + 1,
  }));
  const { body } = await wire.post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'numbers',
        timestampSpec: { column: 't' },
        dimensionsSpec: { dimensions: ['a', { type: 'long', name: 'n' }] },
        granularitySpec: { segmentGranularity: 'HOUR', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: {
          type: 'inline',
          data: rows
            .filter(({ n }) => n !== 8)
            .map((row) => JSON.stringify(row))
            .join('\n'),
        },
        inputFormat: { type: 'json' },
      },
    },
  });
  await wire.ended(body.task);
});

afterAll(() => service.close());

const asked = (aggregator: object) =>
  wire.post('/svc/v2', {
    queryType: 'groupBy',
    dataSource: 'numbers',
    intervals: ['2024/2025'],
    granularity: 'all',
    dimensions: [],
    aggregations: [aggregator],
  });

const expression = (given: object) => ({
  type: 'expression',
  name: 'e',
  fields: ['n'],
  initialValue: '0',
  ...given,
});

test.each<[object, unknown]>([
  [{ fold: '__acc + n', combine: '__acc + e' }, 97],
  [{ fold: '__acc + n' }, 97],
  [{ fold: '__acc + 1', combine: '__acc + e' }, 13],
  [{ fold: 'acc + n * 2', combine: 'acc + e', accumulatorIdentifier: 'acc' }, 194],
  [{ initialValue: '0.0', fold: '__acc + n', combine: '__acc + e' }, 97],
  [{ initialValue: '1.0', fold: '__acc * n', combine: '__acc * e' }, 1.08972864e10],
  [{ initialValue: '-100', fold: 'max(__acc, n)', combine: 'max(__acc, e)' }, 14],
  [{ initialValue: '3', fold: 'max(n, __acc)', combine: 'max(__acc, e)' }, 14],
  [{ initialValue: '0', fold: 'min(n, __acc)', combine: 'min(__acc, e)' }, 0],
  [{ fold: '__acc + n', combine: '__acc + e', finalize: 'o / 2.0' }, 48.5],
  [{ fold: '__acc + n', finalize: "concat('x', o)" }, 'x97'],
  [{ fold: '__acc + n', finalize: 'n + 1' }, null],
  [{ fields: ['zz'], fold: '__acc + zz' }, null],
  [{ fields: ['zz'], fold: '__acc + zz', shouldAggregateNullInputs: false }, null],
  [
    {
      fields: ['zz'],
      fold: '__acc + zz',
      shouldAggregateNullInputs: false,
      isNullUnlessAggregated: false,
    },
    0,
  ],
  [{ fold: '__acc + n', initialValue: '1' }, 111],
  [{ fold: '__acc + 1' }, 13],
  [{ fold: '__acc - n', combine: '__acc - e' }, 97],
  [{ fold: '__acc * n', combine: '__acc * e', initialValue: '1' }, 10_897_286_400],
  [{ fold: 'bitwiseOr(__acc, n)', combine: 'bitwiseOr(__acc, e)' }, 15],
  [{ fold: '__acc + if(n > 5, 1, 0)', combine: '__acc + e', isNullUnlessAggregated: false }, 8],
  [
    {
      fold: 'if(n > __acc, n, __acc)',
      combine: 'if(e > __acc, e, __acc)',
      initialValue: '3',
    },
    14,
  ],
  [{ fields: ['a'], fold: '__acc + a' }, null],
])('an expression folds numbers: %o', async (given, wanted) => {
  const { body } = await asked(expression(given));
  expect(body[0].event).toEqual({ e: wanted });
});

test.each<[object, unknown]>([
  [
    { fold: 'array_set_add(__acc, a)', combine: 'array_set_add_all(__acc, e)' },
    ['a0', 'a1', 'a10', 'a11', 'a12', 'a13', 'a2', 'a3', 'a4', 'a5', 'a6', 'a8', 'a9'],
  ],
  [{ fields: ['n'], fold: 'array_set_add(__acc, a)' }, [null]],
  [
    {
      fields: ['n'],
      fold: 'array_append(__acc, n)',
      combine: 'array_concat(__acc, e)',
      initialValue: '<LONG>[]',
      finalize: 'array_length(o)',
    },
    13,
  ],
  [
    {
      fold: 'concat(__acc, a)',
      combine: 'concat(__acc, e)',
      initialValue: "''",
      finalize: 'strlen(o)',
    },
    30,
  ],
  [
    {
      fields: ['n'],
      fold: 'array_set_add(__acc, n)',
      combine: 'array_set_add_all(__acc, e)',
      initialValue: '<LONG>[]',
      compare: 'array_length(o1) - array_length(o2)',
    },
    [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14],
  ],
])('an expression folds arrays and texts: %o', async (given, wanted) => {
  const aggregator = expression({ fields: ['a'], initialValue: 'ARRAY<STRING>[]', ...given });
  const { body } = await asked(aggregator);
  expect(body[0].event).toEqual({ e: wanted });
});

test('segments without matching rows make a fold null', async () => {
  const of = async (type: 'selector' | 'true') => {
    const filter = { type, dimension: 'a', value: 'a3' };
    const { body } = await asked({
      type: 'filtered',
      filter,
      aggregator: expression({ fold: '__acc + n' }),
    });
    return body[0].event.e;
  };
  expect([await of('true'), await of('selector')]).toEqual([97, null]);
});

test('each segment is joined with all rows of the right side', async () => {
  const right = {
    type: 'inline',
    columnNames: ['k'],
    columnTypes: ['STRING'],
    rows: [['a3'], ['zz']],
  };
  const { body } = await wire.post('/svc/v2', {
    queryType: 'groupBy',
    dataSource: {
      type: 'join',
      left: 'numbers',
      right,
      rightPrefix: 'r.',
      condition: 'a == "r.k"',
      joinType: 'RIGHT',
    },
    intervals: ['2024/2025'],
    granularity: 'all',
    dimensions: ['a'],
    aggregations: [{ type: 'count', name: 'c' }],
  });
  expect(body.map(({ event }: { event: unknown }) => event)).toEqual([
    { a: null, c: 25 },
    { a: 'a3', c: 1 },
  ]);
});

test('an accumulator has at most so many bytes', async () => {
  const { status, body } = await asked(
    expression({
      fields: ['a'],
      initialValue: 'ARRAY<STRING>[]',
      fold: 'array_set_add(__acc, a)',
      combine: 'array_set_add_all(__acc, e)',
      maxSizeBytes: 40,
    }),
  );
  expect(status).toBe(500);
  expect(body.errorMessage).toContain('larger than max [40]');
});

test.each<[object, string]>([
  [
    expression({ fold: '__acc + n', initialValue: 'n' }),
    '[initialValue] of [expression] must be constant',
  ],
  [
    expression({ fold: '__acc + n', fields: ['n', 'a'] }),
    'Must have a single input field if no combine expression is supplied',
  ],
  [{ type: 'bloom', name: 'b', field: 'n' }, "Could not resolve type id 'bloom'"],
  [{ type: 'momentSketch', name: 'b', fieldName: 'n' }, "Could not resolve type id 'momentSketch'"],
])('an aggregator is refused: %o', async (aggregator, reason) => {
  const { status, body } = await asked(aggregator);
  expect([400, 501]).toContain(status);
  expect(body.errorMessage).toContain(reason);
});
