import { command } from '../../cli/command/command.ts';
import { supervisors } from '../../contract/supervisors.ts';
import {
  completers,
  hints,
  identified,
  supervisorId,
} from '../shared/supervisors/supervisor-id.ts';

export const parseErrors = command({
  summary: 'Show rows that the tasks of a supervisor could not parse',
  description: 'The service keeps as many as maxSavedParseExceptions of the tuningConfig allows.',
  examples: ['svcctl supervisors parse-errors edits'],
  endpoints: [supervisors.parseErrors],
  arguments: supervisorId,
  completers,
  ids: { supervisorId: identified },
  hints,
  async run({ call, out }, { args }) {
    await out.document(await call(supervisors.parseErrors, { params: args }));
  },
});
