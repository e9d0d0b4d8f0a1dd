// Columns of change histories.
import type { AuditEntry } from '../../contract/audit.ts';
import { columnsOf } from './columns.ts';

export const auditColumns = columnsOf<AuditEntry>({
  key: ({ key }) => key,
  time: { value: ({ auditTime }) => auditTime, kind: 'time' },
  author: ({ auditInfo }) => auditInfo.author,
  comment: ({ auditInfo }) => auditInfo.comment,
  ip: { value: ({ auditInfo }) => auditInfo.ip, wide: true },
  change: { value: ({ payload }) => payload, wide: true },
});
