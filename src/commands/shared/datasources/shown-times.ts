// Short times of segments in tables. Segments begin and end with a day or an hour, so a full ISO
// time is only noise.
import type { Cell } from '../../../cli/lists/columns.ts';

export const formatTimeCell = (time: Cell): string =>
  typeof time === 'string' ? time.replace(/(?:T00:00|(T\d\d:\d\d)):00\.000Z$/, '$1') : '-';

export const formatIntervalCell = (interval: Cell): string =>
  typeof interval === 'string' ? interval.split('/').map(formatTimeCell).join('/') : '-';

/** An interval of a whole hour, day, month or year by its beginning, others by both ends. */
export function formatPeriodCell(interval: Cell): string {
  if (typeof interval !== 'string') return '-';
  const [start = '', end = ''] = interval.split('/');
  const ms = Date.parse(end) - Date.parse(start);
  if (Number.isNaN(ms)) return 'all of time';
  const isWhole = (ending: string, least: number, most = least) =>
    start.endsWith(ending) && ms >= least && ms <= most;
  if (isWhole('-01-01T00:00:00.000Z', 365 * dayMs, 366 * dayMs)) return start.slice(0, 4);
  if (isWhole('-01T00:00:00.000Z', 28 * dayMs, 31 * dayMs)) return start.slice(0, 7);
  if (isWhole('T00:00:00.000Z', dayMs)) return start.slice(0, 10);
  if (isWhole(':00:00.000Z', dayMs / 24)) return start.slice(0, 16);
  return formatIntervalCell(interval);
}

const dayMs = 86_400_000;
