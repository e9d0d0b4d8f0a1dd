// Measurement of a wait: its share done never falls and is not full before the end. Its speed is
// that of the last seconds.
import type { ProgressReading, ProgressState } from './progress-state.ts';

const windowMs = 5000;
const mostBeforeTheEnd = 0.99;

/** A part of a wait that other displays go on with: its share of the whole, and the beginning. */
export interface Leg {
  readonly from: number; // 0 to 1
  readonly to: number;
  readonly sinceMs: number;
}

export class ProgressMeter {
  readonly #now: () => number;
  readonly #leg: Leg | undefined;
  readonly #startMs: number;
  #what: string;
  #state: ProgressState = {};
  #counts: { readonly atMs: number; readonly rows: number }[] = [];

  constructor(what: string, now: () => number, leg?: Leg) {
    this.#what = what;
    this.#now = now;
    this.#leg = leg;
    this.#startMs = leg?.sinceMs ?? now();
    if (leg && leg.from > 0) this.#state = { fraction: leg.from };
  }

  update(state: ProgressState): void {
    const before = this.#state;
    this.#what = state.what ?? this.#what;
    const fraction = largest(before.fraction, this.#shareOf(state.fraction));
    const rows = largest(before.rows, state.rows);
    this.#state = {
      ...(state.stage !== undefined && { stage: state.stage }),
      ...(state.bytes !== undefined && { bytes: state.bytes }),
      ...(rows !== undefined && { rows }),
      ...(fraction !== undefined && { fraction: Math.min(mostBeforeTheEnd, fraction) }),
    };
    if (rows === undefined) return;
    const atMs = this.#now();
    this.#counts.push({ atMs, rows: Number(rows) });
    while ((this.#counts[1]?.atMs ?? atMs) < atMs - windowMs) this.#counts.shift();
  }

  read(): ProgressReading {
    const elapsedMs = this.#now() - this.#startMs;
    const speed = this.#speed();
    const leftMs = restOf(this.#state.fraction, elapsedMs);
    return {
      what: this.#what,
      ...this.#state,
      ...(speed > 0 && { rowsPerSecond: speed }),
      elapsedMs,
      ...(leftMs !== undefined && { leftMs }),
    };
  }

  #shareOf(fraction: number | undefined): number | undefined {
    if (fraction === undefined || !this.#leg) return fraction;
    const { from, to } = this.#leg;
    return from + fraction * (to - from);
  }

  #speed(): number {
    const [first] = this.#counts;
    const last = this.#counts.at(-1);
    if (!first || !last || last.atMs - first.atMs < 500) return 0;
    return Math.round(((last.rows - first.rows) * 1000) / (last.atMs - first.atMs));
  }
}

// An early estimate would mislead.
function restOf(fraction: number | undefined, elapsedMs: number): number | undefined {
  if (fraction === undefined || fraction <= 0.02 || elapsedMs < 3000) return undefined;
  const left = (elapsedMs / fraction) * (1 - fraction);
  return left < 1000 ? undefined : left;
}

function largest<N extends number | bigint>(
  before: N | undefined,
  now: N | undefined,
): N | undefined {
  if (before === undefined || now === undefined) return now ?? before;
  return now > before ? now : before;
}
