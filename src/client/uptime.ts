/** Milliseconds since the process started, unaffected by clock changes: for waits and durations. */
export const uptimeMs = () => process.uptime() * 1000;
