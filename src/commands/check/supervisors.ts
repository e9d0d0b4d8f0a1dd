import { monitor } from '../shared/checks/monitor.ts';
import { supervisorsCheck } from '../shared/checks/supervisors-check.ts';

export const supervisors = monitor(supervisorsCheck, {
  summary: 'Check supervisor health and lag',
  examples: [
    'svcctl check supervisors',
    'svcctl check supervisors --metric lag --warn 10000 --crit 1000000',
  ],
});
