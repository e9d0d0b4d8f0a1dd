// Who changed what, and when: the same question for rules and for every configuration (Druid: AuditManager).
import type { AuditEntry } from '../../contract/audit.ts';
import type { Dialect } from '../../model/dialect.ts';
import { formatInstant } from '../../model/instant.ts';
import { parseInterval } from '../../model/interval.ts';
import { listAuditEntries } from '../storage/audit.ts';
import type { Metadata } from '../storage/metadata.ts';
import { countBeyondHistory, countNotPositive, eitherIntervalOrCount } from './refusals.ts';

/** What part of a history is asked for; without either, the last week. */
export interface HistoryQuery {
  readonly interval?: string | undefined;
  readonly count?: number | undefined;
}

/**
 * The audit entries of a type, and of a key where one is given: those of an interval the oldest first, the last `count` the newest first.
 * `now` in milliseconds. Refuses a count below one and what the dialect does not combine; throws InvalidTime for a malformed interval.
 */
export function auditHistory(
  metadata: Metadata,
  dialect: Dialect,
  now: number,
  which: { type: string; key?: string },
  { interval, count }: HistoryQuery,
): AuditEntry[] {
  if (interval !== undefined && count !== undefined && dialect.historyIntervalAndCount === 'refused') throw eitherIntervalOrCount();
  if (interval !== undefined || count === undefined) {
    const range = interval === undefined ? { start: now - weekMs, end: now + 1 } : parseInterval(interval);
    return listAuditEntries(metadata, which, range).map(shown);
  }
  if (count < 1) throw countNotPositive();
  if (count > maxCount) throw countBeyondHistory();
  const entries = listAuditEntries(metadata, which, { count });
  if (entries.length < count && dialect.historyCountTooLarge === 'notFound') throw countBeyondHistory();
  return entries.map(shown);
}

const weekMs = 7 * 24 * 3_600_000; // druid.audit.manager.auditHistoryMillis
const maxCount = 2_147_483_647; // an int of the real engine

const shown = ({ timeMs, auditInfo, ...entry }: ReturnType<typeof listAuditEntries>[number]): AuditEntry => ({
  ...entry,
  auditInfo: { ...auditInfo },
  auditTime: formatInstant(timeMs),
});
