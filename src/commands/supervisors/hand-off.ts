import { command } from '../../cli/command/command.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { listOf, required, text } from '../../contract/schema.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  completers,
  hints,
  identified,
  supervisorId,
} from '../shared/supervisors/supervisor-id.ts';

export const handOff = command({
  summary: 'Make task groups publish their segments early',
  examples: ['svcctl supervisors hand-off edits 0'],
  endpoints: [supervisors.handOff],
  arguments: {
    ...supervisorId,
    groups: required(listOf(text), 'Task group numbers, as shown by svcctl supervisors stats'),
  },
  completers,
  ids: { supervisorId: identified },
  hints,
  writes: 'change',
  async run({ call, out, dryRun }, { args: { supervisorId, groups } }) {
    const taskGroupIds = groups.map(numberIn);
    await call(supervisors.handOff, { params: { supervisorId }, body: { taskGroupIds } });
    if (!dryRun)
      out.changed(
        supervisorId,
        `Supervisor [${supervisorId}] makes its tasks publish.`,
        commandLine`svcctl supervisors tasks ${supervisorId}`,
      );
  },
});

function numberIn(given: string): number {
  if (!/^\d+$/.test(given))
    throw new UsageError(
      `[${given}] is not a number of a task group`,
      'svcctl supervisors stats shows them',
    );
  return Number(given);
}
