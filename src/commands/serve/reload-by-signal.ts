// SIGHUP: the service reads its certificates again.
import { closeSync, openSync } from 'node:fs';

/**
 * Calls `reload` at each SIGHUP, but ends the process as SIGTERM does when its terminal was closed.
 * Returns how to stop listening.
 */
export function reloadBySignal(reload: () => void): () => void {
  const hadTerminal = hasTerminal();
  const hear = () => {
    if (hadTerminal && !hasTerminal()) process.kill(process.pid, 'SIGTERM');
    else reload();
  };
  process.on('SIGHUP', hear);
  return () => void process.off('SIGHUP', hear);
}

// A process that lost its terminal can open it no more.
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
