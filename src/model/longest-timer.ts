// Limit of Node's timers.

/** The longest delay of a timer in milliseconds, 25 days: a longer one would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;
