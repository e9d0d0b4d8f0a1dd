// Child command of a service, with the same lifetime.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { CommandError } from '../../cli/process/errors.ts';
import type { ExitCode } from '../../cli/process/exit-codes.ts';

export interface Beside {
  readonly url: string;
  readonly controlUrl: string | undefined;
  readonly service: string;
  readonly signal: AbortSignal; // ends the command
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Runs the command with the service's address in its environment. Returns its exit code, or 128
 * plus the number of the signal that ended it.
 */
export async function runBeside(
  [program = '', ...args]: readonly string[],
  { url, controlUrl, service, signal, env }: Beside,
): Promise<ExitCode> {
  const addresses = {
    SVCCTL_URL: url,
    SVCCTL_SERVICE: service,
    ...(controlUrl !== undefined && { SVCCTL_CONTROL_URL: controlUrl }),
  };
  const child = spawn(program, args, { stdio: 'inherit', env: { ...env, ...addresses } });
  const end = () => child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  try {
    const [code, signalName] = (await once(child, 'exit')) as [
      number | null,
      NodeJS.Signals | null,
    ];
    // Pass on the command's own exit code, which scripts expect, even if it is not one of svcctl's.
    return (code ?? 128 + (signalName ? constants.signals[signalName] : 0)) as ExitCode;
  } catch (error) {
    throw new CommandError(
      'usage',
      `Command [${program}] cannot be run: ${(error as Error).message}`,
    );
  } finally {
    signal.removeEventListener('abort', end);
  }
}
