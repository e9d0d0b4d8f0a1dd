// Number of tasks by recent lag (Druid: LagBasedAutoScaler). Times are arguments, so it needs no
// clock.

import { type AutoScalerConfig, pointsOf } from '../stream/auto-scaler-config.ts';
import type { Offsets } from '../stream/stream.ts';
import { totalOf } from './lag.ts';

/** Input of the decision, besides earlier lags. */
export interface ScalingSituation {
  /** Lag by partition. */
  lag(): Offsets;
  readonly taskCount: number;
  readonly partitions: number; // more tasks would have nothing to read
  // Tasks still publish: the number stays until they have ended
  readonly isPublishing: boolean;
}

export class LagBasedScaling {
  readonly #config: AutoScalerConfig;
  #points: number[] = [];
  #nextPointMs: number;
  #nextActionMs: number;
  #scaledMs = Number.NEGATIVE_INFINITY;

  constructor(config: AutoScalerConfig, startMs: number) {
    this.#config = config;
    this.#nextPointMs = startMs + config.scaleActionStartDelayMillis;
    this.#nextActionMs = this.#nextPointMs + config.lagCollectionRangeMillis;
  }

  /**
   * Call it often. Records the lag when due; returns a new number of tasks when due and required by
   * the lags.
   */
  look(nowMs: number, situation: ScalingSituation): number | undefined {
    const {
      lagCollectionIntervalMillis,
      scaleActionPeriodMillis,
      minTriggerScaleActionFrequencyMillis,
    } = this.#config;
    if (nowMs >= this.#nextPointMs) {
      this.#nextPointMs = nextTime(this.#nextPointMs, lagCollectionIntervalMillis, nowMs);
      this.#points.push(this.#aggregate(situation.lag()));
      if (this.#points.length > pointsOf(this.#config)) this.#points.shift();
    }
    if (nowMs < this.#nextActionMs) return undefined;
    this.#nextActionMs = nextTime(this.#nextActionMs, scaleActionPeriodMillis, nowMs);
    if (situation.isPublishing || nowMs - this.#scaledMs < minTriggerScaleActionFrequencyMillis)
      return undefined;
    const wanted = this.#countWanted(situation);
    if (wanted === undefined || wanted === situation.taskCount) return undefined;
    this.#points = [];
    this.#scaledMs = nowMs;
    return wanted;
  }

  // Scaling out takes precedence over scaling in.
  #countWanted({ taskCount, partitions }: ScalingSituation): number | undefined {
    const {
      scaleOutThreshold,
      scaleInThreshold,
      scaleOutStep,
      scaleInStep,
      taskCountMax,
      taskCountMin,
    } = this.#config;
    const share = (isMeant: (lag: number) => boolean) =>
      this.#points.filter(isMeant).length / this.#points.length; // NaN without points
    const [most, least] = [Math.min(taskCountMax, partitions), Math.min(taskCountMin, partitions)];
    if (share((lag) => lag >= scaleOutThreshold) >= this.#config.triggerScaleOutFractionThreshold)
      return taskCount < most ? Math.min(taskCount + scaleOutStep, most) : undefined;
    if (share((lag) => lag <= scaleInThreshold) >= this.#config.triggerScaleInFractionThreshold)
      return taskCount > least ? Math.max(taskCount - scaleInStep, least) : undefined;
    return undefined;
  }

  #aggregate(lag: Offsets): number {
    if (lag.size === 0) return 0;
    if (this.#config.lagAggregate === 'MAX')
      return [...lag.values()].reduce((most, each) => Math.max(most, each), 0);
    return this.#config.lagAggregate === 'SUM' ? totalOf(lag) : totalOf(lag) / lag.size;
  }
}

// Times stay aligned with the first one, even after missed ones.
const nextTime = (dueMs: number, periodMs: number, nowMs: number) =>
  dueMs + (Math.floor((nowMs - dueMs) / periodMs) + 1) * periodMs;
