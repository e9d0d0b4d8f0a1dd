// Ingestion metadata stored with segments (Druid: org.apache.druid.segment.Metadata).
import { type Granularity, granularityJson } from '../../model/granularity.ts';
import { formatInstant } from '../../model/instant.ts';
import type { SegmentAggregator, SegmentIngestion } from '../../model/segment.ts';
import type { DataSchema } from './data-schema.ts';
import type { PairSettings } from './pair-metrics.ts';

/** Metadata of segments made with a dataSchema. */
export const ingestedAs = ({
  granularitySpec,
  metrics,
  timestampSpec: { column, format, missingValue },
}: DataSchema): SegmentIngestion => ({
  ...aggregatedAs(granularitySpec, metrics),
  timestampSpec: {
    column,
    format,
    missingValue: missingValue === undefined ? null : formatInstant(missingValue),
  },
});

/** Metadata of segments whose rows already had times: rows of a statement or of other segments. */
export const reingestedAs = (
  how: { readonly queryGranularity: Granularity; readonly rollup: boolean },
  metrics: readonly NamedAggregator[],
): SegmentIngestion => ({
  ...aggregatedAs(how, metrics),
  timestampSpec: { column: '__time', format: 'millis', missingValue: null },
});

// Aggregators that combine stored metrics further: they read the metric's own name, and counts
// become sums.
const aggregatedAs = (
  {
    queryGranularity,
    rollup,
  }: { readonly queryGranularity: Granularity; readonly rollup: boolean },
  metrics: readonly NamedAggregator[],
) => ({
  rollup,
  queryGranularity: granularityJson(queryGranularity),
  aggregators: metrics.map(({ type, name, pair }) => ({
    type: type === 'count' ? 'longSum' : type,
    name,
    fieldName: name,
    ...pair,
  })),
});

export type NamedAggregator = Pick<SegmentAggregator, 'type' | 'name'> & {
  readonly pair?: PairSettings | undefined;
};
