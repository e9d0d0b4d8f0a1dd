import { command } from '../../cli/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { cluster } from '../../contract/cluster.ts';

interface Queue {
  readonly server: string;
  readonly segmentsToLoad?: number;
  readonly segmentsToDrop?: number;
  readonly segmentsToLoadSize?: number | bigint;
  readonly segmentsToDropSize?: number | bigint;
  readonly expectedLoadTimeMillis?: number;
}

const columns = columnsOf<Queue>({
  server: (row) => row.server,
  toLoad: (row) => row.segmentsToLoad,
  toLoadSize: { value: (row) => row.segmentsToLoadSize, kind: 'bytes' },
  toDrop: (row) => row.segmentsToDrop,
  toDropSize: { value: (row) => row.segmentsToDropSize, kind: 'bytes', wide: true },
  expectedTime: { value: (row) => row.expectedLoadTimeMillis, kind: 'duration' },
});

export const loadqueue = command({
  summary: 'Show what each server has yet to load and to drop',
  examples: ['svcctl servers loadqueue', 'svcctl servers loadqueue --output json'],
  endpoints: [cluster.loadQueue],
  columns,
  async run({ call, out }) {
    const queues = await call(cluster.loadQueue, { query: { simple: true } });
    await out.rows(
      Object.entries(queues).map(([server, queue]): Queue => ({ server, ...queue })),
      columns,
    );
  },
});
