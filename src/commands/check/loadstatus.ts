import { loadStatusCheck } from './load-status-check.ts';
import { monitor } from './monitor.ts';

export const loadstatus = monitor(loadStatusCheck, {
  summary: 'Check whether queries see all segments that the rules want',
  examples: ['svcctl check loadstatus --warn 0 --crit 100', 'svcctl check loadstatus --metric loaded --crit 95: --output prometheus'],
});
