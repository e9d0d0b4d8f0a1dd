import { command, optionsFromHeaders } from '../../cli/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { rules } from '../../contract/rules.ts';
import { anything, optional, text } from '../../contract/schema.ts';
import { checkedRules } from './check-rules.ts';
import { ruleColumns } from './columns.ts';

export const defaultRules = command({
  summary: 'Show or replace the rules that follow those of every datasource',
  examples: ['svcctl rules default', 'svcctl rules default --file rules.json --comment "a year everywhere"'],
  endpoints: [rules.get, rules.setDefault],
  shorts: { file: 'f' },
  writes: 'change',
  options: {
    ...optionsFromHeaders(rules.setDefault),
    file: optional(text, 'New rules as JSON, in the order they are tried; - is stdin'),
  },
  columns: ruleColumns,
  async run({ call, confirm, out, io, dryRun }, { options: { file, ...headers } }) {
    if (file === undefined) return out.rows(await call(rules.get, { params: { dataSource: '_default' } }), ruleColumns);
    const body = [...checkedRules(await readJson(anything, file, io))];
    if (body.length === 0)
      await confirm({
        level: 'destroy',
        what: 'Without default rules, nothing more is loaded or dropped',
        name: '_default',
        back: 'svcctl undo takes it back',
      });
    await call(rules.setDefault, { headers, body });
    if (!dryRun)
      out.changed(`There ${body.length === 1 ? 'is 1 default rule' : `are ${body.length} default rules`}.`, 'svcctl rules default');
  },
});
