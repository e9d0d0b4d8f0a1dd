// Turns of the event loop that all large replies share. The loop accepts one new connection in each
// of its rounds, so new clients would wait long if each round had a turn, or several.

const waiting: (() => void)[] = [];
let isScheduled = false;

/** Waits for a turn of some milliseconds; one begins in every eighth round of the event loop. */
export const nextTurn = (): Promise<void> =>
  new Promise((begin) => {
    waiting.push(begin);
    if (!isScheduled) beginAfter(roundsBetween);
  });

function beginAfter(rounds: number): void {
  isScheduled = true;
  setImmediate(() => {
    if (rounds > 1) return beginAfter(rounds - 1);
    isScheduled = false;
    waiting.shift()?.();
    if (waiting.length > 0) beginAfter(roundsBetween);
  });
}

const roundsBetween = 8;
