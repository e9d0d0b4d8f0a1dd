// State of a wait, and its description.
import { visibleLine } from '../../model/visible-text.ts';
import { formatBytes, formatDuration } from '../lists/columns.ts';

export interface ProgressState {
  readonly stage?: string; // log output prints a line when it changes
  readonly rows?: number | bigint;
  readonly bytes?: number | bigint;
  readonly fraction?: number; // 0 to 1
}

/** A part of a state in words. In a narrow terminal, the lightest parts are dropped first. */
export interface ProgressPart {
  readonly text: string;
  readonly weight: number;
}

/** A state in words: stage, percent, rows, bytes, and the estimated time. */
export function partsOf(
  { stage, rows, bytes, fraction }: ProgressState,
  elapsedMs: number,
): readonly ProgressPart[] {
  const left =
    fraction !== undefined && elapsedMs > 10_000 && fraction > 0.02 && fraction < 1
      ? (elapsedMs / fraction) * (1 - fraction)
      : undefined;
  const parts = [
    [stage === undefined ? undefined : visibleLine(stage), 5],
    [fraction === undefined ? undefined : `${Math.floor(fraction * 100)} %`, 4],
    [rows === undefined ? undefined : `${rows} ${Number(rows) === 1 ? 'row' : 'rows'}`, 2],
    [bytes === undefined ? undefined : formatBytes(bytes), 1],
    [
      left === undefined || left < 1000
        ? undefined
        : `about ${formatDuration(Math.round(left / 1000) * 1000)} left`,
      3,
    ],
  ] as const;
  return parts.flatMap(([text, weight]) => (text === undefined ? [] : [{ text, weight }]));
}
