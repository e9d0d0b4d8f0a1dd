// Specification of a supervisor that runs an SQL statement on a schedule (Druid:
// ScheduledBatchSupervisorSpec).

import { checkNameLength } from '../../checks/name-length.ts';
import { isObject, type SpecFields, type SpecValues } from '../../checks/spec-fields.ts';
import type { StoredSupervisorSpec } from '../../storage/supervisors.ts';
import { faultInId } from '../../tasks/task-ids.ts';
import { type CronSchedule, cronSchedule } from './cron-schedule.ts';

export interface ScheduledBatchSpec {
  readonly type: 'scheduled_batch';
  readonly id: string;
  readonly dataSource: string;
  readonly suspended: boolean;
  readonly query: BatchQuery;
  readonly schedule: CronSchedule;
  readonly stored: StoredSupervisorSpec;
}

/** The statement as a SQL request. */
export interface BatchQuery {
  readonly query: string;
  readonly context: SpecValues;
}

/**
 * Reads a specification with a known datasource and id; throws a Refusal that names the invalid
 * field.
 */
export function scheduledBatchSpec(fields: SpecFields): ScheduledBatchSpec {
  const query = batchQuery(fields);
  const config = fields.object('schedulerConfig');
  const type = config.type('CronSchedulerConfig', ['unix', 'quartz']);
  const text = config.text('schedule');
  const dataSource = fields.text('dataSource');
  const id = fields.text('id');
  const fault = faultInId('id', id);
  if (fault) fields.refuse(fault);
  checkNameLength(id, 'id');
  const suspended = fields.truth('suspended');
  return {
    type: 'scheduled_batch',
    id,
    dataSource,
    suspended,
    query,
    schedule: scheduleIn(config, type, text),
    stored: {
      type: 'scheduled_batch',
      spec: fields.object('spec').values,
      schedulerConfig: { type, schedule: text },
      suspended,
      dataSource,
      id,
    },
  };
}

/**
 * The statement of a specification; throws a Refusal for fields that a scheduled statement does not
 * support.
 */
export function batchQuery(fields: SpecFields): BatchQuery {
  const spec = fields.object('spec');
  const query = spec.text('query');
  if (spec.has('parameters'))
    spec.refuse(
      'parameters are not available in a scheduled statement. Write their values into the query',
    );
  const context = spec.optionalObject('context')?.values ?? {};
  if (!isObject(context)) return spec.refuse('context must be an object');
  const { sqlQueryId: _, ...rest } = context; // every run gets its own id
  return { query, context: rest };
}

function scheduleIn(config: SpecFields, type: 'unix' | 'quartz', text: string): CronSchedule {
  try {
    return cronSchedule(type, text);
  } catch (error) {
    return config.refuse(
      `schedule [${text}] is not a cron expression of type [${type}]: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
