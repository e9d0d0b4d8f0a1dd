// Start-up of the service until all ports are open and a query is answered, and its memory at rest.
import { setTimeout as sleep } from 'node:timers/promises';
import { startServed } from '../support/served.js';
import { median, residentMb, send } from './measure.js';

export async function serveStart({ quick }) {
  const ready = [];
  const idle = [];
  for (let round = 0; round < (quick ? 1 : 7); round++) {
    const service = await startServed(['--ephemeral']);
    ready.push(service.readyMs / 1000);
    await send(`${service.url}/svc/v2/sql`, { query: 'SELECT 1' });
    await sleep(1000);
    idle.push(residentMb(service.pid));
    await service.stop();
  }
  return [
    { what: 'serve is ready after', value: median(ready), unit: 's', atMost: 0.7 },
    { what: 'serve at rest', value: median(idle), unit: 'MB', atMost: 200 },
  ];
}
