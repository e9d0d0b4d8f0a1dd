import { monitor } from './monitor.ts';
import { supervisorsCheck } from './supervisors-check.ts';

export const supervisors = monitor(supervisorsCheck, {
  summary: 'Check whether supervisors are healthy, and how far behind they are',
  examples: ['svcctl check supervisors', 'svcctl check supervisors --metric lag --warn 10000 --crit 1000000'],
});
