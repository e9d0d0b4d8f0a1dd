// Plans that are kept for the next request with the same text.
import { expect, test } from 'vitest';
import { KeptPlans } from '../../../src/server/planning/kept-plans.ts';
import { planOf } from '../../../src/server/planning/plan.ts';
import type { Catalog, Table } from '../../../src/sql/catalog.ts';

const edits: Table = {
  schema: 'druid',
  name: 'edits',
  kind: 'datasource',
  columns: [{ name: 'page', type: 'STRING', multiValue: false }],
  scan: () => ({ sql: '(SELECT page FROM edits)', files: ['edits.parquet'] }),
};
const stamps = new Map<string, readonly unknown[] | undefined>();
const catalog: Catalog = {
  findTable: (schema, name) => {
    if (schema === 'sys') return { ...edits, kind: 'system' };
    return name.startsWith('edits') ? edits : undefined;
  },
  findLookup: () => '(SELECT 1 AS k, 2 AS v)',
  stampOf: (name) => stamps.get(name),
};

const requestOf = (text: string, context: Readonly<Record<string, unknown>> = {}) => ({
  kind: 'sql' as const,
  text,
  context: { sqlQueryId: 'one', ...context },
  parameters: [],
  nowMs: 0,
  engine: 'native' as const,
});

test.each([
  ['SELECT page FROM edits', true],
  ["SET sqlTimeZone = 'Europe/Oslo'; SELECT COUNT(*) FROM edits", true],
  ['SELECT COUNT(*) FROM edits e JOIN edits f ON e.page = f.page', true],
  ['SELECT 1', true],
  ['SELECT CURRENT_TIMESTAMP FROM edits', false],
  ["SELECT COUNT(*) FROM edits WHERE CURRENT_DATE > TIMESTAMP '2020-01-01'", false],
  ["SELECT LOOKUP(page, 'cities') FROM edits", false],
  ['SELECT page FROM sys.segments', false],
  ['SELECT page FROM edits_that_change', false],
  ['EXPLAIN PLAN FOR SELECT page FROM edits', false],
])('[%s] is kept: %s', (text, isKept) => {
  stamps.set('edits', [1]);
  const plans = new KeptPlans();
  const request = requestOf(text);
  const plan = plans.keep(request, catalog, (noted) => planOf(request, noted));
  // Without what only tasks need: the files of thousands of segments are megabytes
  const kept = { ...plan, files: [], joins: [] };
  expect(plans.find(request, catalog)).toEqual(isKept ? kept : undefined);
});

test('a plan is for its text, its context and its data, but not for its query id', () => {
  const plans = new KeptPlans();
  const [text, context] = ['SELECT page FROM edits', { sqlTimeZone: 'Europe/Oslo' }];
  const request = requestOf(text, context);
  const keep = () => plans.keep(request, catalog, (noted) => planOf(request, noted));
  stamps.set('edits', [edits, 1]);
  keep();
  expect(plans.find(requestOf(text), catalog)).toBeUndefined();
  expect(plans.find(requestOf(`${text} `, context), catalog)).toBeUndefined();
  expect(plans.find(requestOf(text, { ...context, sqlQueryId: 'two' }), catalog)?.context).toEqual({
    ...context,
    sqlQueryId: 'two',
  });
  stamps.set('edits', [edits, 2]);
  expect(plans.find(request, catalog)).toBeUndefined();
  keep();
  stamps.set('edits', undefined);
  expect(plans.find(request, catalog)).toBeUndefined();
});

test('a plan with the values of a query behind IN is for these values', () => {
  stamps.set('edits', [1]);
  const plans = new KeptPlans();
  const request = requestOf('SELECT COUNT(*) FROM edits WHERE page IN (SELECT page FROM edits)');
  const among = { line: 1, column: 44, endLine: 1, endColumn: 65 };
  const withValues = (values: readonly string[]) => ({
    ...request,
    knownValues: [{ among, values }],
  });
  plans.keep(withValues(['a']), catalog, (noted) => planOf(withValues(['a']), noted));
  expect(plans.find(withValues(['a']), catalog)).toBeDefined();
  expect(plans.find(withValues(['b']), catalog)).toBeUndefined();
  expect(plans.find(request, catalog)).toBeUndefined();
});
