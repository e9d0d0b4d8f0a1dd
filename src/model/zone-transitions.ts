// Clock changes of a zone.
import { dayMs } from './calendar.ts';
import type { TimeZone } from './period.ts';

/** A clock change: the first instant of a new offset from UTC. */
export interface Transition {
  readonly at: number;
  readonly before: number; // milliseconds east of UTC
  readonly after: number;
}

/** The changes between two instants, in ascending order. */
export function transitionsOf(zone: TimeZone, from: number, to: number): readonly Transition[] {
  const found: Transition[] = [];
  for (let start = from; start < to; start += stepMs) {
    const end = Math.min(start + stepMs, to);
    const [before, after] = [zone.offsetMs(start), zone.offsetMs(end)];
    if (before !== after) found.push({ at: changeBetween(zone, start, end), before, after });
  }
  return found;
}

// No zone has changed its clock twice within two weeks.
const stepMs = 14 * dayMs;

function changeBetween(zone: TimeZone, start: number, end: number): number {
  const before = zone.offsetMs(start);
  let [last, first] = [start, end];
  while (first - last > 1) {
    const middle = Math.floor((last + first) / 2);
    if (zone.offsetMs(middle) === before) last = middle;
    else first = middle;
  }
  return first;
}
