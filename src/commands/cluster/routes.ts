import { type Context, command } from '../../cli/command/command.ts';
import { ServiceError } from '../../client/errors.ts';
import { router } from '../../contract/router.ts';

export const routes = command({
  summary: 'Show the Brokers and the management proxy of the Router',
  examples: ['svcctl cluster routes'],
  endpoints: [router.brokers, router.proxyEnabled],
  hints: { notFound: 'only a Router has them: use --url with its address' },
  async run(context) {
    const [brokers, forwards] = await Promise.all([
      context.call(router.brokers),
      doesForward(context),
    ]);
    await context.out.document({ brokers, forwards });
  },
});

// Some versions of the real engine lack this endpoint: a forwarding Router reports an unsupported
// destination, as for any unknown path, and a Router that does not forward has no such path.
async function doesForward({ call }: Context): Promise<boolean> {
  try {
    return (await call(router.proxyEnabled)).enabled;
  } catch (error) {
    if (
      error instanceof ServiceError &&
      (error.isLacking || error.message.startsWith('Unsupported proxy destination'))
    )
      return !error.isLacking;
    throw error;
  }
}
