import { command } from '../../cli/command.ts';
import { router } from '../../contract/router.ts';

export const routes = command({
  summary: 'Show to which Brokers the Router sends queries, and whether it forwards calls to the Coordinator and the Overlord',
  examples: ['svcctl cluster routes'],
  endpoints: [router.brokers, router.proxyEnabled],
  hints: { notFound: 'only a Router knows: --url with its address' },
  async run({ call, out }) {
    const [brokers, { enabled }] = await Promise.all([call(router.brokers), call(router.proxyEnabled)]);
    await out.document({ brokers, forwards: enabled });
  },
});
