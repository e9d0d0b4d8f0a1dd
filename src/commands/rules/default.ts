import { command, optionsFromHeaders } from '../../cli/command/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { metadata } from '../../contract/metadata.ts';
import { rules } from '../../contract/rules.ts';
import { anything, fileName, optional } from '../../contract/schema.ts';
import { checkRules } from '../shared/rules/check-rules.ts';
import { ruleColumns } from './columns.ts';
import { confirmRules } from './confirm-rules.ts';

export const defaultRules = command({
  summary: "Show or replace the cluster's default retention rules",
  examples: [
    'svcctl rules default',
    'svcctl rules default --file rules.json --comment "a year everywhere"',
  ],
  endpoints: [rules.get, rules.setDefault, rules.list, metadata.segments],
  shorts: { file: 'f' },
  writes: 'change',
  options: {
    ...optionsFromHeaders(rules.setDefault),
    file: optional(fileName, 'New rules as JSON, in order; - reads stdin'),
  },
  columns: ruleColumns,
  async run(context, { options: { file, ...headers } }) {
    const { call, out, io, dryRun } = context;
    if (file === undefined)
      return out.rows(await call(rules.get, { params: { dataSource: '_default' } }), ruleColumns);
    const body = [...checkRules(await readJson(anything, file, io))];
    await confirmRules(context, '_default', body);
    await call(rules.setDefault, { headers, body });
    if (!dryRun)
      out.changed(
        '_default',
        `There ${body.length === 1 ? 'is 1 default rule' : `are ${body.length} default rules`}.`,
        'svcctl rules default',
      );
  },
});
