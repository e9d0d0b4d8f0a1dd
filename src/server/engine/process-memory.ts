// Resident memory of processes, as reported by the operating system.
import { readFileSync } from 'node:fs';

/** Resident memory of a child process with Node.js and DuckDB, without data, in bytes. */
export const programBytes = 96 * 1024 ** 2;

/**
 * Resident memory of a process in bytes. Undefined for a process that has ended, and on systems
 * without /proc.
 */
export function residentBytesOf(pid: number | 'self'): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
