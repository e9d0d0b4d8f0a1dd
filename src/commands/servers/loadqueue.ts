import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { columnsAfter, shareColumn } from '../../cli/output/bar-column.ts';
import { cluster } from '../../contract/cluster.ts';
import { flag, optional } from '../../contract/schema.ts';
import type { DataSegment } from '../../contract/segments.ts';

interface Queue {
  readonly server: string;
  readonly segmentsToLoad?: number;
  readonly segmentsToDrop?: number;
  readonly segmentsToLoadSize?: number | bigint;
  readonly segmentsToDropSize?: number | bigint;
  readonly expectedLoadTimeMillis?: number;
}

interface Queued extends Partial<Pick<DataSegment, 'dataSource' | 'interval' | 'size'>> {
  readonly server: string;
  readonly action: string;
  readonly segment: string;
}

const queueColumns = columnsOf<Queue>({
  server: (row) => row.server,
  toLoad: (row) => row.segmentsToLoad,
  toLoadSize: { value: (row) => row.segmentsToLoadSize, kind: 'bytes' },
  toDrop: (row) => row.segmentsToDrop,
  toDropSize: { value: (row) => row.segmentsToDropSize, kind: 'bytes', wide: true },
  expectedTime: { value: (row) => row.expectedLoadTimeMillis, kind: 'duration' },
});

const segmentColumns = columnsOf<Queued>({
  server: (row) => row.server,
  action: (row) => row.action,
  segment: (row) => row.segment,
  size: { value: (row) => row.size, kind: 'bytes' },
  datasource: { value: (row) => row.dataSource, wide: true },
  interval: { value: (row) => row.interval, wide: true },
});

export const loadqueue = command({
  summary: 'Show the load and drop queues of the data servers',
  examples: [
    'svcctl servers loadqueue',
    'svcctl servers loadqueue --ids --columns server,action,segment',
    'svcctl servers loadqueue --full --sort -size',
    'svcctl servers loadqueue --output json',
  ],
  endpoints: [cluster.loadQueue],
  options: {
    ids: optional(flag, 'List each queued segment by id'),
    full: optional(
      flag,
      'List each queued segment with datasource, interval and size; --output json shows all metadata',
    ),
  },
  columns: [...queueColumns, ...segmentColumns.slice(1)],
  async run(context, { options: { ids, full } }) {
    const { call, out } = context;
    if (ids || full) {
      const queues = await call(cluster.loadQueue, { query: full ? { full } : {} });
      return out.rows(
        Object.entries(queues).flatMap(([server, queue]) => listQueued(server, queue)),
        segmentColumns,
      );
    }
    const queues = await call(cluster.loadQueue, { query: { simple: true } });
    const rows = Object.entries(queues).map(([server, queue]): Queue => ({ server, ...queue }));
    const share = shareColumn(rows, (row) => row.segmentsToLoadSize, context);
    await out.rows(rows, columnsAfter(queueColumns, 'toLoadSize', share));
  },
});

const actions = { segmentsToLoad: 'load', segmentsToDrop: 'drop', segmentsToMove: 'move' } as const;

// A segment is given as its id, or as an object.
const listQueued = (server: string, queue: Readonly<Record<string, unknown>>): Queued[] =>
  Object.entries(actions).flatMap(([name, action]) =>
    ((queue[name] ?? []) as readonly (string | DataSegment)[]).map((segment) =>
      typeof segment === 'string'
        ? { server, action, segment }
        : { server, action, segment: segment.identifier ?? '', ...segment },
    ),
  );
