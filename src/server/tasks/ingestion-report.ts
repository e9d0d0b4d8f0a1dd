// Report of a native batch ingestion, during the run and after it (Druid: IngestionStatsAndErrors).
import type { RowStats, UnparseableEvent } from '../ingestion/loading.ts';
import type { Reports } from './task-type.ts';

export interface IngestionProgress {
  state:
    | 'NOT_STARTED'
    | 'DETERMINE_PARTITIONS'
    | 'BUILD_SEGMENTS'
    | 'SEGMENT_AVAILABILITY_WAIT'
    | 'COMPLETED';
  readonly stats: RowStats;
  readonly events: UnparseableEvent[];
  errorMsg: string | null;
  segmentAvailabilityConfirmed: boolean;
  segmentsRead: number | null; // by compaction
  segmentsPublished: number | null;
}

export const newProgress = (): IngestionProgress => ({
  state: 'NOT_STARTED',
  stats: { processed: 0, processedBytes: 0, processedWithError: 0, thrownAway: 0, unparseable: 0 },
  events: [],
  errorMsg: null,
  segmentAvailabilityConfirmed: false,
  segmentsRead: null,
  segmentsPublished: null,
});

/**
 * The reports of a task. Rows are read once, so both phases of the real engine show the same
 * numbers.
 */
export function ingestionReports(
  taskId: string,
  progress: IngestionProgress,
  context: unknown,
): Reports {
  const {
    state,
    stats,
    events,
    errorMsg,
    segmentAvailabilityConfirmed,
    segmentsRead,
    segmentsPublished,
  } = progress;
  const payload = {
    ingestionState: state,
    unparseableEvents: { determinePartitions: events, buildSegments: events },
    rowStats: {
      // That phase reads no values
      determinePartitions: {
        ...stats,
        processed: stats.processed + stats.processedWithError,
        processedWithError: 0,
      },
      buildSegments: { ...stats },
      totals: { buildSegments: { ...stats } },
    },
    errorMsg,
    segmentAvailabilityConfirmed,
    segmentAvailabilityWaitTimeMs: 0,
    recordsProcessed: {},
    ...(segmentsRead !== null && { segmentsRead }),
    segmentsPublished,
  };
  return {
    ingestionStatsAndErrors: { type: 'ingestionStatsAndErrors', taskId, payload },
    taskContext: { type: 'taskContext', taskId, payload: context ?? {} },
  };
}
