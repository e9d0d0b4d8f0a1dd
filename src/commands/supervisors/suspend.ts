import { commandLine } from '../../model/shell-text.ts';
import { suspension } from './suspension.ts';

export const suspend = suspension({
  verb: 'suspend',
  summary: 'Suspend a supervisor; its tasks publish their segments',
  notDone: 'it is not suspended',
  alreadySo: 'is already suspended',
  doneToAll: ['suspended', 'svcctl supervisors resume --all'],
  doneTo: (supervisorId) => [
    `Supervisor [${supervisorId}] is suspended.`,
    commandLine`svcctl supervisors resume ${supervisorId}`,
  ],
});
