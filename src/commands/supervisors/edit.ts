import { command } from '../../cli/command/command.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  completers,
  hints,
  identified,
  supervisorId,
} from '../shared/supervisors/supervisor-id.ts';

export const edit = command({
  summary: 'Edit the specification of a supervisor in an editor',
  description:
    'Opens the specification as YAML in VISUAL or EDITOR. It is sent when its meaning has changed, and refused when somebody else has changed it meanwhile (exit code 5). Tasks publish what they have read, and new tasks continue from there.',
  examples: ['svcctl supervisors edit edits'],
  endpoints: [supervisors.list, supervisors.submit],
  arguments: supervisorId,
  completers,
  ids: { supervisorId: identified },
  hints,
  writes: 'change',
  async run(context, { args: { supervisorId: name } }) {
    const [{ edit }, { supervisorsArea: area }] = await Promise.all([
      import('../shared/configuration/edit.ts'),
      import('../shared/configuration/supervisors-area.ts'),
    ]);
    await edit(context, {
      area,
      name,
      what: `Supervisor [${name}]`,
      signature: {},
      next: commandLine`svcctl supervisors status ${name}`,
    });
  },
});
