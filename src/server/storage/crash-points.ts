// Places where a test can let the process die as if the power went: SVCCTL_CRASH_POINT names one, and reaching it is SIGKILL.

export const crashPoints = [
  'segment written, not yet moved',
  'some segments moved',
  'segments moved, not yet committed',
  'segments committed, not yet acknowledged',
  'segments deleted, files not yet',
] as const;

export type CrashPoint = (typeof crashPoints)[number];

/** Dies here when this point was chosen, otherwise does nothing. */
export function crashPoint(point: CrashPoint): void {
  if (point === chosen) process.kill(process.pid, 'SIGKILL');
}

const chosen = process.env.SVCCTL_CRASH_POINT;
