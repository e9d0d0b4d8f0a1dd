import { command, optionsFromQuery } from '../../cli/command/command.ts';
import { auditColumns } from '../../cli/lists/audit-columns.ts';
import { rules } from '../../contract/rules.ts';
import { optional, text } from '../../contract/schema.ts';
import { completers } from './datasource.ts';

export const history = command({
  summary: 'Show the history of retention rules',
  examples: [
    'svcctl rules history wikipedia',
    'svcctl rules history --interval 2024-01-01/2025-01-01 --output json',
  ],
  endpoints: [rules.history, rules.allHistory],
  arguments: { dataSource: optional(text, 'Name of the datasource, or _default (default: all)') },
  completers,
  options: optionsFromQuery(rules.history),
  columns: auditColumns,
  async run({ call, out }, { args: { dataSource }, options: query }) {
    await out.rows(
      dataSource === undefined
        ? await call(rules.allHistory, { query })
        : await call(rules.history, { params: { dataSource }, query }),
      auditColumns,
    );
  },
});
