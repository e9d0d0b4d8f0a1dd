import { command } from '../../cli/command/command.ts';
import { waitForEach } from '../../cli/command/wait-for-each.ts';
import { count, listOf, oneOf, optional, seconds } from '../../contract/schema.ts';
import { supervisors } from '../../contract/supervisors.ts';
import {
  completers,
  hints,
  identified,
  supervisorId,
} from '../shared/supervisors/supervisor-id.ts';
import { waitForState } from './wait-for-state.ts';

export const wait = command({
  summary: 'Wait until a supervisor runs or has caught up',
  description:
    'Progress is on standard error. Exit code 0 when the state is reached, 1 when the supervisor is unhealthy, 7 when --max-wait is over. Ctrl-C does not change the supervisor and prints how to continue waiting.',
  examples: [
    'svcctl supervisors wait edits --max-lag 0 --max-wait 60',
    'svcctl supervisors wait edits --for suspended',
  ],
  endpoints: [supervisors.status],
  arguments: supervisorId,
  options: {
    for: optional(
      listOf(oneOf('running', 'idle', 'suspended', 'completed')),
      'The state to wait for (running or idle)',
    ),
    maxLag: optional(count, 'Also wait until the lag is at most this many records'),
    maxWait: optional(seconds, 'Timeout in seconds'),
  },
  completers,
  ids: { supervisorId: identified },
  hints,
  async run(context, { args, options: { for: states = ['running', 'idle'], maxLag, maxWait } }) {
    await waitForEach(context, [args.supervisorId], (id) =>
      waitForState(context, id, {
        states: states.map((state) => state.toUpperCase()),
        ...(maxLag !== undefined && { maxLag }),
        ...(maxWait !== undefined && { maxWait }),
      }),
    );
  },
});
