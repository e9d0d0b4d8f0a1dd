import { command, optionsFromHeaders } from '../../cli/command/command.ts';
import { compaction } from '../../contract/compaction.ts';
import { commandLine } from '../../model/shell-text.ts';
import { completers, dataSource, hints } from './datasource.ts';

export const edit = command({
  summary: 'Edit the compaction configuration of a datasource in an editor',
  description:
    'Opens the configuration as YAML in VISUAL or EDITOR. It is sent when its meaning has changed, and refused when somebody else has changed it meanwhile (exit code 5).',
  examples: ['svcctl compaction edit wikipedia --comment "larger segments"'],
  endpoints: [compaction.list, compaction.set],
  arguments: dataSource,
  completers,
  hints,
  writes: 'change',
  options: optionsFromHeaders(compaction.set),
  async run(context, { args: { dataSource: name }, options: signature }) {
    const [{ edit }, { compactionArea: area }] = await Promise.all([
      import('../shared/configuration/edit.ts'),
      import('../shared/configuration/compaction-area.ts'),
    ]);
    await edit(context, {
      area,
      name,
      what: `The compaction configuration of datasource [${name}]`,
      signature,
      next: commandLine`svcctl compaction get ${name}`,
    });
  },
});
