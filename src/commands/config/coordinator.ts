import { config } from '../../contract/config.ts';
import { dynamicConfig } from './dynamic-config.ts';

export const coordinator = dynamicConfig({
  name: 'coordinator',
  what: 'the Coordinator',
  summary: 'Show, change or roll back the dynamic configuration of the Coordinator',
  examples: [
    'svcctl config coordinator get',
    'svcctl config coordinator set maxSegmentsToMove=50 pauseCoordination=false --comment "less moving"',
    'svcctl config coordinator history --count 2',
    'svcctl config coordinator rollback --yes',
  ],
  endpoints: [config.get, config.set, config.history],
  schema: config.set.body,
  isPartial: true,
  get: (call) => call(config.get),
  set: (call, body, headers) => call(config.set, { body, headers }),
  history: (call, query) => call(config.history, { query }),
});
