// Aggregators at ingestion: stored values of rolled-up rows, or of each single row without rollup
// (Druid: querying/aggregations).
import type { SegmentAggregator } from '../../model/segment.ts';
import type { SpecFields } from '../checks/spec-fields.ts';
import { numberSql } from './column-values.ts';
import {
  combinedPairs,
  isPairType,
  type PairSettings,
  type PairType,
  pairMetric,
  pairTypes,
  parsePairSettings,
  readsRowTimes,
} from './pair-metrics.ts';
import type { RawField } from './raw-rows.ts';
import {
  isSketchType,
  parseSketchMetric,
  type SketchMetric,
  type SketchType,
  sketchTypes,
} from './sketch-metrics.ts';
import { parseTransformExpression, type TransformExpression } from './transform-expression.ts';
import { filterColumns, filterIn } from './transforms.ts';

export type MetricAggregator = NumberAggregator | SketchAggregator | PairAggregator;

interface NumberAggregator {
  readonly type: keyof typeof aggregators;
  readonly name: string;
  readonly fieldName: string | undefined; // for all except `count`
  readonly expression?: TransformExpression; // its values are the field, as those of a transform
  readonly filter?: Filter; // of the rows that it aggregates
  readonly pair?: undefined;
}

interface SketchAggregator {
  readonly type: SketchType;
  readonly name: string;
  readonly fieldName: string;
  readonly expression?: undefined;
  readonly filter?: Filter;
  readonly sketch: SketchMetric;
  readonly pair?: undefined;
}

interface PairAggregator {
  readonly type: PairType;
  readonly name: string;
  readonly fieldName: string;
  readonly expression?: undefined;
  readonly filter?: Filter;
  readonly pair: PairSettings;
}

type Filter = Readonly<Record<string, unknown>>;

export interface Metric {
  readonly name: string;
  readonly type: string; // native
  readonly input: string; // SQL for one row, from the raw fields
  // Of a number: a value that does not fit becomes null and counts as an error
  readonly field?: RawField;
  /** The stored value of a row, from its input and its time. */
  readonly toStored?: ((input: string, time: string) => string) | undefined;
  readonly combined: (input: string, row: string) => string; // SQL for the rows of a group
  readonly none?: string; // of pairs: what no row stores
}

/** Reads a metricsSpec; throws a Refusal for unknown aggregators and missing fields. */
export function parseMetricsSpec(dataSchema: SpecFields): readonly MetricAggregator[] {
  const metrics = dataSchema.objects('metricsSpec').map((fields) => parseMetric(fields));
  const twice = metrics.find(
    ({ name }, index) => metrics.findIndex((other) => other.name === name) !== index,
  );
  if (twice) dataSchema.refuse(`Metric names must be unique, but [${twice.name}] occurs twice`);
  return metrics;
}

function parseMetric(fields: SpecFields, depth = 0): MetricAggregator {
  const type = fields.type('AggregatorFactory', [
    ...aggregatorNames,
    ...sketchTypes,
    ...pairTypes,
    'filtered',
  ]);
  if (type === 'filtered') return parseFiltered(fields, depth);
  const name = fields.text('name');
  if (type === 'count') return { type, name, fieldName: undefined };
  if (fields.has('expression')) return ofExpression(fields, type, name);
  const fieldName = fields.text('fieldName');
  if (isPairType(type)) return { type, name, fieldName, pair: parsePairSettings(type, fields) };
  return isSketchType(type)
    ? { type, name, fieldName, sketch: parseSketchMetric(type, fields) }
    : { type, name, fieldName };
}

function parseFiltered(fields: SpecFields, depth: number): MetricAggregator {
  if (depth === mostFilters) fields.refuse(`more than [${mostFilters}] filters of one aggregator`);
  const filter = filterIn(fields) ?? fields.refuse('[filter] must be set');
  const inner = parseMetric(fields.object('aggregator'), depth + 1);
  const name = fields.optionalText('name') || inner.name;
  return {
    ...inner,
    name,
    filter: inner.filter ? { type: 'and', fields: [filter, inner.filter] } : filter,
  };
}

const mostFilters = 16;

// Sums and extremes of numbers may read an expression instead of a field.
function ofExpression(
  fields: SpecFields,
  type: Exclude<MetricAggregator['type'], 'count'>,
  name: string,
): NumberAggregator {
  if (isSketchType(type) || isPairType(type) || !/Sum$|Min$|Max$/.test(type))
    return fields.refuse(`aggregators of type [${type}] read a [fieldName], no expression`);
  if (fields.has('fieldName'))
    fields.refuse('Must have a valid, non-null fieldName or expression, and not both');
  const parsed = parseTransformExpression(fields.text('expression'), fields);
  const expression = { ...parsed, mapsLists: true as const };
  return { type, name, fieldName: `the expression of ${name}`, expression };
}

/** The columns that aggregators read. */
export const inputsOf = (metrics: readonly MetricAggregator[]): readonly string[] =>
  metrics.flatMap(({ fieldName, expression, pair, filter }) => {
    const read = expression?.columns ?? fieldName ?? [];
    const filtered = filter ? filterColumns(filter) : [];
    return [filtered, pair && !readsRowTimes(pair) ? [fieldName, pair.timeColumn] : read].flat();
  });

