// Lag of a supervisor.
import type { Offsets } from '../stream/stream.ts';

export class Lag {
  #latest: Offsets = new Map();
  #updatedMs: number | undefined;
  #quietSinceMs: number | undefined;

  /**
   * Takes the newest offsets of the stream, and how far the supervisor has come; `nowMs` since
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

  /** For how long nothing new has come and nothing was left to read. */
  quietMs(nowMs: number): number {
    return this.#quietSinceMs === undefined ? 0 : nowMs - this.#quietSinceMs;
  }

  /** Records that are there and not read yet, of each partition that is being read. */
  behind = (current: Offsets): Offsets => lagBehind(this.#latest, current);
}

/** The sum of all partitions. */
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
