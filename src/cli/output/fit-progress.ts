// Layout of the live progress line: a line wider than the terminal would leave its beginning
// behind.
import { barOf, type Marks } from '../terminal/marks.ts';
import { cut, widthOf } from '../terminal/width.ts';
import type { ProgressPart, ProgressState } from './progress-state.ts';

interface ProgressLine {
  readonly said: readonly ProgressPart[] | undefined; // the state in words
  readonly width: number; // of the terminal
  readonly marks: Marks;
}

const besides = 3; // the spinner, a space, and the cursor
const barCells = 10;
const weightOfBar = 3.5; // low: the percentage shows the same
const enoughOfName = 24; // with the first letters of an id

/**
 * The subject of the wait, a bar if there is room, and the state in words. In a narrow terminal the
 * subject is cut first, then words go in order of weight. Numbers are never cut.
 */
export function fitProgress(
  what: string,
  state: ProgressState | undefined,
  { said, width, marks }: ProgressLine,
): string {
  const room = width - besides;
  if (said === undefined || said.length === 0) return cut(what, room, marks.cut);
  const least = Math.min(widthOf(what), enoughOfName, Math.floor(room / 3)) + 2;
  const bar =
    state?.fraction !== undefined && room >= 60
      ? [{ text: barOf(state.fraction, barCells, marks), weight: weightOfBar }]
      : [];
  const lineOf = (parts: readonly ProgressPart[]) => {
    const words = parts.filter((part) => !bar.includes(part)).map(({ text }) => text);
    return [
      ...bar.filter((part) => parts.includes(part)).map(({ text }) => text),
      words.join(', '),
    ].join(' ');
  };
  let kept = [...bar, ...said];
  while (kept.length > 1 && least + widthOf(lineOf(kept)) > room) {
    const lightest = Math.min(...kept.map(({ weight }) => weight));
    kept = kept.filter(({ weight }) => weight !== lightest);
  }
  const line = lineOf(kept);
  const enough = Math.max(least - 2, room - 2 - widthOf(line));
  return cut(`${cut(what, enough, marks.cut)}: ${line}`, room, marks.cut);
}
