import { command } from '../../cli/command/command.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { commandLine } from '../../model/shell-text.ts';
import { completers, hints, supervisorId } from '../shared/supervisors/supervisor-id.ts';

export const edit = command({
  summary: 'Edit the specification of a supervisor in an editor',
  description:
    'It opens as YAML in VISUAL or EDITOR, and is sent when it means something else than before, unless somebody was faster (exit code 5). Tasks publish what they have read, and new ones go on from there.',
  examples: ['svcctl supervisors edit edits'],
  endpoints: [supervisors.list, supervisors.submit],
  arguments: supervisorId,
  completers,
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
