import { command } from '../../cli/command/command.ts';
import { send } from '../../cli/command/send.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { exitCodes } from '../../cli/process/exit-codes.ts';
import { messageFor } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import { broker } from '../../contract/broker.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { historical } from '../../contract/historical.ts';
import { status } from '../../contract/status.ts';

interface Readiness {
  readonly what: string;
  readonly state: 'ready' | 'not ready' | 'not here';
}

const columns = columnsOf<Readiness>({
  what: ({ what }) => what,
  state: { value: ({ state }) => state, kind: 'state' },
});

export const readiness = command({
  summary: 'Check whether the server at --url is ready for queries, as a load balancer does',
  description:
    'Each role answers at its own address; elsewhere its readiness is not available. The exit code is 10 when a role is not ready.',
  examples: ['svcctl cluster readiness', 'svcctl cluster readiness --output json'],
  endpoints: [
    status.discovered,
    broker.readiness,
    broker.loadStatus,
    historical.readiness,
    historical.loadStatus,
  ],
  columns,
  async run(context) {
    const { call, out, service } = context;
    const askReadiness = async (endpoint: Endpoint) =>
      void (await send(context, messageFor(service, endpoint))); // its status is the answer
    const rows = await Promise.all([
      stateOf('discovered', askReadiness(status.discovered)),
      stateOf('broker', askReadiness(broker.readiness)),
      stateOf(
        'broker inventory',
        call(broker.loadStatus).then(({ inventoryInitialized }) => inventoryInitialized),
      ),
      stateOf('historical', askReadiness(historical.readiness)),
      stateOf(
        'historical cache',
        call(historical.loadStatus).then(({ cacheInitialized }) => cacheInitialized),
      ),
    ]);
    await out.rows(rows, columns);
    return rows.some(({ state }) => state === 'not ready') ? exitCodes.unhealthy : exitCodes.done;
  },
});

async function stateOf(what: string, asked: Promise<boolean | void>): Promise<Readiness> {
  try {
    return { what, state: (await asked) === false ? 'not ready' : 'ready' };
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return { what, state: 'not here' };
    if (error instanceof ServiceError && error.status === 503) return { what, state: 'not ready' };
    throw error;
  }
}
