// Certificate and key files from flags.
import { resolve } from 'node:path';
import { UsageError } from '../../cli/process/errors.ts';

/**
 * The files of --tls-cert and --tls-key; undefined when neither is given. Throws UsageError when
 * one is missing.
 */
export function identityFiles(certFile: string | undefined, keyFile: string | undefined) {
  if (certFile === undefined && keyFile === undefined) return;
  if (certFile === undefined || keyFile === undefined)
    throw new UsageError(
      '--tls-cert and --tls-key must be used together',
      `give ${certFile === undefined ? '--tls-cert' : '--tls-key'}, too`,
    );
  return { certFile: resolve(certFile), keyFile: resolve(keyFile) };
}
