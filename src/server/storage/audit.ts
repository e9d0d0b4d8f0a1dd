// Audit history: author, time, origin and content of changes (Druid: AuditEntry).
import type { Interval } from '../../model/interval.ts';
import { jsonText, jsonValue, type SqlValue, type Transaction } from './metadata.ts';

export interface AuditRecord {
  readonly key: string;
  readonly type: string;
  readonly auditInfo: AuditInfo;
  readonly request?: AuditRequest | undefined;
  readonly payload: string; // JSON text
  readonly timeMs: number;
}

export interface AuditInfo {
  readonly author: string;
  readonly identity?: string;
  readonly comment: string;
  readonly ip: string;
}

export interface AuditRequest {
  readonly service: string;
  readonly method: string;
  readonly uri: string;
  readonly queryParams: string | null;
}

export const addAuditEntry = (tx: Transaction, entry: AuditRecord): void =>
  void tx.run(
    'INSERT INTO audit (time_ms, type, key, info, request, payload) VALUES (?, ?, ?, ?, ?, ?)',
    entry.timeMs,
    entry.type,
    entry.key,
    jsonText(entry.auditInfo),
    jsonText(entry.request),
    entry.payload,
  );

/**
 * Entries of a type (and key): those of an interval oldest first, otherwise the newest `count`,
 * newest first.
 */
export function listAuditEntries(
  tx: Transaction,
  which: { type?: string; key?: string },
  range: Interval | { count: number },
): AuditRecord[] {
  const parts: string[] = [];
  const values: SqlValue[] = [];
  for (const [column, value] of Object.entries(which)) {
    parts.push(`${column} = ?`);
    values.push(value);
  }
  if ('start' in range) {
    parts.push('time_ms >= ? AND time_ms < ?');
    values.push(range.start, range.end);
  }
  const where = parts.length ? `WHERE ${parts.join(' AND ')}` : '';
  const order =
    'start' in range ? 'ORDER BY time_ms, number' : 'ORDER BY time_ms DESC, number DESC LIMIT ?';
  if ('count' in range) values.push(range.count);
  return tx.all<AuditRow>(`SELECT * FROM audit ${where} ${order}`, ...values).map(entryOf);
}

/** Deletes entries before a time; returns how many. */
export const deleteAuditEntriesBefore = (tx: Transaction, timeMs: number): number =>
  tx.run('DELETE FROM audit WHERE time_ms < ?', timeMs);

interface AuditRow {
  readonly time_ms: number;
  readonly type: string;
  readonly key: string;
  readonly info: string;
  readonly request: string | null;
  readonly payload: string;
}

const entryOf = (row: AuditRow): AuditRecord => ({
  key: row.key,
  type: row.type,
  auditInfo: jsonValue(row.info),
  ...(row.request !== null && { request: jsonValue<AuditRequest>(row.request) }),
  payload: row.payload,
  timeMs: row.time_ms,
});
