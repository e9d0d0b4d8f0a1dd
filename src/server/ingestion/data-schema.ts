// The dataSchema of an ingestion specification (Druid: ingestion/ingestion-spec).
import { type Granularity, parseGranularity } from '../../model/granularity.ts';
import { InvalidTime } from '../../model/instant.ts';
import { condense, type Interval } from '../../model/interval.ts';
import type { SpecFields } from '../checks/spec-fields.ts';
import { type DimensionsSpec, parseDimensionsSpec } from './dimensions.ts';
import { type MetricAggregator, parseMetricsSpec } from './metrics.ts';
import type { TimeChunks } from './time-chunks.ts';
import { parseTimestampSpec, type TimestampSpec } from './timestamps.ts';
import { parseTransformSpec, type TransformSpec } from './transforms.ts';

export interface DataSchema {
  readonly dataSource: string;
  readonly timestampSpec: TimestampSpec;
  readonly dimensionsSpec: DimensionsSpec;
  readonly metrics: readonly MetricAggregator[];
  readonly granularitySpec: GranularitySpec;
  readonly transformSpec: TransformSpec;
  readonly messageTimes?: Interval; // of a stream: rows outside are thrown away
}

export interface GranularitySpec {
  readonly segmentGranularity: Granularity | undefined; // absent: the intervals are the time chunks
  readonly queryGranularity: Granularity;
  readonly rollup: boolean;
  readonly intervals: readonly Interval[] | undefined;
}

/**
 * The time chunks of rows. Without a granularity, and with the granularity ALL, they are the
 * intervals.
 */
export const chunksOf = ({ segmentGranularity, intervals = [] }: GranularitySpec): TimeChunks => ({
  granularity:
    segmentGranularity?.type === 'all' && intervals.length > 0 ? undefined : segmentGranularity,
  intervals: segmentGranularity?.type === 'all' ? condense(intervals) : intervals,
});

/** Reads a dataSchema; throws a Refusal that names the invalid field. */
export function parseDataSchema(fields: SpecFields): DataSchema {
  const dimensionsSpec = parseDimensionsSpec(fields.optionalObject('dimensionsSpec'));
  const metrics = parseMetricsSpec(fields);
  checkColumns(fields, dimensionsSpec, metrics);
  return {
    dataSource: fields.text('dataSource'),
    timestampSpec: parseTimestampSpec(fields.object('timestampSpec')),
    dimensionsSpec,
    metrics,
    granularitySpec: parseGranularitySpec(fields.optionalObject('granularitySpec')),
    transformSpec: withExpressions(
      parseTransformSpec(fields.optionalObject('transformSpec')),
      metrics,
      fields,
    ),
  };
}

// The values of expressions of metrics are computed as those of transforms, which see no transform.
function withExpressions(
  { transforms, filter }: TransformSpec,
  metrics: readonly MetricAggregator[],
  fields: SpecFields,
): TransformSpec {
  const made = new Set(transforms.map(({ name }) => name));
  const added = metrics.flatMap(({ expression, fieldName, name }) => {
    if (!expression || fieldName === undefined) return [];
    const transformed = expression.columns.find((column) => made.has(column));
    if (transformed !== undefined)
      fields.refuse(
        `The expression of metric [${name}] cannot read [${transformed}], which a transform makes: compute the metric's value in a transform, too`,
      );
    return { name: fieldName, expression };
  });
  return { transforms: [...transforms, ...added], filter };
}

// Columns need a name, and only one use (Druid: DataSchema.computeAndValidateOutputFieldNames).
function checkColumns(
  fields: SpecFields,
  { dimensions }: DimensionsSpec,
  metrics: readonly MetricAggregator[],
): void {
  const unnamed = dimensions.findIndex(({ name }) => name === '');
  if (unnamed >= 0)
    fields.refuse(`Encountered dimension with null or empty name at position[${unnamed}]`);
  const time = dimensions.find(({ name }) => name === '__time');
  if (time && time.type !== 'long' && time.castToType !== 'LONG')
    fields.refuse(
      `Encountered dimension[__time] with incorrect type[${time.type}]. Type must be 'long'.`,
    );
  const nameless = metrics.findIndex(({ name }) => name === '');
  if (nameless >= 0)
    fields.refuse(`Encountered metric with null or empty name at position[${nameless}]`);
  const taken = new Set(['__time', ...dimensions.map(({ name }) => name)]);
  const twice = metrics.find(({ name }) => taken.has(name));
  if (twice)
    fields.refuse(
      `Cannot specify a column more than once: [${twice.name}] is a metric and ${twice.name === '__time' ? 'the time' : 'a dimension'}`,
    );
}

function parseGranularitySpec(fields: SpecFields | undefined): GranularitySpec {
  const type = fields?.type('GranularitySpec', ['uniform', 'arbitrary'], 'uniform') ?? 'uniform';
  const intervals = fields?.optionalIntervals('intervals');
  if (type === 'arbitrary' && !intervals?.length)
    fields?.refuse('an arbitrary granularitySpec needs intervals');
  return {
    segmentGranularity:
      type === 'arbitrary' ? undefined : granularityIn(fields, 'segmentGranularity', 'DAY'),
    queryGranularity: granularityIn(fields, 'queryGranularity', 'NONE'),
    rollup: fields?.truth('rollup', true) ?? true,
    intervals: intervals?.length ? intervals : undefined,
  };
}

function granularityIn(
  fields: SpecFields | undefined,
  name: string,
  defaultValue: string,
): Granularity {
  try {
    return parseGranularity(fields?.values[name] ?? defaultValue);
  } catch (error) {
    if (error instanceof InvalidTime)
      return fields?.refuse(`${name} cannot be read: ${error.message}`) ?? { type: 'none' };
    throw error;
  }
}
