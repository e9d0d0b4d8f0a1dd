import { command } from '../../cli/command.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import { status } from '../../contract/status.ts';

export const health = command({
  summary: 'Ask the server at --url whether it is there and ready for requests; the exit code says so too',
  examples: ['svcctl cluster health'],
  endpoints: [status.health, status.ready],
  async run({ call, out }) {
    const [healthy, ready] = await Promise.all([call(status.health), call(status.ready)]);
    await out.value({ healthy, ready });
    return healthy && ready ? exitCodes.done : exitCodes.unhealthy;
  },
});
