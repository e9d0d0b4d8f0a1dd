// Compaction state that segments store at a task's request; compaction skips segments whose state
// matches (Druid: CompactionState).

import type { SpecFields, SpecValues } from '../checks/spec-fields.ts';
import { parsePartitionsSpec } from '../ingestion/partitions-spec.ts';
import type { RunningTask } from './task-type.ts';

/**
 * The state of segments made with the given schema and tuningConfig; undefined unless the context
 * sets `storeCompactionState`.
 */
export function compactionStateOf(
  task: RunningTask,
  schema: SpecFields,
  tuning: SpecFields | undefined,
): SpecValues | undefined {
  const { context } = task.payload;
  const stores =
    typeof context === 'object' &&
    context !== null &&
    'storeCompactionState' in context &&
    context.storeCompactionState;
  if (String(stores) !== 'true') return undefined;
  const { dimensionsSpec, metricsSpec, transformSpec, granularitySpec } = schema.values;
  const partitionsSpec = parsePartitionsSpec(tuning);
  return {
    partitionsSpec: tuning?.values.partitionsSpec ?? { maxTotalRows: null, ...partitionsSpec },
    ...(Boolean(dimensionsSpec) && { dimensionsSpec }),
    ...(Boolean(metricsSpec) && { metricsSpec }),
    ...(Boolean(transformSpec) && { transformSpec }),
    indexSpec: tuning?.values.indexSpec ?? {},
    ...(Boolean(granularitySpec) && { granularitySpec }),
  };
}
