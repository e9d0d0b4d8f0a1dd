// Editing of a text in the user's editor: VISUAL, EDITOR, or vi, as in POSIX.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError, UsageError } from '../process/errors.ts';
import type { Io } from '../process/io.ts';

/** The editor failed; the edited file may be worth keeping. */
export class EditorFailed extends CommandError {
  readonly left: string;

  constructor(command: string, code: unknown, left: string) {
    super(
      'failed',
      `Editor [${command}] failed with exit code [${code}]; nothing was changed`,
      'set VISUAL or EDITOR to another one',
    );
    this.left = left;
  }
}

/**
 * Opens a text in the editor, in a private file of this name, and returns the edited text. Throws
 * EditorFailed, or UsageError when there is no editor.
 */
export async function editText(
  text: string,
  fileName: string,
  { env, stdin }: Pick<Io, 'env' | 'stdin'>,
): Promise<string> {
  const command = env.VISUAL || env.EDITOR || (stdin.isTTY ? 'vi' : undefined);
  if (command === undefined)
    throw new UsageError(
      'An editor needs a terminal',
      'set VISUAL or EDITOR to one that needs none',
    );
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-'));
  const file = join(folder, fileName);
  const ignore = () => {}; // Ctrl-C belongs to the editor while it is open
  process.on('SIGINT', ignore);
  try {
    await writeFile(file, text, { mode: 0o600 });
    const child = spawn(`${command} "$SVCCTL_FILE"`, {
      shell: true,
      stdio: 'inherit',
      env: { ...env, SVCCTL_FILE: file },
    });
    const [code] = await once(child, 'close');
    if (code !== 0)
      throw new EditorFailed(command, code, await readFile(file, 'utf8').catch(() => text));
    return await readFile(file, 'utf8');
  } finally {
    process.off('SIGINT', ignore);
    await rm(folder, { recursive: true, force: true });
  }
}
