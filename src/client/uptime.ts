/** Milliseconds since the process started, unaffected by clock changes: for waits and durations. */
export const uptimeMs = () => process.uptime() * 1000;

/** The maximum delay of a Node timer, 25 days: a longer one would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;
