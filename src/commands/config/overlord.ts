import { workers } from '../../contract/workers.ts';
import { dynamicConfig } from './dynamic-config.ts';

export const overlord = dynamicConfig({
  name: 'overlord',
  what: 'the Overlord',
  summary: 'Show, change or roll back the dynamic configuration of the Overlord',
  examples: [
    'svcctl config overlord get',
    `svcctl config overlord set 'selectStrategy={"type": "fillCapacity"}' --comment "fewer workers"`,
    'svcctl config overlord history',
  ],
  endpoints: [workers.getConfig, workers.setConfig, workers.configHistory],
  schema: workers.setConfig.body,
  isPartial: false,
  get: (call) => call(workers.getConfig),
  set: (call, body, headers) => call(workers.setConfig, { body, headers }),
  history: (call, query) => call(workers.configHistory, { query }),
});
