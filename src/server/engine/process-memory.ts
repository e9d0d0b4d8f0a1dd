// Resident memory of processes, as reported by the operating system.
import { readFileSync } from 'node:fs';

/**
 * Private memory of a process in bytes, without shared code. Undefined for a process that has
 * ended, and on systems without /proc.
 */
export function privateBytesOf(pid: number | 'self'): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kilobytes = ['RssAnon', 'RssShmem'].map((name) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0),
    );
    return kilobytes.reduce((sum, size) => sum + size) * 1024;
  } catch {
    return undefined;
  }
}
