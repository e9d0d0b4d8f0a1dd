// TLS certificates of a profile, for node:tls.
import { readFileSync } from 'node:fs';
import { BadSettings } from './errors.ts';

export interface TlsSettings {
  readonly caFile?: string | undefined; // trusted instead of the usual authorities
  readonly certFile?: string | undefined; // the client certificate
  readonly keyFile?: string | undefined;
  readonly cert?: string | undefined; // the same as PEM text
  readonly key?: string | undefined;
  // The expected name in the certificate, instead of the URL's host
  readonly serverName?: string | undefined;
  readonly insecure?: boolean | undefined; // skips verification
}

/**
 * The options of `tls.connect`. Throws BadSettings for an unreadable file or an incomplete client
 * certificate.
 */
export function tlsOptionsOf({
  caFile,
  certFile,
  keyFile,
  cert,
  key,
  serverName,
  insecure,
}: TlsSettings) {
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new BadSettings(
      `A client certificate needs two files: the ${certFile ? 'key' : 'certificate'} is missing`,
    );
  }
  return {
    ...(caFile !== undefined && { ca: readPem(caFile, 'authority') }),
    ...(certFile !== undefined && { cert: readPem(certFile, 'client certificate') }),
    ...(keyFile !== undefined && { key: readPem(keyFile, 'key') }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(serverName !== undefined && { servername: serverName }),
    ...(insecure && { rejectUnauthorized: false }),
  };
}

function readPem(path: string, role: string): string {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new BadSettings(
      `The ${role} file [${path}] cannot be read: ${(cause as NodeJS.ErrnoException).code}`,
      { cause },
    );
  }
  if (content.includes('-----BEGIN ')) return content;
  throw new BadSettings(
    `The ${role} file [${path}] is not a PEM file: no line begins with [-----BEGIN]`,
  );
}
