// Certificate and key files in PEM, given by flags.
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { CannotStart } from '../process/cannot-start.ts';
import type { IdentitySource } from './certificates.ts';
import { checkIdentity } from './identity.ts';

export interface PemFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The source for the files of --tls-cert and --tls-key. */
export const pemSource = ({ certFile, keyFile }: PemFiles): IdentitySource => ({
  files: [certFile, keyFile],
  clients: { requestCert: false, rejectUnauthorized: false },
  reloadMs: undefined,
  read() {
    const identity = { cert: textOf(certFile, '--tls-cert'), key: textOf(keyFile, '--tls-key') };
    try {
      createSecureContext(identity);
    } catch (error) {
      throw new CannotStart(
        `Files [${certFile}] and [${keyFile}] are not a certificate and its key in PEM: ${(error as Error).message}`,
      );
    }
    return checkIdentity(
      identity,
      `The certificate in file [${certFile}] given by --tls-cert`,
      Date.now(),
    );
  },
});

function textOf(file: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CannotStart(
      `File [${file}] given by ${flag} cannot be read: ${(error as Error).message}`,
    );
  }
}
