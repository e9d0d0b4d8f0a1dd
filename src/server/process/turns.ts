// Turns of the event loop that all large replies share. The loop accepts one new connection in each
// of its rounds, so new clients would wait long if each round had several turns.

const waiting: (() => void)[] = [];
let isScheduled = false;

/**
 * Waits for a turn of some milliseconds. The more replies wait, the more rounds of the event loop
 * are between two turns.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((begin) => {
    waiting.push(begin);
    if (!isScheduled) beginAfter(1);
  });

function beginAfter(rounds: number): void {
  isScheduled = true;
  setImmediate(() => {
    if (rounds > 1) return beginAfter(rounds - 1);
    isScheduled = false;
    waiting.shift()?.();
    if (waiting.length > 0) beginAfter(Math.min(waiting.length, mostRounds));
  });
}

const mostRounds = 8;
