// Ingestion metadata stored with segments (Druid: org.apache.druid.segment.Metadata).
import { type Granularity, granularityJson } from '../../model/granularity.ts';
import { formatInstant } from '../../model/instant.ts';
import type { SegmentAggregator, SegmentIngestion } from '../../model/segment.ts';
import type { DataSchema } from './data-schema.ts';

/** What segments made by a dataSchema remember. */
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

/**
 * What segments made of rows that had their times already remember: of a statement, or of other
 * segments.
 */
export const reingestedAs = (
  how: { readonly queryGranularity: Granularity; readonly rollup: boolean },
  metrics: readonly Pick<SegmentAggregator, 'type' | 'name'>[],
): SegmentIngestion => ({
  ...aggregatedAs(how, metrics),
  timestampSpec: { column: '__time', format: 'millis', missingValue: null },
});

// What combines stored metrics further: they are read by their own name, and counts are added up.
const aggregatedAs = (
  {
    queryGranularity,
    rollup,
  }: { readonly queryGranularity: Granularity; readonly rollup: boolean },
  metrics: readonly Pick<SegmentAggregator, 'type' | 'name'>[],
) => ({
  rollup,
  queryGranularity: granularityJson(queryGranularity),
  aggregators: metrics.map(({ type, name }) => ({
    type: type === 'count' ? 'longSum' : type,
    name,
    fieldName: name,
  })),
});
