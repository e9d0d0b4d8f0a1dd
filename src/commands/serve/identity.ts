// The certificate and key of a service, tried before a port is opened.
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { UsageError } from '../../cli/errors.ts';

/** Whom the service shows itself as; undefined where neither file is named. Throws UsageError when they are no certificate and its key. */
export function identityIn(certFile: string | undefined, keyFile: string | undefined) {
  if (certFile === undefined && keyFile === undefined) return;
  if (certFile === undefined || keyFile === undefined)
    throw new UsageError('--tls-cert and --tls-key go together', `give ${certFile === undefined ? '--tls-cert' : '--tls-key'}, too`);
  const identity = { cert: textOf(certFile, '--tls-cert'), key: textOf(keyFile, '--tls-key') };
  try {
    createSecureContext(identity);
  } catch (error) {
    throw new UsageError(`Files [${certFile}] and [${keyFile}] are no certificate and its key, as PEM: ${(error as Error).message}`);
  }
  return identity;
}

function textOf(file: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`File [${file}] given by ${flag} cannot be read: ${(error as Error).message}`);
  }
}
