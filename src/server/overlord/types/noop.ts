// Task that only runs for a given time (Druid: NoopTask).

import { SpecFields } from '../../checks/spec-fields.ts';
import type { Clock } from '../../process/clock.ts';
import type { TaskType } from '../../tasks/task-type.ts';

/** `clock` measures the time. */
export const noop = (clock: Clock): TaskType => ({
  priority: 0,
  slots: () => 1,
  prepare(given) {
    const fields = new SpecFields(given, '');
    const dataSource = fields.optionalText('dataSource') ?? 'none';
    return {
      dataSource,
      payload: {
        dataSource,
        runTime: fields.long('runTime', 2500),
        isReadyTime: fields.long('isReadyTime', 0),
      },
    };
  },
  locks: () => [],
  async run({ payload, signal, log }) {
    log(`Doing nothing for [${payload.runTime}] ms`);
    await clock.sleep(Number(payload.runTime), signal);
  },
});
