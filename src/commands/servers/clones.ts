import { command } from '../../cli/command.ts';
import { config } from '../../contract/config.ts';

export const clones = command({
  summary: 'Show how far cloned servers are behind their originals',
  examples: ['svcctl servers clones'],
  endpoints: [config.cloneStatus],
  async run({ call, out }) {
    await out.document(await call(config.cloneStatus));
  },
});
