// Adapter for @napi-rs/keyring, which is optional: many machines lack a keychain, and some
// platforms lack a package. A locked keychain may block until its owner unlocks it, and only the
// end of the process stops the wait. So a separate process queries it.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Entry } from '@napi-rs/keyring';
import { UsageError } from '../process/errors.ts';

export interface KeychainFailure {
  readonly reason: string; // in one line
  readonly isThere: boolean; // a keychain exists, but did not accept the password
}

/** Stores the password of a profile; returns the failure when no keychain accepts it. */
export async function storeInKeychain(
  profile: string,
  password: string,
): Promise<KeychainFailure | undefined> {
  const { failure } = await askKeychain('setPassword', profile, password);
  return failure === undefined
    ? undefined
    : { reason: failure, isThere: !hasNoKeychain.test(failure) };
}

// The package is missing, or nothing on the message bus of the session is a keychain.
const hasNoKeychain = /is not installed|d-?bus|zbus|ServiceUnknown|NoStorageAccess|no such file/i;

/**
 * The password of a profile; undefined when the keychain has none. Throws UsageError when it cannot
 * be read.
 */
export async function findInKeychain(profile: string): Promise<string | undefined> {
  const { failure, answer } = await askKeychain('getPassword', profile);
  if (failure === undefined) return typeof answer === 'string' ? answer : undefined;
  throw new UsageError(
    `The password of profile [${profile}] cannot be read from the keychain: ${failure}`,
    'unlock it, or give the password with --password-stdin, --password-file, --password-command or SVCCTL_PASSWORD',
  );
}

/** Removes the password of a profile; returns the reason when that fails. */
export async function removeFromKeychain(profile: string): Promise<string | undefined> {
  return (await askKeychain('deletePassword', profile)).failure;
}

interface Answer {
  readonly answer?: unknown;
  readonly failure?: string;
}

const patienceMs = 30_000;

// Linux without a keychain has a key store in the kernel. It is cleared at the end of the session,
// so it is not suitable.
const question = `
const [keyring, method, profile] = process.argv.slice(1);
const password = require('node:fs').readFileSync(0, 'utf8');
let said;
try {
  const entry = new (require(keyring).Entry)('svcctl', profile, { linux: { store: 'secret-service' } });
  said = { answer: entry[method](...(method === 'setPassword' ? [password] : [])) };
} catch (error) {
  said = { failure: error.message };
}
process.stdout.write(JSON.stringify(said));
`;

function askKeychain(
  method: Extract<keyof Entry, 'setPassword' | 'getPassword' | 'deletePassword'>,
  profile: string,
  password = '',
): Promise<Answer> {
  const keyring = packageFile();
  if (keyring === undefined)
    return Promise.resolve({ failure: 'package [@napi-rs/keyring] is not installed' });
  return new Promise((resolve) => {
    const how = { timeout: patienceMs, killSignal: 'SIGKILL' } as const;
    const child = execFile(
      process.execPath,
      ['-e', question, '--', keyring, method, profile],
      how,
      (error, stdout) => {
        process.off('exit', end);
        resolve(
          error
            ? {
                failure: error.killed
                  ? `it did not answer within ${patienceMs / 1000} s`
                  : 'it was interrupted',
              }
            : answerIn(stdout),
        );
      },
    );
    const end = () => child.kill('SIGKILL');
    process.on('exit', end);
    child.stdin?.on('error', () => {}); // a child that has ended already says so itself
    child.stdin?.end(password);
  });
}

const answerIn = (stdout: string): Answer => {
  try {
    const { answer, failure } = JSON.parse(stdout) as Answer;
    return failure === undefined
      ? { answer }
      : {
          failure: failure
            .replace(/^Couldn't access platform storage: /, '')
            .replace(/\s+/g, ' ')
            .trim(),
        };
  } catch {
    return { failure: 'it did not answer' };
  }
};

function packageFile(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('@napi-rs/keyring');
  } catch {
    return undefined;
  }
}
