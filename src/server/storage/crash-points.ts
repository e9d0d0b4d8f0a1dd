// Points where a test can crash the process as in a power cut: SVCCTL_CRASH_POINT names one, and
// reaching it sends SIGKILL.

/** Crash points, grouped by operation. */
export const crashPoints = {
  publish: [
    'segment written, not yet moved',
    'some segments moved',
    'segments moved, not yet committed',
    'segments committed, not yet acknowledged',
  ],
  upgrade: [
    'appended segments linked, not yet committed',
    'appended segments upgraded, not yet acknowledged',
  ],
  delete: ['segments deleted, files not yet'],
  restore: [
    'restored state copied, not yet chosen',
    'restored state chosen, not yet in place',
    'restored state partly in place',
  ],
} as const;

export type CrashPoint = (typeof crashPoints)[keyof typeof crashPoints][number];

/** Kills the process at the chosen crash point; otherwise does nothing. */
export function crashPoint(point: CrashPoint): void {
  if (point === chosen) process.kill(process.pid, 'SIGKILL');
}

const chosen = process.env.SVCCTL_CRASH_POINT;
