import { loadStatusCheck } from '../shared/checks/load-status-check.ts';
import { monitor } from '../shared/checks/monitor.ts';

export const loadstatus = monitor(loadStatusCheck, {
  summary: 'Check that all segments required by the rules are loaded',
  examples: [
    'svcctl check loadstatus --warn 0 --crit 100',
    'svcctl check loadstatus --metric loaded --crit 95: --output prometheus',
  ],
});
