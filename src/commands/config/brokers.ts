import { config } from '../../contract/config.ts';
import { dynamicConfig } from './dynamic-config.ts';

export const brokers = dynamicConfig({
  name: 'brokers',
  what: 'the Brokers',
  summary: 'Show, change or roll back the dynamic configuration of the Brokers',
  examples: [
    'svcctl config brokers get',
    `svcctl config brokers set 'queryContext={"priority": 1}'`,
  ],
  endpoints: [config.getBroker, config.setBroker, config.brokerHistory],
  schema: config.setBroker.body,
  isPartial: false,
  get: (call) => call(config.getBroker),
  set: (call, body, headers) => call(config.setBroker, { body, headers }),
  history: (call, query) => call(config.brokerHistory, { query }),
});
