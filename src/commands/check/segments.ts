import { monitor } from '../shared/checks/monitor.ts';
import { segmentsCheck } from '../shared/checks/segments-check.ts';

export const segments = monitor(segmentsCheck, {
  summary: 'Check disk use and load queues of the data servers',
  examples: [
    'svcctl check segments --warn 80 --crit 95',
    'svcctl check segments --metric queued --warn 1000 --output json',
  ],
});
