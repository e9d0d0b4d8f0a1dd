import { command } from '../../cli/command/command.ts';
import { supervisors } from '../../contract/supervisors.ts';
import {
  completers,
  hints,
  identified,
  supervisorId,
} from '../shared/supervisors/supervisor-id.ts';

export const status = command({
  summary: 'Show state, lag, offsets and recent errors of a supervisor',
  examples: [
    'svcctl supervisors status edits',
    'svcctl supervisors status edits --query aggregateLag',
  ],
  endpoints: [supervisors.status],
  arguments: supervisorId,
  completers,
  ids: { supervisorId: identified },
  hints,
  async run({ call, out }, { args }) {
    const { id, payload } = await call(supervisors.status, { params: args });
    await out.value({ id, ...payload });
  },
});
