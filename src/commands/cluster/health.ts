import { type Context, command } from '../../cli/command/command.ts';
import { exitCodes } from '../../cli/process/exit-codes.ts';
import { ServiceError } from '../../client/errors.ts';
import { status } from '../../contract/status.ts';

export const health = command({
  summary: 'Check the health of the server at --url; the exit code tells the result',
  description: 'Older services report only that they are up.',
  examples: ['svcctl cluster health'],
  endpoints: [status.health, status.ready],
  async run(context) {
    const [healthy, ready] = await Promise.all([context.call(status.health), readiness(context)]);
    await context.out.value({ healthy, ...(ready !== undefined && { ready }) });
    return healthy && ready !== false ? exitCodes.done : exitCodes.unhealthy;
  },
});

async function readiness({ call }: Context): Promise<boolean | undefined> {
  try {
    return await call(status.ready);
  } catch (error) {
    if (error instanceof ServiceError && error.isLacking) return undefined;
    throw error;
  }
}
