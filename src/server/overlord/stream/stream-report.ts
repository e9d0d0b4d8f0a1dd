// Reports of a task that reads a stream (Druid: IngestionStatsAndErrorsTaskReport, filled as by
// SeekableStreamIndexTaskRunner).
import type { IngestionProgress } from '../../tasks/ingestion-report.ts';
import type { Reports } from '../../tasks/task-type.ts';
import type { Partition } from './topics.ts';

/** The reports of a task; `recordsOf` counts records by partition. */
export function streamReports(
  taskId: string,
  {
    state,
    stats,
    events,
    errorMsg,
    segmentAvailabilityConfirmed,
    segmentsPublished,
  }: IngestionProgress,
  recordsOf: ReadonlyMap<Partition, number>,
  context: unknown,
): Reports {
  const payload = {
    ingestionState: state,
    unparseableEvents: events.length > 0 ? { buildSegments: [...events] } : {},
    rowStats: { buildSegments: { ...stats } },
    errorMsg,
    segmentAvailabilityConfirmed,
    segmentAvailabilityWaitTimeMs: 0,
    recordsProcessed: Object.fromEntries(recordsOf),
    segmentsRead: null,
    segmentsPublished,
  };
  return {
    ingestionStatsAndErrors: { type: 'ingestionStatsAndErrors', taskId, payload },
    taskContext: { type: 'taskContext', taskId, payload: context ?? {} },
  };
}
