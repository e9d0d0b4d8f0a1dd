// Lag of a supervisor.
import type { Offsets } from '../stream/stream.ts';

export class Lag {
  #latest: Offsets = new Map();
  #updatedMs: number | undefined;
  #quietSinceMs: number | undefined;

  /**
   * Records the newest offsets of the stream and the supervisor's current offsets; `nowMs` since
   * 1970.
   */
  note(nowMs: number, latest: Offsets, current: Offsets): void {
    const isQuiet = sameOffsets(latest, this.#latest) && totalOf(lagBehind(latest, current)) === 0;
    this.#quietSinceMs = isQuiet ? (this.#quietSinceMs ?? this.#updatedMs ?? nowMs) : undefined;
    this.#latest = latest;
    this.#updatedMs = nowMs;
  }

  get latest(): Offsets {
    return this.#latest;
  }

  get updatedMs(): number | undefined {
    return this.#updatedMs;
  }

  /** How long the stream has had no new records and no unread ones. */
  quietMs(nowMs: number): number {
    return this.#quietSinceMs === undefined ? 0 : nowMs - this.#quietSinceMs;
  }

  /** Unread records of each partition that is being read. */
  behind = (current: Offsets): Offsets => lagBehind(this.#latest, current);
}

/** Sum over all partitions. */
export const totalOf = (lag: Offsets): number =>
  [...lag.values()].reduce((sum, each) => sum + each, 0);

const lagBehind = (latest: Offsets, current: Offsets): Offsets =>
  new Map(
    [...current].flatMap(([partition, offset]) => {
      const end = latest.get(partition);
      return end === undefined ? [] : [[partition, Math.max(0, end - offset)]];
    }),
  );

const sameOffsets = (a: Offsets, b: Offsets) =>
  a.size === b.size && [...a].every(([partition, offset]) => b.get(partition) === offset);
