import { command, optionsFromHeaders } from '../../cli/command/command.ts';
import { metadata } from '../../contract/metadata.ts';
import { rules } from '../../contract/rules.ts';
import { commandLine } from '../../model/shell-text.ts';
import { checkRules } from '../shared/rules/check-rules.ts';
import { confirmRules } from './confirm-rules.ts';
import { completers, dataSource } from './datasource.ts';

export const edit = command({
  summary: 'Edit the retention rules of a datasource in an editor',
  description:
    'Opens the rules as YAML in VISUAL or EDITOR. They are sent when their meaning has changed, and refused when somebody else has changed them meanwhile (exit code 5). Asks for confirmation when segments would leave the servers.',
  examples: [
    'svcctl rules edit wikipedia',
    'svcctl rules edit _default --comment "a year everywhere"',
  ],
  endpoints: [rules.list, rules.set, metadata.segments],
  arguments: dataSource,
  completers,
  writes: 'change',
  options: optionsFromHeaders(rules.set),
  async run(context, { args: { dataSource: name }, options: signature }) {
    const confirm = (document: unknown) => confirmRules(context, name, checkRules(document));
    const [{ edit }, { rulesArea: area }] = await Promise.all([
      import('../shared/configuration/edit.ts'),
      import('../shared/configuration/rules-area.ts'),
    ]);
    const what = name === '_default' ? 'The default rules' : `The rules of datasource [${name}]`;
    await edit(context, {
      area,
      name,
      what,
      empty: [],
      signature,
      confirm,
      next: commandLine`svcctl rules get ${name}`,
    });
  },
});
