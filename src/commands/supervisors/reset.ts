import { command } from '../../cli/command/command.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  completers,
  hints,
  identified,
  supervisorId,
} from '../shared/supervisors/supervisor-id.ts';

export const reset = command({
  summary: 'Reset all offsets of a supervisor; data may be lost or duplicated',
  description:
    'Reading starts again at the earliest or the latest offsets, as the specification says. To set single partitions, use svcctl supervisors reset-offsets.',
  examples: ['svcctl supervisors reset edits --confirm=edits'],
  endpoints: [supervisors.reset],
  arguments: supervisorId,
  completers,
  ids: { supervisorId: identified },
  hints,
  writes: 'destroy',
  async run({ call, confirm, out, dryRun }, { args }) {
    const { supervisorId } = args;
    await confirm({
      level: 'destroy',
      what: `Reset the offsets of supervisor [${supervisorId}]; data may be lost or read twice`,
      name: supervisorId,
    });
    await call(supervisors.reset, { params: args });
    if (!dryRun)
      out.changed(
        supervisorId,
        `Supervisor [${supervisorId}] has reset its offsets.`,
        commandLine`svcctl supervisors status ${supervisorId}`,
      );
  },
});
