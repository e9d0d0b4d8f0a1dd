// Merged ingestion metadata of segments for segmentMetadata queries (Druid:
// SegmentMetadataQueryQueryToolChest.mergeAnalyses).
import { formatJson } from '../../model/json.ts';
import type { SegmentAggregator, SegmentIngestion } from '../../model/segment.ts';
import type { AggregatorMerge } from '../../sql/native/statement.ts';

/** Null stands for unknown values and for values that differ between segments. */
export interface MergedIngestion {
  readonly aggregators: Readonly<Record<string, SegmentAggregator | null>> | null;
  readonly queryGranularity: SegmentIngestion['queryGranularity'] | null;
  readonly timestampSpec: SegmentIngestion['timestampSpec'] | null;
  readonly rollup: boolean | null;
}

/** The metadata of one segment. */
export const ingestedAs = (ingestion: SegmentIngestion | undefined): MergedIngestion =>
  ingestion
    ? {
        ...ingestion,
        aggregators: Object.fromEntries(
          ingestion.aggregators.map((aggregator) => [aggregator.name, aggregator]),
        ),
      }
    : { aggregators: null, queryGranularity: null, timestampSpec: null, rollup: null };

/** Merges two sets of metadata, the earlier one first. */
export const mergeIngestion = (
  left: MergedIngestion,
  right: MergedIngestion,
  how: AggregatorMerge,
): MergedIngestion => ({
  aggregators: unlessEmpty(mergeAggregators(left.aggregators, right.aggregators, how)),
  queryGranularity: same(left.queryGranularity, right.queryGranularity),
  timestampSpec: same(left.timestampSpec, right.timestampSpec),
  rollup: same(left.rollup, right.rollup),
});

function mergeAggregators(
  left: MergedIngestion['aggregators'],
  right: MergedIngestion['aggregators'],
  how: AggregatorMerge,
): MergedIngestion['aggregators'] {
  if (how === 'strict' && (!left || !right)) return null;
  if (!left || !right) return left ?? right;
  if (how === 'earliest') return { ...right, ...left };
  if (how === 'latest') return { ...left, ...right };
  const merged = { ...left };
  for (const [name, aggregator] of Object.entries(right))
    merged[name] = name in left ? same(left[name] ?? null, aggregator) : aggregator;
  return how === 'strict' && Object.values(merged).includes(null) ? null : merged;
}

const unlessEmpty = (aggregators: MergedIngestion['aggregators']) =>
  aggregators && Object.keys(aggregators).length > 0 ? aggregators : null;

const same = <Value>(one: Value | null, other: Value | null): Value | null =>
  one !== null && other !== null && formatJson(one) === formatJson(other) ? one : null;
