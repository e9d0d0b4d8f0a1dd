import { formatBytes } from '../../../cli/lists/columns.ts';
import { cluster } from '../../../contract/cluster.ts';
import { datasources } from '../../../contract/datasources.ts';
import type { Check } from './monitor.ts';

export const segmentsCheck: Check = {
  name: 'segments',
  metrics: ['fill', 'queued', 'count', 'size', 'average'],
  warn: '80',
  crit: '95',
  endpoints: [datasources.list, cluster.servers, cluster.loadQueue],
  async measure({ call }) {
    const [served, listed, queues] = await Promise.all([
      call(datasources.list, { query: { simple: true } }),
      call(cluster.servers, { query: { simple: true } }),
      call(cluster.loadQueue, { query: { simple: true } }),
    ]);
    const sizes = served.flatMap((one) =>
      typeof one === 'string' ? [] : [one.properties.segments],
    ) as readonly Partial<Totals>[];
    const count = sizes.reduce((sum, each) => sum + Number(each?.count ?? 0), 0);
    const size = sizes.reduce((sum, each) => sum + Number(each?.size ?? 0), 0);
    const servers = listed.flatMap((one) => (typeof one === 'string' ? [] : [one]));
    const fills = servers.flatMap(({ currSize, maxSize }) =>
      Number(maxSize) > 0 ? [(100 * Number(currSize)) / Number(maxSize)] : [],
    );
    const fill = Math.round(10 * Math.max(0, ...fills)) / 10;
    const queued = Object.values(queues).reduce(
      (sum, { segmentsToLoad }) => sum + Number(segmentsToLoad ?? 0),
      0,
    );
    return {
      says: `${count} ${count === 1 ? 'segment' : 'segments'} of ${formatBytes(size)} served, ${queued} to load, the fullest server is ${fill} % full`,
      metrics: [
        {
          name: 'fill',
          value: fill,
          unit: '%',
          max: 100,
          means: 'Fill level of the fullest server',
        },
        { name: 'queued', value: queued, means: 'Segments in the load queues of the servers' },
        { name: 'count', value: count, means: 'Segments that are served' },
        {
          name: 'size',
          value: size,
          unit: 'B',
          means: 'Total size of the served segments',
        },
        {
          name: 'average',
          value: count === 0 ? 0 : Math.round(size / count),
          unit: 'B',
          means: 'Average size of a served segment',
        },
      ],
    };
  },
};

interface Totals {
  readonly count: number;
  readonly size: number | bigint;
}
