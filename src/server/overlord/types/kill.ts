// Task that deletes unused segments for good (Druid: KillUnusedSegmentsTask).
import { formatInstant, parseInstant } from '../../../model/instant.ts';
import { formatInterval, parseInterval } from '../../../model/interval.ts';
import { SpecFields } from '../../checks/spec-fields.ts';
import { optionalInstant } from '../../checks/spec-times.ts';
import type { Metadata } from '../../storage/metadata.ts';
import type { SegmentStore } from '../../storage/segment-store.ts';
import { listSegments } from '../../storage/segments.ts';
import type { StoredPayload } from '../../storage/tasks.ts';
import { checkLockType, killLockType } from '../../tasks/lock-types.ts';
import type { TaskType } from '../../tasks/task-type.ts';

/** Type of kill tasks, over the given segments. */
export const kill = ({
  metadata,
  segments,
}: {
  readonly metadata: Metadata;
  readonly segments: SegmentStore;
}): TaskType => ({
  priority: 0,
  slots: () => 1,
  prepare(given) {
    const fields = new SpecFields(given, '');
    checkLockType(given.context);
    const dataSource = fields.text('dataSource');
    const interval = formatInterval(fields.interval('interval'));
    const batchSize = fields.integer('batchSize', 100);
    if (batchSize <= 0) fields.refuse(`batchSize[${batchSize}] must be a positive integer.`);
    const limit = fields.optionalInteger('limit');
    if (limit !== undefined && limit <= 0)
      fields.refuse(`limit[${limit}] must be a positive integer.`);
    const versions = fields.optionalTexts('versions');
    const updatedMs = optionalInstant(fields, 'maxUsedStatusLastUpdatedTime');
    const rest = {
      ...(versions && { versions }),
      ...(limit && { limit }),
      ...(updatedMs !== undefined && { maxUsedStatusLastUpdatedTime: formatInstant(updatedMs) }),
    };
    return { dataSource, payload: { dataSource, interval, batchSize, ...rest } };
  },
  locks: (payload) => [{ interval: intervalOf(payload), type: killLockType(payload.context) }],
  async run(task) {
    const { versions, limit, maxUsedStatusLastUpdatedTime, batchSize } = task.payload;
    const before =
      typeof maxUsedStatusLastUpdatedTime === 'string'
        ? parseInstant(maxUsedStatusLastUpdatedTime)
        : Number.POSITIVE_INFINITY;
    const filter = { dataSource: task.dataSource, used: false, interval: intervalOf(task.payload) };
    const doomed = listSegments(metadata, {
      ...filter,
      ...(Array.isArray(versions) && { versions }),
    })
      .filter(({ usedStatusLastUpdatedMs }) => usedStatusLastUpdatedMs <= before)
      .slice(0, typeof limit === 'number' ? limit : undefined);
    let numSegmentsKilled = 0;
    let numBatchesProcessed = 0;
    const payload = () => ({ numSegmentsKilled, numBatchesProcessed });
    task.reportWith(() => ({
      killUnusedSegments: { type: 'killUnusedSegments', taskId: task.id, payload: payload() },
    }));
    task.log(`Deleting [${doomed.length}] unused segments in [${task.payload.interval}]`);
    for (let first = 0; first < doomed.length; first += Number(batchSize)) {
      task.signal.throwIfAborted();
      const batch = doomed.slice(first, first + Number(batchSize));
      numSegmentsKilled += await segments.delete(batch);
      numBatchesProcessed++;
      for (const { id } of batch) task.log(`Deleted segment [${id}]`);
    }
  },
});

const intervalOf = ({ interval }: StoredPayload) => parseInterval(String(interval));
