// Specification of a compact task (Druid: data-management/manual-compaction).
import { type Granularity, granularityJson, parseGranularity } from '../../model/granularity.ts';
import { InvalidTime } from '../../model/instant.ts';
import type { Interval } from '../../model/interval.ts';
import { parseSegmentId } from '../../model/segment.ts';
import { isObject, type SpecFields } from '../checks/spec-fields.ts';
import { type DimensionsSpec, parseDimensionsSpec } from './dimensions.ts';
import { type MetricAggregator, parseMetricsSpec } from './metrics.ts';
import { type PartitionsSpec, parsePartitionsSpec } from './partitions-spec.ts';
import { filterIn } from './transforms.ts';
import { checkUnreadTuning } from './unread-tuning.ts';

/** Who runs the tasks of a compaction. */
export const compactionEngines: readonly string[] = ['native', 'msq'];

export interface CompactionSpec {
  readonly dataSource: string;
  readonly interval: Interval;
  readonly segmentIds: readonly string[] | undefined; // exactly these segments must exist
  readonly segmentIdsHash: string | undefined; // SHA-256 of the sorted ids of the expected segments
  readonly allowNonAlignedInterval: boolean;
  readonly dropExisting: boolean;
  readonly segmentGranularity: Granularity | undefined; // absent: time chunks are unchanged
  readonly queryGranularity: Granularity | undefined; // absent: rows are unchanged
  readonly rollup: boolean | undefined; // absent: rows are unchanged
  readonly dimensionsSpec: DimensionsSpec | undefined; // absent: the existing dimensions
  readonly metrics: readonly MetricAggregator[] | undefined; // absent: the existing metrics
  readonly filter: Readonly<Record<string, unknown>> | undefined;
  readonly partitionsSpec: PartitionsSpec;
}

/** Reads the payload of a compact task; throws a Refusal that names the invalid field. */
export function parseCompactionSpec(task: SpecFields): CompactionSpec {
  const io = task.optionalObject('ioConfig');
  io?.type('IOConfig', ['compact']);
  const granularitySpec = task.optionalObject('granularitySpec');
  const tuning = task.optionalObject('tuningConfig');
  tuning?.type('TuningConfig', ['index_parallel', 'index', 'compaction']);
  if (tuning) checkUnreadTuning(tuning);
  if (tuning?.long('awaitSegmentAvailabilityTimeoutMillis', 0))
    tuning.refuse('awaitSegmentAvailabilityTimeoutMillis is not supported for Compcation Task'); // the real engine's spelling
  task.optionalObject('compactionRunner')?.type('CompactionRunner', compactionEngines);
  atMostOne(task, ['ioConfig', 'interval', 'segments']);
  atMostOne(task, ['dimensionsSpec', 'dimensions']);
  const dimensions = task.optionalObject('dimensionsSpec') ?? task.optionalObject('dimensions');
  const given = [
    granularityIn(task, 'segmentGranularity'),
    granularityIn(granularitySpec, 'segmentGranularity'),
  ] as const;
  const [own, inSpec] = given.map(
    (granularity) => granularity && JSON.stringify(granularityJson(granularity)),
  );
  if (own !== undefined && inSpec !== undefined && own !== inSpec)
    task.refuse(
      `Conflicting segment granularities found ${own}(segmentGranularity) and ${inSpec}(granularitySpec.segmentGranularity). Remove segmentGranularity and set granularitySpec.segmentGranularity to the expected granularity`,
    );
  return {
    dataSource: task.text('dataSource'),
    ...inputOf(task, io),
    allowNonAlignedInterval: io?.truth('allowNonAlignedInterval') ?? false,
    dropExisting: io?.truth('dropExisting') ?? false,
    segmentGranularity: given[1] ?? given[0],
    queryGranularity: granularityIn(granularitySpec, 'queryGranularity'),
    rollup: granularitySpec?.has('rollup') ? granularitySpec.truth('rollup') : undefined,
    dimensionsSpec: dimensions && parseDimensionsSpec(dimensions),
    metrics: metricsOf(task),
    filter: filterIn(task.optionalObject('transformSpec')),
    partitionsSpec: parsePartitionsSpec(tuning),
  };
}

// Compaction combines stored values.
function metricsOf(task: SpecFields): readonly MetricAggregator[] | undefined {
  if (!task.has('metricsSpec')) return undefined;
  const metrics = parseMetricsSpec(task);
  const computed = metrics.find(({ expression }) => expression);
  if (computed)
    task.refuse(
      `Compaction computes no expression: give metric [${computed.name}] a [fieldName], or reindex with the input source [druid]`,
    );
  const filtered = metrics.find(({ filter }) => filter);
  if (filtered)
    task.refuse(
      `Compaction filters no rows for metric [${filtered.name}]: name the aggregator itself, or reindex with the input source [druid]`,
    );
  return metrics;
}

// Druid: Checks.checkOneNotNullOrEmpty.
function atMostOne(task: SpecFields, names: readonly string[]): void {
  const found = names.filter((name) => task.has(name));
  if (found.length > 1)
    task.refuse(`At most one of properties[${found.join(', ')}] must be present`);
}

type Input = Pick<CompactionSpec, 'interval' | 'segmentIds' | 'segmentIdsHash'>;

function inputOf(task: SpecFields, io: SpecFields | undefined): Input {
  if (!io && task.has('interval')) return byInterval(task);
  if (!io && task.has('segments')) return bySegments(task, task);
  const input = task.object('ioConfig').object('inputSpec');
  return input.type('CompactionInputSpec', ['interval', 'segments']) === 'interval'
    ? byInterval(input)
    : bySegments(input, task);
}

function byInterval(fields: SpecFields): Input {
  const interval = fields.interval('interval');
  if (interval.start >= interval.end)
    fields.refuse(
      `Interval [${fields.text('interval')}] is empty, must specify a nonempty interval`,
    );
  return {
    interval,
    segmentIds: undefined,
    segmentIdsHash: fields.optionalText('sha256OfSortedSegmentIds'),
  };
}

function bySegments(fields: SpecFields, task: SpecFields): Input {
  const ids = (fields.optionalList('segments') ?? []).map((segment) =>
    isObject(segment) ? String(segment.identifier ?? segment.id) : String(segment),
  );
  const dataSource = task.text('dataSource');
  const intervals = ids.map(
    (id) => parseSegmentId(dataSource, id)?.interval ?? fields.refuse(`Invalid segment id [${id}]`),
  );
  const [first, ...rest] = intervals;
  if (!first) return fields.refuse('segments must not be empty');
  const interval = {
    start: Math.min(first.start, ...rest.map(({ start }) => start)),
    end: Math.max(first.end, ...rest.map(({ end }) => end)),
  };
  return { interval, segmentIds: ids, segmentIdsHash: undefined };
}

function granularityIn(fields: SpecFields | undefined, name: string): Granularity | undefined {
  if (!fields?.has(name)) return undefined;
  try {
    return parseGranularity(fields.values[name]);
  } catch (error) {
    if (error instanceof InvalidTime)
      return fields.refuse(`${name} cannot be read: ${error.message}`);
    throw error;
  }
}
