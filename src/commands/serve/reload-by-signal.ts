// SIGHUP handling: the service reads its certificates again.
import { closeSync, openSync } from 'node:fs';

/**
 * Calls `reload` on each SIGHUP; a SIGHUP from a closed terminal ends the process like SIGTERM.
 * Returns a function that stops listening.
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

// A process that lost its terminal cannot open it.
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
