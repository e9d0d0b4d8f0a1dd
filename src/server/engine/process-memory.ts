// Resident memory of processes, as the operating system counts it.
import { readFileSync } from 'node:fs';

/**
 * Bytes of memory that a process has for itself: code that several processes share is left out.
 * Undefined for a process that has ended, and on systems without /proc.
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
