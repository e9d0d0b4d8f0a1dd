// Permanent deletion of unused segments and of old audit entries, if configured (Druid:
// KillUnusedSegments, KillAuditLog).
import { formatInstant } from '../../model/instant.ts';
import { formatInterval } from '../../model/interval.ts';
import type { Properties } from '../settings/properties.ts';
import { deleteAuditEntriesBefore } from '../storage/audit.ts';
import type { Metadata } from '../storage/metadata.ts';
import { listDataSources, listSegments } from '../storage/segments.ts';
import { listTasks } from '../storage/tasks.ts';
import { newTaskId } from '../tasks/task-ids.ts';
import type { TaskQueue } from '../tasks/task-queue.ts';
import type { CoordinatorConfig } from './coordinator-config.ts';
import type { Duty } from './duties.ts';

/**
 * Submits kill tasks for segments that have been unused for `kill.bufferPeriod` and whose data are
 * older than `kill.durationToRetain`: one per datasource, within the slots of the dynamic
 * configuration. Undefined unless `coordinator.kill.on` is true.
 */
export function killUnusedSegments(
  properties: Properties,
  {
    metadata,
    queue,
    config,
  }: { readonly metadata: Metadata; readonly queue: TaskQueue; readonly config: CoordinatorConfig },
): Duty | undefined {
  if (!properties.truth('coordinator.kill.on', false)) return undefined;
  const retainMs = properties.periodMs('coordinator.kill.durationToRetain', 'P90D');
  const bufferMs = properties.periodMs('coordinator.kill.bufferPeriod', 'P30D');
  const limit = properties.integer('coordinator.kill.maxSegments', 100);
  const keepsNothing = properties.truth('coordinator.kill.ignoreDurationToRetain', false);
  return {
    name: 'org.apache.druid.server.coordinator.duty.KillUnusedSegments',
    run(nowMs) {
      const { killDataSourceWhitelist: only, killTaskSlotRatio, maxKillTaskSlots } = config.get();
      const active = listTasks(metadata, { type: 'kill', status: ['RUNNING'] }).filter(({ id }) =>
        id.startsWith(prefix),
      );
      const slots =
        killTaskSlotRatio === 0
          ? 0
          : Math.min(maxKillTaskSlots, Math.max(1, Math.floor(queue.capacity * killTaskSlotRatio)));
      const names = listDataSources(metadata, { includeUnused: true }).filter(
        (name) => only.length === 0 || only.includes(name),
      );
      let free = slots - active.length;
      for (const dataSource of names) {
        if (free <= 0) return;
        if (active.some((task) => task.dataSource === dataSource)) continue;
        const doomed = listSegments(metadata, { dataSource, used: false })
          .filter(({ interval, usedStatusLastUpdatedMs }) => {
            const isOld = keepsNothing || interval.end <= nowMs - retainMs;
            return isOld && usedStatusLastUpdatedMs <= nowMs - bufferMs;
          })
          .slice(0, limit);
        if (doomed.length === 0) continue;
        queue.submit({
          type: 'kill',
          id: newTaskId(`${prefix}kill`, dataSource, nowMs),
          dataSource,
          interval: formatInterval({
            start: Math.min(...doomed.map(({ interval }) => interval.start)),
            end: Math.max(...doomed.map(({ interval }) => interval.end)),
          }),
          limit,
          maxUsedStatusLastUpdatedTime: formatInstant(nowMs - bufferMs),
        });
        free--;
      }
    },
  };
}

const prefix = 'coordinator-issued_';

/**
 * Deletes history entries older than `coordinator.kill.audit.durationToRetain`; undefined when that
 * is disabled.
 */
export function killAuditLog(properties: Properties, metadata: Metadata): Duty | undefined {
  if (!properties.truth('coordinator.kill.audit.on', true)) return undefined;
  const retainMs = properties.periodMs('coordinator.kill.audit.durationToRetain', 'P90D');
  return {
    name: 'org.apache.druid.server.coordinator.duty.KillAuditLog',
    run: (nowMs) => void deleteAuditEntriesBefore(metadata, nowMs - retainMs),
  };
}
