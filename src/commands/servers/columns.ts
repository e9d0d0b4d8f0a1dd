import { columnsOf } from '../../cli/lists/columns.ts';
import type { Server } from '../../contract/cluster.ts';

export const serverColumns = columnsOf<Server>({
  server: ({ host }) => host,
  type: ({ type }) => type,
  tier: ({ tier }) => tier,
  priority: { value: ({ priority }) => priority, wide: true },
  used: { value: ({ currSize }) => currSize, kind: 'bytes' },
  capacity: { value: ({ maxSize }) => maxSize, kind: 'bytes' },
});
