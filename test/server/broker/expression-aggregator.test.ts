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
])('an expression folds numbers: %o', async (given, wanted) => {
  const { body } = await asked(expression(given));
  expect(body[0].event).toEqual({ e: wanted });
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
  [expression({ fold: '__acc + n', initialValue: '1' }), 'begins with [0] here, not [1]'],
  [expression({ fold: '__acc + 1' }), 'folds and combines only by [__acc + x]'],
  [
    expression({ fold: '__acc - n', combine: '__acc - e' }),
    'folds and combines only by [__acc + x]',
  ],
  [
    expression({ fold: '__acc * n', combine: '__acc * e', initialValue: '1' }),
    'multiplies only as doubles',
  ],
  [expression({ fields: ['a'], fold: '__acc + a' }), 'folds no [STRING] into a [LONG]'],
  [
    expression({ fold: 'array_set_add(__acc, a)', initialValue: 'ARRAY<STRING>[]' }),
    'takes only a number as [initialValue]',
  ],
  [expression({ fold: '__acc + n', compare: 'o1 - o2' }), 'takes no [compare]'],
  [
    expression({ fold: '__acc + n', finalize: 'n + 1' }),
    '[finalize] reads the accumulator as [o], not [n]',
  ],
  [
    { type: 'filtered', filter: { type: 'true' }, aggregator: expression({ fold: '__acc + n' }) },
    'stands in a filter only with',
  ],
  [{ type: 'bloom', name: 'b', field: 'n' }, "Could not resolve type id 'bloom'"],
  [{ type: 'momentSketch', name: 'b', fieldName: 'n' }, "Could not resolve type id 'momentSketch'"],
])('an aggregator is refused: %o', async (aggregator, reason) => {
  const { status, body } = await asked(aggregator);
  expect([400, 501]).toContain(status);
  expect(body.errorMessage).toContain(reason);
});
