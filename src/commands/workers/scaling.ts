import { command } from '../../cli/command.ts';
import { workers } from '../../contract/workers.ts';

export const scaling = command({
  summary: 'Show when workers were added and taken away by themselves',
  examples: ['svcctl workers scaling --output json'],
  endpoints: [workers.scaling],
  async run({ call, out }) {
    await out.document((await call(workers.scaling)) ?? []);
  },
});
