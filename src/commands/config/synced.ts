import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { config } from '../../contract/config.ts';

interface Broker {
  readonly host: string;
  readonly port: number;
  readonly lastSyncTimestampMillis?: number | bigint | null;
}

const columns = columnsOf<Broker>({
  broker: ({ host, port }) => `${host}:${port}`,
  synced: {
    value: ({ lastSyncTimestampMillis: ms }) =>
      ms == null ? undefined : new Date(Number(ms)).toISOString(),
    kind: 'time',
  },
});

export const synced = command({
  summary: 'List the Brokers that have received the current configuration',
  examples: ['svcctl config synced'],
  endpoints: [config.syncedBrokers],
  columns,
  async run({ call, out }) {
    await out.rows((await call(config.syncedBrokers)).syncedBrokers, columns);
  },
});
