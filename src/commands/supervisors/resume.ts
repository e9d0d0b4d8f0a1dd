import { commandLine } from '../../model/shell-text.ts';
import { suspension } from './suspension.ts';

export const resume = suspension({
  verb: 'resume',
  summary: 'Resume a suspended supervisor',
  notDone: 'it is still suspended',
  alreadySo: 'is already running',
  doneToAll: ['resumed', 'svcctl supervisors list'],
  doneTo: (supervisorId) => [
    `Supervisor [${supervisorId}] is resumed.`,
    commandLine`svcctl supervisors wait ${supervisorId}`,
  ],
});
