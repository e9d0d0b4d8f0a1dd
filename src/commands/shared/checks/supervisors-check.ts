import { supervisors } from '../../../contract/supervisors.ts';
import { isSuspended, listStates } from '../supervisors/supervisor-id.ts';
import type { Check } from './monitor.ts';

export const supervisorsCheck: Check = {
  name: 'supervisors',
  metrics: ['unhealthy', 'suspended', 'lag'],
  warn: '0',
  crit: '0',
  endpoints: [supervisors.list, supervisors.status],
  async measure({ call }) {
    const states = await listStates({ call });
    const active = states.filter((one) => !isSuspended(one) && one.state !== 'COMPLETED');
    const lags = await Promise.all(
      active.map(
        async ({ id }) =>
          (await call(supervisors.status, { params: { supervisorId: id } })).payload.aggregateLag,
      ),
    );
    const unhealthy = states.filter(({ healthy }) => !healthy);
    const suspended = states.filter(isSuspended).length;
    const lag = lags.reduce<number>((sum, each) => sum + Number(each ?? 0), 0);
    const who = unhealthy.slice(0, 3).map(({ id, detailedState }) => `${id} ${detailedState}`);
    return {
      says: `${unhealthy.length} of ${states.length} unhealthy${who.length > 0 ? ` (${who.join(', ')})` : ''}, ${suspended} suspended, ${lag} ${lag === 1 ? 'record' : 'records'} to read`,
      metrics: [
        {
          name: 'unhealthy',
          value: unhealthy.length,
          max: states.length,
          means: 'Supervisors that are not healthy',
        },
        {
          name: 'suspended',
          value: suspended,
          max: states.length,
          means: 'Supervisors that are suspended',
        },
        { name: 'lag', value: lag, means: 'Records that are left to read, of all supervisors' },
      ],
    };
  },
};
