import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import type { DataSegment } from '../../contract/segments.ts';
import { tasks } from '../../contract/tasks.ts';
import { formatIntervalCell } from '../shared/datasources/shown-times.ts';
import { completers, hints, identified, taskId } from '../shared/tasks/task-id.ts';

const columns = columnsOf<Partial<DataSegment>>({
  id: (segment) => segment.identifier,
  datasource: (segment) => segment.dataSource,
  interval: { value: (segment) => segment.interval, show: formatIntervalCell },
  version: { value: (segment) => segment.version, wide: true },
  size: { value: (segment) => segment.size, kind: 'bytes' },
});

export const segments = command({
  summary: 'List the segments published by a task',
  description:
    'Services keep this list for a limited time, or not at all; the table sys.segments lists current segments.',
  examples: ['svcctl tasks segments ingest-2'],
  endpoints: [tasks.segments],
  arguments: taskId,
  completers,
  ids: { taskId: identified },
  hints: {
    ...hints,
    notFound: `svcctl tasks list shows known tasks; svcctl sql 'SELECT "segment_id" FROM sys.segments' shows segments`,
  },
  columns,
  async run({ call, out }, { args }) {
    await out.rows<Partial<DataSegment>>(await call(tasks.segments, { params: args }), columns);
  },
});
