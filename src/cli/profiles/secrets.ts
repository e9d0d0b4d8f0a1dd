// User and password of a request, resolved before the first request and never printed.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Ask } from '../input/prompt.ts';
import { CommandError, UsageError } from '../process/errors.ts';
import type { FlagName } from '../process/flags.ts';
import type { Io } from '../process/io.ts';
import type { Resolved, SettingSource } from './settings.ts';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/**
 * The user and password of a command; undefined without a user. Throws for a user without a
 * password.
 */
export async function credentialsOf(
  resolved: Resolved,
  io: Io,
  ask: Ask,
): Promise<Credentials | undefined> {
  const { user } = resolved.settings;
  if (user === undefined) return;
  const password = await passwordOf(resolved, io);
  if (password !== undefined) return { user, password };
  return {
    user,
    password: await ask.password(
      `Password of ${user}:`,
      '--password-stdin, --password-file, --password-command or SVCCTL_PASSWORD',
    ),
  };
}

/** The password from the command line, the environment or the profile, in this order. */
export async function passwordOf(
  { winners, settings, profile, profileName }: Resolved,
  { stdin, env }: Io,
): Promise<string | undefined> {
  for (const source of ['flag', 'environment', 'profile'] satisfies SettingSource[]) {
    const says = (name: FlagName) => winners.get(name)?.source === source;
    if (says('passwordStdin') && settings.passwordStdin)
      return firstLine(stdin, '--password-stdin');
    if (says('passwordFile') && settings.passwordFile !== undefined)
      return passwordInFile(settings.passwordFile);
    if (says('passwordCommand') && settings.passwordCommand !== undefined)
      return passwordFrom(settings.passwordCommand);
    if (source === 'environment' && env.SVCCTL_PASSWORD) return env.SVCCTL_PASSWORD;
  }
  if (winners.get('user')?.source !== 'profile') return;
  if (profile?.passwordIn === 'keychain' && profileName !== undefined) {
    const { findInKeychain } = await import('./keychain.ts');
    return findInKeychain(profileName);
  }
  return profile?.password;
}

/**
 * Describes the source that `passwordOf` would use; undefined where it would prompt. Reads nothing.
 */
export function placeOfPassword(
  { winners, settings, profile }: Resolved,
  env: NodeJS.ProcessEnv,
): string | undefined {
  for (const source of ['flag', 'environment', 'profile'] satisfies SettingSource[]) {
    const says = (name: FlagName) => winners.get(name)?.source === source;
    if (says('passwordStdin') && settings.passwordStdin) return 'standard input';
    if (says('passwordFile')) return `the file [${settings.passwordFile}]`;
    if (says('passwordCommand')) return `the command [${settings.passwordCommand}]`;
    if (source === 'environment' && env.SVCCTL_PASSWORD) return 'the variable SVCCTL_PASSWORD';
  }
  if (winners.get('user')?.source !== 'profile') return;
  return profile?.passwordIn === 'keychain'
    ? 'the keychain'
    : profile?.password === undefined
      ? undefined
      : 'the profile file';
}

/**
 * Sources for another user's password; the flags for the caller's own password are not among them.
 */
export interface NewPassword {
  readonly newPasswordStdin?: boolean;
  readonly newPasswordFile?: string;
  readonly newPasswordCommand?: string;
}

/** The new password of a user, from its source or from a prompt. */
export async function newPasswordOf(
  user: string,
  given: NewPassword,
  { stdin, env }: Io,
  ask: Ask,
): Promise<string> {
  if (given.newPasswordStdin) return firstLine(stdin, '--new-password-stdin');
  if (given.newPasswordFile !== undefined) return passwordInFile(given.newPasswordFile);
  if (given.newPasswordCommand !== undefined) return passwordFrom(given.newPasswordCommand);
  if (env.SVCCTL_NEW_PASSWORD) return env.SVCCTL_NEW_PASSWORD;
  return ask.password(
    `New password of ${user}:`,
    '--new-password-stdin, --new-password-file, --new-password-command or SVCCTL_NEW_PASSWORD',
  );
}

async function firstLine(stdin: Io['stdin'], flag: string): Promise<string> {
  if (stdin.isTTY)
    throw new UsageError(`${flag} cannot read from a terminal`, 'omit it to get a prompt');
  return notEmpty((await text(stdin)).split(/\r?\n/)[0] ?? '', flag);
}

function passwordInFile(file: string): string {
  try {
    return notEmpty(readFileSync(file, 'utf8').split(/\r?\n/)[0] ?? '', `file [${file}]`);
  } catch (error) {
    throw error instanceof CommandError
      ? error
      : new UsageError(
          `Password file [${file}] cannot be read: ${(error as Error).message}`,
          'its first line is the password',
        );
  }
}

// The command's messages to the user pass through; its output is the password.
function passwordFrom(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const [shell, flag] = process.platform === 'win32' ? ['cmd', '/c'] : ['sh', '-c'];
    const child = execFile(shell, [flag, command], { timeout: 60_000 }, (error, stdout) => {
      if (error)
        return reject(
          new UsageError(
            `The password command failed with exit code ${child.exitCode ?? error.code ?? 'unknown'}`,
            'run it alone: it must print the password and exit with 0',
          ),
        );
      try {
        resolve(notEmpty(stdout.split(/\r?\n/)[0] ?? '', 'the password command'));
      } catch (empty) {
        reject(empty);
      }
    });
    child.stderr?.pipe(process.stderr);
    child.stdin?.end();
  });
}

function notEmpty(password: string, from: string): string {
  if (password === '')
    throw new UsageError(`The password from ${from} is empty`, 'the first line is the password');
  return password;
}
