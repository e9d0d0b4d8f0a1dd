/** Milliseconds since the process began, which go on evenly whatever happens to the clock: for waits and for how long things took. */
export const uptimeMs = () => process.uptime() * 1000;
