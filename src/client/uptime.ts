/**
 * Milliseconds since the process began, which go on evenly whatever happens to the clock: for waits
 * and for how long things took.
 */
export const uptimeMs = () => process.uptime() * 1000;

/** The longest that a timer of Node can wait, 25 days: one that is longer would end at once. */
export const longestTimerMs = 2 ** 31 - 1;
