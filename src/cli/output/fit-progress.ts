// One live line of progress: a line that is too long would leave its beginning behind.
import { barOf, type Marks } from './marks.ts';
import type { State } from './progress.ts';
import { cut, widthOf } from './width.ts';

interface Place {
  readonly words: string | undefined; // the state
  readonly width: number; // of the terminal
  readonly marks: Marks;
}

const besides = 3; // the spinner, a space, and the cursor
const barCells = 10;

/** What is waited for, a bar where there is room for one, and the state in words; what is waited for is cut first. */
export function fitProgress(what: string, state: State | undefined, { words, width, marks }: Place): string {
  const room = width - besides;
  if (words === undefined) return cut(what, room, marks.cut);
  const bar = state?.fraction !== undefined && room >= 60 ? `${barOf(state.fraction, barCells, marks)} ` : '';
  const enough = Math.max(Math.min(widthOf(what), Math.floor(room / 3)), room - 2 - widthOf(bar) - widthOf(words));
  return cut(`${cut(what, enough, marks.cut)}: ${bar}${words}`, room, marks.cut);
}
