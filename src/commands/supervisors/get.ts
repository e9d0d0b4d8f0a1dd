import { command } from '../../cli/command/command.ts';
import { supervisors } from '../../contract/supervisors.ts';
import {
  completers,
  hints,
  identified,
  supervisorId,
} from '../shared/supervisors/supervisor-id.ts';

export const get = command({
  summary: 'Show the specification of a supervisor',
  examples: [
    'svcctl supervisors get edits --output yaml',
    'svcctl supervisors get edits > edits-saved.json',
  ],
  endpoints: [supervisors.get],
  arguments: supervisorId,
  completers,
  ids: { supervisorId: identified },
  hints,
  async run({ call, out }, { args }) {
    await out.document(await call(supervisors.get, { params: args }));
  },
});
