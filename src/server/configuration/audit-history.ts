// Queries of the change history, shared by rules and configurations (Druid: AuditManager).
import type { AuditEntry } from '../../contract/audit.ts';
import type { Dialect } from '../../model/dialect.ts';
import { formatInstant } from '../../model/instant.ts';
import { parseInterval } from '../../model/interval.ts';
import type { Properties } from '../settings/properties.ts';
import { listAuditEntries } from '../storage/audit.ts';
import type { Metadata } from '../storage/metadata.ts';
import { countNotAnInteger, countNotPositive, eitherIntervalOrCount } from './refusals.ts';

/** Dependencies for reading histories. */
export interface HistoryParts {
  readonly metadata: Metadata;
  readonly dialect: Dialect;
  readonly now: () => number; // milliseconds since 1970
  // Length of a history that is requested without an interval or a count
  readonly historyMs: number;
}

/** The requested part of a history; without either field, the last `historyMs`. */
export interface HistoryQuery {
  readonly interval?: string | undefined;
  readonly count?: number | undefined;
}

/**
 * The audit entries of a type, and of a key if given. Entries of an interval come oldest first, the
 * last `count` entries newest first. Refuses a count below one and combinations that the dialect
 * does not have; throws InvalidTime for a malformed interval.
 */
export function auditHistory(
  { metadata, dialect, now, historyMs }: HistoryParts,
  which: { type: string; key?: string },
  { interval, count }: HistoryQuery,
): AuditEntry[] {
  if (
    interval !== undefined &&
    count !== undefined &&
    dialect.historyIntervalAndCount === 'refused'
  )
    throw eitherIntervalOrCount();
  if (interval !== undefined || count === undefined) {
    const range =
      interval === undefined
        ? { start: now() - historyMs, end: now() + 1 }
        : parseInterval(interval);
    return listAuditEntries(metadata, which, range).map(toHistoryEntry);
  }
  if (count < 1) throw countNotPositive();
  if (count > maxCount && dialect.historyCount === 'notFound') throw countNotAnInteger();
  return listAuditEntries(metadata, which, { count: Math.min(count, maxCount) }).map(
    toHistoryEntry,
  );
}

/**
 * The default length of histories in milliseconds: property `audit.manager.auditHistoryMillis`.
 * Throws CannotStart for an invalid duration.
 */
export function historyMsIn(properties: Properties): number {
  const name = 'audit.manager.auditHistoryMillis';
  const historyMs = properties.integer(name, weekMs);
  if (historyMs < 1) throw properties.outside(name, 1, Number.MAX_SAFE_INTEGER);
  return historyMs;
}

const weekMs = 7 * 24 * 3_600_000;
const maxCount = 2_147_483_647; // an int of the real engine

const toHistoryEntry = ({
  timeMs,
  auditInfo,
  ...entry
}: ReturnType<typeof listAuditEntries>[number]): AuditEntry => ({
  ...entry,
  auditInfo: { ...auditInfo },
  auditTime: formatInstant(timeMs),
});
