import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { workers } from '../../contract/workers.ts';
import { isObject } from '../../model/difference.ts';
import { formatJson } from '../../model/json.ts';

type Event = Readonly<Record<string, unknown>>;

const columns = columnsOf<Event>({
  time: {
    value: ({ timestamp }) => (timestamp == null ? undefined : String(timestamp)),
    kind: 'time',
  },
  event: ({ event }) => (event == null ? undefined : String(event)),
  workers: ({ data }) => (data == null ? undefined : formatJson(data)),
});

export const scaling = command({
  summary: 'Show autoscaling events of workers',
  examples: ['svcctl workers scaling --output json'],
  endpoints: [workers.scaling],
  columns,
  async run({ call, out }) {
    const events: unknown = await call(workers.scaling);
    await out.rows(Array.isArray(events) ? events.filter(isObject) : [], columns);
  },
});
