import { command } from '../../cli/command.ts';
import { status as service } from '../../contract/status.ts';

export const status = command({
  summary: 'Show version, modules and memory of the server at --url, and whether the cluster has discovered it',
  examples: ['svcctl cluster status', 'svcctl cluster status --output json'],
  endpoints: [service.get, service.selfDiscovered],
  async run({ call, out }) {
    const [self, { selfDiscovered }] = await Promise.all([call(service.get), call(service.selfDiscovered)]);
    await out.value({ ...self, selfDiscovered });
  },
});
