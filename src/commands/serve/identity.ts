// The files of the certificate and key that flags name.
import { resolve } from 'node:path';
import { UsageError } from '../../cli/process/errors.ts';

/**
 * The files that --tls-cert and --tls-key name; undefined where neither is given. Throws UsageError
 * when one is missing.
 */
export function identityFiles(certFile: string | undefined, keyFile: string | undefined) {
  if (certFile === undefined && keyFile === undefined) return;
  if (certFile === undefined || keyFile === undefined)
    throw new UsageError(
      '--tls-cert and --tls-key go together',
      `give ${certFile === undefined ? '--tls-cert' : '--tls-key'}, too`,
    );
  return { certFile: resolve(certFile), keyFile: resolve(keyFile) };
}
