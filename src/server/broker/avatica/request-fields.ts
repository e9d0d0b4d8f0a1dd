// Fields that several requests of a driver have.
import { unreadable } from './refusals.ts';
import type { WireMessage } from './wire.ts';

/** Refuses a request without a connection. */
export function idOf({ connectionId }: WireMessage): string {
  if (typeof connectionId !== 'string') throw unreadable('field [connectionId] is missing');
  return connectionId;
}

/** Refuses a request without a statement. */
export function sqlOf({ sql }: WireMessage): string {
  if (typeof sql !== 'string') throw unreadable('field [sql] is missing');
  return sql;
}

export const numberOf = (value: unknown): number =>
  value === undefined || value === null ? 0 : Number(value);

/** JDBC: Statement.setMaxRows, where 0 means no limit; drivers send -1 instead. */
export function mostRowsOf({ maxRowsTotal, maxRowCount }: WireMessage): number {
  const most = numberOf(maxRowsTotal ?? maxRowCount);
  return most > 0 ? most : Number.POSITIVE_INFINITY;
}
