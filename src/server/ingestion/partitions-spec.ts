// The partitionsSpec of native batch ingestion (Druid: ingestion/native-batch).
import type { SpecFields } from '../checks/spec-fields.ts';

export type PartitionsSpec =
  | { readonly type: 'dynamic'; readonly maxRowsPerSegment: number }
  | {
      readonly type: 'hashed';
      readonly numShards: number | undefined;
      readonly targetRowsPerSegment: number;
      readonly partitionDimensions: readonly string[]; // empty: all of them
    }
  | {
      readonly type: 'range' | 'single_dim';
      readonly partitionDimensions: readonly string[];
      readonly targetRowsPerSegment: number;
    };

/**
 * Reads the partitionsSpec of a tuningConfig; throws a Refusal, also for invalid numbers of
 * subtasks (Druid: ParallelIndexTuningConfig).
 */
export function parsePartitionsSpec(tuning: SpecFields | undefined): PartitionsSpec {
  for (const name of ['maxNumConcurrentSubTasks', 'maxNumSegmentsToMerge', 'totalNumMergeTasks'])
    if ((tuning?.optionalInteger(name) ?? 1) <= 0) tuning?.refuse(`${name} must be positive`);
  const spec = tuning?.optionalObject('partitionsSpec');
  const maxRows = positive(tuning, 'maxRowsPerSegment') ?? defaultRows;
  if (!spec)
    return tuning?.truth('forceGuaranteedRollup')
      ? hash(undefined)
      : { type: 'dynamic', maxRowsPerSegment: maxRows };
  const type = spec.type('PartitionsSpec', ['dynamic', 'hashed', 'range', 'single_dim']);
  if ((type === 'dynamic') === tuning?.truth('forceGuaranteedRollup'))
    tuning.refuse(
      type === 'dynamic'
        ? 'DynamicPartitionsSpec cannot be used for perfect rollup'
        : 'DynamicPartitionsSpec must be used for best-effort rollup: set forceGuaranteedRollup for the others',
    );
  switch (type) {
    case 'dynamic':
      spec.optionalLong('maxTotalRows'); // not read, but checked as by the real engine
      return {
        type,
        maxRowsPerSegment:
          positive(spec, 'maxRowsPerSegment') ?? positive(spec, 'targetPartitionSize') ?? maxRows,
      };
    case 'hashed':
      return hash(spec);
    case 'range':
    case 'single_dim': {
      const partitionDimensions =
        type === 'range' ? spec.texts('partitionDimensions') : [spec.text('partitionDimension')];
      spec.truth('assumeGrouped'); // not read, but checked as by the real engine
      if (partitionDimensions.length === 0) spec.refuse('partitionDimensions must be specified');
      const target = positive(spec, 'targetRowsPerSegment');
      const most = positive(spec, 'maxRowsPerSegment');
      if ((target === undefined) === (most === undefined))
        spec.refuse('Exactly one of targetRowsPerSegment or maxRowsPerSegment must be present');
      return {
        type,
        partitionDimensions,
        targetRowsPerSegment: target ?? Math.max(1, Math.floor((most ?? defaultRows) / 1.5)),
      };
    }
  }
}

const defaultRows = 5_000_000;

function hash(spec: SpecFields | undefined): PartitionsSpec {
  const numShards = positive(spec, 'numShards');
  const target = positive(spec, 'targetRowsPerSegment') ?? positive(spec, 'maxRowsPerSegment');
  if (numShards !== undefined && target !== undefined)
    spec?.refuse('At most one of [numShards] or [targetRowsPerSegment] must be present');
  return {
    type: 'hashed',
    numShards,
    targetRowsPerSegment: target ?? defaultRows,
    partitionDimensions: spec?.texts('partitionDimensions') ?? [],
  };
}

// Null and -1 both mean "not set".
function positive(fields: SpecFields | undefined, name: string): number | undefined {
  const value = fields?.optionalInteger(name);
  if (value === undefined || value === -1) return undefined;
  return value > 0 ? value : fields?.refuse(`${name}[${value}] should be positive`);
}
