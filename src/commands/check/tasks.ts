import { monitor } from '../shared/checks/monitor.ts';
import { tasksCheck } from '../shared/checks/tasks-check.ts';

export const tasks = monitor(tasksCheck, {
  summary: 'Check for failed and long-waiting tasks',
  examples: [
    'svcctl check tasks --warn 5 --crit 20',
    'svcctl check tasks --metric oldest --warn 600 --crit 3600',
  ],
});
