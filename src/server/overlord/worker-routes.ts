// Endpoints for the one worker of the service, of the Overlord and of the worker itself (the
// specification, "Tasks on a MiddleManager").
import { version } from '../../../package.json';
import type { OverlordDynamicConfig } from '../../contract/workers.ts';
import { formatInstant } from '../../model/instant.ts';
import { noLog, Refusal } from '../checks/refusals.ts';
import { type AuditedConfig, auditInfoFrom } from '../configuration/audited-config.ts';
import { unmaskDocument } from '../handlers/masks.ts';
import type { Routes } from '../handlers/routes.ts';
import type { Metadata } from '../storage/metadata.ts';
import { findTask } from '../storage/tasks.ts';
import type { TaskQueue } from '../tasks/task-queue.ts';
import { completeWorkerConfig } from './worker-config.ts';

/** Handlers of the MiddleManager. `host` is the worker's host and port. */
export const middleManagerRoutes = (
  queue: TaskQueue,
  metadata: Metadata,
  host: () => string,
): Routes<'middleManager'> => ({
  enabled: () => ({ [host()]: queue.worker.enabled }),
  enable: () => set(queue, host(), true),
  disable: () => set(queue, host(), false),
  tasks: () => queue.worker.runningTasks,
  async log({ params: { taskId }, query: { offset = 0 } }) {
    const text = findTask(metadata, taskId) && (await queue.log(taskId, offset));
    if (!text) throw noLog();
    return text;
  },
  shutdown({ params: { taskId } }) {
    if (findTask(metadata, taskId)) queue.shutdown(taskId);
    return { task: taskId }; // an unknown task is not running either
  },
});

/** The Overlord's handlers for workers and its dynamic configuration. */
export const workerRoutes = (
  queue: TaskQueue,
  metadata: Metadata,
  config: AuditedConfig<OverlordDynamicConfig>,
  { scheme, host }: { readonly scheme: 'http' | 'https'; readonly host: () => string },
): Routes<'workers'> => ({
  list() {
    const { enabled, runningTasks, slotsUsed, lastCompletedMs } = queue.worker;
    const types = runningTasks.flatMap((id) => findTask(metadata, id)?.type ?? []);
    const ofType = (type: string) => types.filter((other) => other === type).length;
    return [
      {
        worker: {
          scheme,
          host: host(),
          ip: queue.dialect.workerIp === 'address' ? addressIn(host()) : host(),
          capacity: queue.capacity,
          version,
          category: workerCategory,
          disabled: !enabled,
        },
        currCapacityUsed: slotsUsed,
        currParallelIndexCapacityUsed: ofType('index_parallel'),
        currCapacityUsedByTaskType: Object.fromEntries(types.map((type) => [type, ofType(type)])),
        availabilityGroups: runningTasks,
        runningTasks,
        lastCompletedTaskTime: formatInstant(lastCompletedMs),
        ...(queue.dialect.blacklistedUntil === 'null' && { blacklistedUntil: null }),
      },
    ];
  },
  enable: ({ params }) => set(queue, checkWorkerHost(params.host, host()), true),
  disable: ({ params }) => set(queue, checkWorkerHost(params.host, host()), false),
  getConfig: () => config.find(),
  setConfig({ body, headers, caller }) {
    config.set(
      completeWorkerConfig(unmaskDocument(body ?? {}, config.find())),
      auditInfoFrom(headers, caller),
    );
    queue.reconsider();
  },
  configHistory: ({ query }) => config.history(query),
  scaling: () => undefined, // autoscaling of workers does not exist here
});

/** The default category of a worker. */
export const workerCategory = '_default_worker_category';

const addressIn = (hostAndPort: string) => hostAndPort.slice(0, hostAndPort.lastIndexOf(':'));

function set(queue: TaskQueue, host: string, enabled: boolean): Record<string, string> {
  queue.takesTasks = enabled;
  return { [host]: enabled ? 'enabled' : 'disabled' };
}

function checkWorkerHost(given: string, host: string): string {
  if (given === host) return given;
  throw new Refusal('runtimeFailure', `Worker on host [${given}] does not exist`);
}
