import { monitor } from './monitor.ts';
import { segmentsCheck } from './segments-check.ts';

export const segments = monitor(segmentsCheck, {
  summary: 'Check how full the servers are, and how many segments they have yet to load',
  examples: ['svcctl check segments --warn 80 --crit 95', 'svcctl check segments --metric queued --warn 1000 --output json'],
});
