// What the Coordinator does again and again, in groups that have a period each (Druid: DruidCoordinator).
import type { DutyGroup } from '../../contract/cluster.ts';
import { formatInstant } from '../../model/instant.ts';
import { formatPeriod } from '../../model/period.ts';

export interface Duty {
  readonly name: string; // as the interface lists it
  /** Does it once. `nowMs` since 1970. */
  run(nowMs: number): void;
}

export interface Group {
  readonly name: string;
  readonly periodMs: number;
  readonly duties: readonly Duty[];
}

export interface DutiesParts {
  readonly groups: readonly Group[];
  readonly isPaused: () => boolean;
  readonly now: () => number; // milliseconds since 1970
  readonly tickMs: number; // how often the clock is looked at
}

export class Duties {
  readonly #parts: DutiesParts;
  readonly #runs = new Map<string, Runs>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: DutiesParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.tick(), this.#parts.tickMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Runs the groups whose period is over, unless coordination is paused. A duty that fails is reported and tried again in its next turn. */
  tick(): void {
    const { groups, isPaused, now } = this.#parts;
    for (const group of groups) {
      const startMs = now();
      const before = this.#runs.get(group.name);
      if ((before && startMs - before.startMs < group.periodMs) || isPaused()) continue;
      for (const duty of group.duties) attempt(duty, startMs);
      this.#runs.set(group.name, runsAfter(before, startMs, now()));
    }
  }

  /** The groups as the interface lists them. */
  list(): DutyGroup[] {
    return this.#parts.groups.map(({ name, periodMs, duties }) => {
      const runs = this.#runs.get(name);
      return {
        name,
        period: formatPeriod({ years: 0, months: 0, weeks: 0, days: 0, ms: periodMs }),
        dutyNames: duties.map((duty) => duty.name),
        lastRunStart: runs ? formatInstant(runs.startMs) : null,
        lastRunEnd: runs ? formatInstant(runs.endMs) : null,
        avgRuntimeMillis: runs ? Math.round(runs.runtimeMs / runs.count) : 0,
        avgRunGapMillis: runs && runs.count > 1 ? Math.round(runs.gapMs / (runs.count - 1)) : 0,
      };
    });
  }
}

interface Runs {
  readonly count: number;
  readonly startMs: number; // of the last run
  readonly endMs: number;
  readonly runtimeMs: number; // of all together
  readonly gapMs: number;
}

const runsAfter = (before: Runs | undefined, startMs: number, endMs: number): Runs => ({
  count: (before?.count ?? 0) + 1,
  startMs,
  endMs,
  runtimeMs: (before?.runtimeMs ?? 0) + endMs - startMs,
  gapMs: (before?.gapMs ?? 0) + (before ? startMs - before.endMs : 0),
});

function attempt(duty: Duty, nowMs: number): void {
  try {
    duty.run(nowMs);
  } catch (error) {
    console.error(error);
  }
}
