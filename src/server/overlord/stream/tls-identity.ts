// Client keys and certificates for TLS. An encrypted key determines the cost of its decryption,
// during which OpenSSL would block the event loop. So a process that can be killed decrypts it
// first.
import { execFile } from 'node:child_process';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { StreamUnavailable } from './stream.ts';

/** Certificates and keys of a client, from consumerProperties. */
export interface TlsIdentity {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly pfx?: Buffer;
  readonly passphrase?: string;
}

/**
 * The TLS context that connections share. Throws StreamUnavailable, without secrets, for an invalid
 * key and one that takes too long to decrypt.
 */
export async function secureContextOf(identity: TlsIdentity): Promise<SecureContext> {
  const { pfx, passphrase, ...texts } = identity;
  if (Object.values(texts).some((text) => text.length > maxLength))
    throw unusable(`they are longer than [${maxLength}] characters`);
  if (pfx || identity.key?.includes('ENCRYPTED')) {
    const trial = trials.then(() => tryAside(identity));
    trials = trial.catch(() => undefined);
    await trial;
  }
  return attempt(identity);
}

let trials: Promise<void> = Promise.resolve(); // sequential

const maxLength = 1024 * 1024;

function attempt(identity: SecureContextOptions): SecureContext {
  try {
    return createSecureContext(identity);
  } catch (error) {
    throw unusable(error instanceof Error ? error.message : String(error));
  }
}

const unusable = (reason: string) =>
  new StreamUnavailable(
    `The certificates and keys [ssl.*] of the consumerProperties cannot be used: ${reason}`,
  );

const maxDecryptionMs = 500;

// Reads the identity from its standard input and prints the processor time it used, in
// milliseconds.
const script = `
let given = '';
process.stdin.on('data', (chunk) => { given += chunk; }).on('end', () => {
  const { pfx, ...rest } = JSON.parse(given);
  const start = process.cpuUsage();
  try { require('node:tls').createSecureContext({ ...rest, ...(pfx && { pfx: Buffer.from(pfx, 'base64') }) }); } catch {}
  process.stdout.write(String(process.cpuUsage(start).user / 1000));
});`;

function tryAside({ pfx, ...rest }: TlsIdentity): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      ['-e', script],
      { timeout: 10_000, killSignal: 'SIGKILL', env: {} },
      (error, took) => {
        if (error || Number(took) > maxDecryptionMs)
          reject(unusable(`they take more than [${maxDecryptionMs}] ms to decrypt`));
        else resolve();
      },
    );
    child.stdin?.on('error', () => undefined); // it has ended: the callback gets the outcome
    child.stdin?.end(JSON.stringify({ ...rest, ...(pfx && { pfx: pfx.toString('base64') }) }));
  });
}
