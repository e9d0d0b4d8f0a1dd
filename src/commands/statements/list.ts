import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { flag, optional } from '../../contract/schema.ts';
import { entriesFor, type LedgerEntry } from './ledger.ts';

const columns = columnsOf<LedgerEntry>({
  id: (entry) => entry.queryId,
  submitted: { value: (entry) => entry.submitted, kind: 'time' },
  url: { value: (entry) => entry.url, wide: true },
  statement: (entry) => entry.statement,
});

export const list = command({
  summary: 'List statements submitted with svcctl',
  description:
    'Sends no request: svcctl statements submit writes the list to a file below $XDG_STATE_HOME/svcctl. svcctl tasks list --type query_controller lists the statements of all users on the service.',
  examples: ['svcctl statements list', 'svcctl statements list --all -o json'],
  options: { all: optional(flag, 'Statements of all services, not only of the current one') },
  columns,
  async run({ out, io, settings }, { options }) {
    await out.rows([...entriesFor(io.env, options.all ? undefined : settings.url)], columns);
  },
});
