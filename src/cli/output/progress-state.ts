// State of a wait, and its description.
import { visibleLine } from '../../model/visible-text.ts';
import { formatBytes, formatDuration } from '../lists/columns.ts';
import { groupDigits } from './group-digits.ts';

export interface ProgressState {
  readonly what?: string; // replaces the subject of the wait, once it is known
  readonly stage?: string; // log output prints a line when it changes
  readonly rows?: number | bigint;
  readonly bytes?: number | bigint;
  readonly fraction?: number; // 0 to 1
}

/** A state with the values that follow from the states before it. */
export interface ProgressReading extends ProgressState {
  readonly what: string;
  readonly rowsPerSecond?: number;
  readonly elapsedMs: number;
  readonly leftMs?: number; // estimated
}

/** A part of a state in words. In a narrow terminal, the lightest parts are dropped first. */
export interface ProgressPart {
  readonly text: string;
  readonly weight: number;
}

/** A state in words: stage, percent, rows, speed, bytes, elapsed time, and the estimated rest. */
export function partsOf({
  stage,
  rows,
  bytes,
  fraction,
  rowsPerSecond,
  elapsedMs,
  leftMs,
}: ProgressReading): readonly ProgressPart[] {
  const parts = [
    [stage === undefined ? undefined : visibleLine(stage), 7],
    [fraction === undefined ? undefined : `${Math.floor(fraction * 100)} %`, 6],
    [
      rows === undefined
        ? undefined
        : `${groupDigits(rows)} ${Number(rows) === 1 ? 'row' : 'rows'}`,
      3,
    ],
    [rowsPerSecond ? `${groupDigits(rowsPerSecond)} rows/s` : undefined, 2],
    [bytes === undefined ? undefined : formatBytes(bytes), 1],
    [elapsedMs < 1000 ? undefined : `${formatSeconds(elapsedMs)} elapsed`, 4],
    [leftMs === undefined ? undefined : `about ${formatSeconds(leftMs)} left`, 5],
  ] as const;
  return parts.flatMap(([text, weight]) => (text === undefined ? [] : [{ text, weight }]));
}

const formatSeconds = (ms: number) =>
  ms < 60_000 ? `${Math.floor(ms / 1000)}s` : formatDuration(ms);
