// Short times of segments in tables. Segments begin and end with a day or an hour, so a full ISO
// time is only noise.
import type { Cell } from '../../../cli/lists/columns.ts';

export const formatTimeCell = (time: Cell): string =>
  typeof time === 'string' ? time.replace(/(?:T00:00|(T\d\d:\d\d)):00\.000Z$/, '$1') : '-';

export const formatIntervalCell = (interval: Cell): string =>
  typeof interval === 'string' ? interval.split('/').map(formatTimeCell).join('/') : '-';
