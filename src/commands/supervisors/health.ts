import { command } from '../../cli/command/command.ts';
import { exitCodes } from '../../cli/process/exit-codes.ts';
import { supervisors } from '../../contract/supervisors.ts';
import {
  completers,
  hints,
  identified,
  supervisorId,
} from '../shared/supervisors/supervisor-id.ts';

export const health = command({
  summary: 'Check the health of a supervisor; the exit code tells the result',
  examples: ['svcctl supervisors health edits'],
  endpoints: [supervisors.health],
  arguments: supervisorId,
  completers,
  ids: { supervisorId: identified },
  hints,
  async run({ call, out }, { args }) {
    const { healthy } = await call(supervisors.health, { params: args });
    await out.value({ healthy });
    return healthy ? exitCodes.done : exitCodes.unhealthy;
  },
});
