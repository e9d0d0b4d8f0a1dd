// Moving averages of a task's rows and bytes per second over 1, 5 and 15 minutes (Druid:
// DropwizardRowIngestionMeters).
import type { StreamRowCounts } from '../stream/stream.ts';

export class RowRates {
  #last: { readonly timeMs: number; readonly counts: StreamRowCounts } | undefined;
  readonly #averages = new Map<string, StreamRowCounts>();

  /** Records the counts at a time in milliseconds; frequent calls improve the averages. */
  note(timeMs: number, counts: StreamRowCounts): void {
    const last = this.#last;
    if (last && Math.abs(timeMs - last.timeMs) < 1000) return;
    this.#last = { timeMs, counts };
    if (!last || timeMs < last.timeMs) return; // the clock was set back
    const seconds = (timeMs - last.timeMs) / 1000;
    for (const [name, windowSeconds] of windows) {
      const weight = 1 - Math.exp(-seconds / windowSeconds);
      const average = this.#averages.get(name);
      const mixed = (key: keyof StreamRowCounts) => {
        const rate = (counts[key] - last.counts[key]) / seconds;
        return average ? average[key] + weight * (rate - average[key]) : rate;
      };
      this.#averages.set(name, eachCount(mixed));
    }
  }

  /** The averages by window: `1m`, `5m`, `15m`. */
  averages(): Record<string, StreamRowCounts> {
    return Object.fromEntries(
      windows.map(([name]) => [name, this.#averages.get(name) ?? eachCount(() => 0)]),
    );
  }
}

const windows = [
  ['1m', 60],
  ['5m', 300],
  ['15m', 900],
] as const;

const eachCount = (of: (key: keyof StreamRowCounts) => number): StreamRowCounts => ({
  processed: of('processed'),
  processedBytes: of('processedBytes'),
  processedWithError: of('processedWithError'),
  thrownAway: of('thrownAway'),
  unparseable: of('unparseable'),
});