/** An aggregator over its field; a missing field is null. */
export function metricOf(
  aggregator: MetricAggregator,
  field: RawField | undefined,
  timeField?: RawField,
): Metric {
  if (aggregator.pair)
    return pairMetric(aggregator.type, aggregator.name, aggregator.pair, field, timeField);
  if ('sketch' in aggregator) {
    const { stored, input, combined } = aggregator.sketch;
    return {
      name: aggregator.name,
      type: stored,
      input: field ? input(field) : 'NULL::BLOB',
      combined,
    };
  }
  const { type, name } = aggregator;
  if (type === 'count')
    return { name, type: 'LONG', input: '1::BIGINT', combined: (input) => `count(${input})` };
  const [stored, combined] = aggregators[type];
  return {
    name,
    type: stored,
    input: numberSql(stored, field),
    ...(field && { field }),
    ...(type.endsWith('Any') && { toStored: (value: string) => `coalesce(${value}, 0)` }),
    combined,
  };
}

/**
 * A metric of the rows that meet a condition (SQL). The other rows lack a value, so that none is
 * checked.
 */
export function filteredMetric(metric: Metric, type: string, condition: string): Metric {
  const { field: _, toStored, ...rest } = metric;
  const { none, input } = rest;
  if (none)
    return {
      ...rest,
      input: `CASE WHEN ${condition} THEN ${input} ${toStored ? '' : `ELSE ${none} `}END`,
      toStored:
        toStored &&
        ((value, time) =>
          `CASE WHEN ${value} IS NULL THEN ${none} ELSE ${toStored(value, time)} END`),
    };
  return type === 'count'
    ? {
        ...rest,
        input: `CASE WHEN ${condition} THEN 1 ELSE 0 END::BIGINT`,
        combined: aggregators.longSum[1],
      }
    : { ...rest, input: `CASE WHEN ${condition} THEN ${rest.input} END` };
}

/**
 * Aggregator that combines a stored metric further: one from specifications, or a combination that
 * only statements store.
 */
export type StoredAggregator =
  | MetricAggregator
  | { readonly type: string; readonly name: string; readonly combined: Metric['combined'] };

/** The stored aggregators with a name and a known kind. */
export const aggregatorsNamed = (
  stored: readonly SegmentAggregator[],
  wanted: string,
): StoredAggregator[] =>
  stored.flatMap(({ type, name, fieldName, ...settings }): StoredAggregator[] => {
    if (name !== wanted) return [];
    const known = aggregatorNames.find((one) => one === type);
    if (known) return [{ type: known, name, fieldName }];
    if (isPairType(type))
      return [{ type, name, fieldName, pair: { timeColumn: '__time', ...settings } }];
    const combined = ofStatements[type];
    return combined ? [{ type, name, combined }] : [];
  });

/** Combination of values that are already combined: counts become sums. */
export const combinerOf = (aggregator: MetricAggregator): Metric['combined'] =>
  aggregator.pair
    ? combinedPairs(aggregator.type)
    : 'sketch' in aggregator
      ? aggregator.sketch.combined
      : aggregators[aggregator.type === 'count' ? 'longSum' : aggregator.type][1];

type Combined = Metric['combined'];

const sum =
  (type: string): Combined =>
  (input) =>
    type === 'BIGINT' ? `druid_wrap(sum(${input}))` : `sum(${input})::${type}`;
const min: Combined = (input) => `min(${input})`;
const max: Combined = (input) => `max(${input})`;
const any: Combined = (input) => `any_value(${input})`;

const ofStatements: Readonly<Record<string, Combined>> = {
  HLLSketchBuild: (input) => `druid_hll_merged(list(${input}))`,
  HLLSketchMerge: (input) => `druid_hll_merged(list(${input}))`,
  thetaSketch: (input) => `druid_theta_merged(list(${input}))`,
  quantilesDoublesSketch: (input) => `druid_doubles_merged(list(${input}))`,
  quantilesDoublesSketchMerge: (input) => `druid_doubles_merged(list(${input}))`,
  KllDoublesSketch: (input) => `druid_kll_merged(list(${input}), 64::BIGINT)`,
  KllDoublesSketchMerge: (input) => `druid_kll_merged(list(${input}), 64::BIGINT)`,
  KllFloatsSketch: (input) => `druid_kll_merged(list(${input}), 32::BIGINT)`,
  KllFloatsSketchMerge: (input) => `druid_kll_merged(list(${input}), 32::BIGINT)`,
  arrayOfDoublesSketch: (input) => `druid_tuple_merged(list(${input}))`,
  stringAny: any,
};

const aggregators = {
  count: ['LONG', max],
  longSum: ['LONG', sum('BIGINT')],
  longMin: ['LONG', min],
  longMax: ['LONG', max],
  longAny: ['LONG', any],
  doubleSum: ['DOUBLE', sum('DOUBLE')],
  doubleMin: ['DOUBLE', min],
  doubleMax: ['DOUBLE', max],
  doubleAny: ['DOUBLE', any],
  floatSum: ['FLOAT', sum('FLOAT')],
  floatMin: ['FLOAT', min],
  floatMax: ['FLOAT', max],
  floatAny: ['FLOAT', any],
} as const satisfies Record<string, readonly ['LONG' | 'DOUBLE' | 'FLOAT', Combined]>;

const aggregatorNames = Object.keys(aggregators) as (keyof typeof aggregators)[];
