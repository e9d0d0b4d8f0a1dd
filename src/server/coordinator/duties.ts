// Periodic duties of the Coordinator, in groups with one period each (Druid: DruidCoordinator).
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DutyGroup } from '../../contract/cluster.ts';
import { formatInstant } from '../../model/instant.ts';
import { formatPeriod } from '../../model/period.ts';
import type { Clock } from '../process/clock.ts';
import { logError } from '../process/log.ts';

export interface Duty {
  readonly name: string; // as shown by the interface
  /**
   * Runs the duty once; `nowMs` since 1970. Long work is divided into steps, and other work gets a
   * turn after each.
   */
  run(nowMs: number): Iterable<unknown> | undefined;
}

export interface Group {
  readonly name: string;
  readonly periodMs: number;
  readonly duties: readonly Duty[];
}

export interface DutiesParts {
  readonly groups: readonly Group[];
  readonly isPaused: () => boolean;
  readonly clock: Clock;
  readonly tickMs: number; // how often due groups are checked
}

export class Duties {
  readonly #parts: DutiesParts;
  readonly #runs = new Map<string, Runs>();
  readonly #running = new Set<string>(); // groups between two steps
  #isClosed = false;
  #stop: (() => void) | undefined;

  constructor(parts: DutiesParts) {
    this.#parts = parts;
  }

  start(): void {
    const { clock, tickMs } = this.#parts;
    this.#stop ??= clock.every(tickMs, () => this.tick());
  }

  /** Stops unfinished runs before their next step. */
  close(): void {
    this.#isClosed = true;
    this.#stop?.();
  }

  /**
   * Runs the groups that are due, unless coordination is paused. A failed duty is logged and
   * retried after its period.
   */
  tick(): void {
    const { groups, isPaused, clock } = this.#parts;
    for (const group of groups) {
      const startMs = clock.now();
      const before = this.#runs.get(group.name);
      if (
        (before && isWithin(startMs - before.startMs, group.periodMs)) ||
        this.#running.has(group.name) ||
        isPaused()
      )
        continue;
      void this.#run(group, startMs);
    }
  }

  // A run of only one step has ended when this returns.
  async #run({ name, duties }: Group, startMs: number): Promise<void> {
    this.#running.add(name);
    for (const duty of duties) {
      try {
        for (const _ of duty.run(startMs) ?? []) {
          await nextTurn();
          if (this.#isClosed) return;
        }
      } catch (error) {
        logError(error);
      }
    }
    this.#running.delete(name);
    this.#runs.set(name, runsAfter(this.#runs.get(name), startMs, this.#parts.clock.now()));
  }

  /** The groups in the interface's form. */
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
  readonly runtimeMs: number; // of all duties together
  readonly gapMs: number;
}

const runsAfter = (before: Runs | undefined, startMs: number, endMs: number): Runs => ({
  count: (before?.count ?? 0) + 1,
  startMs,
  endMs,
  runtimeMs: (before?.runtimeMs ?? 0) + endMs - startMs,
  gapMs: (before?.gapMs ?? 0) + (before ? startMs - before.endMs : 0),
});

// After the clock was set back, duties do not wait for it to catch up.
const isWithin = (passedMs: number, periodMs: number) => passedMs >= 0 && passedMs < periodMs;
