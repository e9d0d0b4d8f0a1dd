import { command } from '../../cli/command/command.ts';
import { status } from '../../contract/status.ts';

export const clusterStatus = command({
  summary: 'Show version, modules, memory and discovery of the server at --url',
  examples: ['svcctl cluster status', 'svcctl cluster status --output json'],
  endpoints: [status.get, status.selfDiscovered],
  async run({ call, out }) {
    const [self, { selfDiscovered }] = await Promise.all([
      call(status.get),
      call(status.selfDiscovered),
    ]);
    await out.value({ ...self, selfDiscovered });
  },
});
