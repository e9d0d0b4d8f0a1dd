import { monitor } from './monitor.ts';
import { tasksCheck } from './tasks-check.ts';

export const tasks = monitor(tasksCheck, {
  summary: 'Check whether tasks fail, or wait for long',
  examples: ['svcctl check tasks --warn 5 --crit 20', 'svcctl check tasks --metric oldest --warn 600 --crit 3600'],
});
