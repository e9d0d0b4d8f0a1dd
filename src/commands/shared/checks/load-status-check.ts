import { cluster } from '../../../contract/cluster.ts';
import { copiesByDatasource } from '../segments/missing-copies.ts';
import type { Check } from './monitor.ts';

export const loadStatusCheck: Check = {
  name: 'loadstatus',
  metrics: ['unavailable', 'missing', 'loaded'],
  warn: '0',
  crit: '50',
  endpoints: [cluster.loadStatus],
  async measure({ call }) {
    const [shares, left, copies] = await Promise.all([
      call(cluster.loadStatus),
      call(cluster.loadStatus, { query: { simple: true } }),
      call(cluster.loadStatus, { query: { full: true, computeUsingClusterView: true } }),
    ]);
    const behind = Object.entries(left).filter(([, count]) => Number(count) > 0);
    const unavailable = behind.reduce((sum, [, count]) => sum + Number(count), 0);
    const missing = [...copiesByDatasource(copies).values()].reduce((sum, count) => sum + count, 0);
    const loaded = Math.min(100, ...Object.values(shares).map(Number));
    const where = behind.slice(0, 3).map(([name, count]) => `${name} ${count}`);
    return {
      says: `${unavailable} ${unavailable === 1 ? 'segment' : 'segments'} unavailable${where.length > 0 ? ` (${where.join(', ')})` : ''}, ${missing} ${missing === 1 ? 'copy' : 'copies'} missing`,
      metrics: [
        {
          name: 'unavailable',
          value: unavailable,
          means: 'Used segments that are not loaded, so queries do not see their rows',
        },
        {
          name: 'missing',
          value: missing,
          means: 'Replicas that the retention rules require and that no server has loaded',
        },
        {
          name: 'loaded',
          value: loaded,
          unit: '%',
          max: 100,
          means: 'Loaded share of the least loaded datasource',
        },
      ],
    };
  },
};
