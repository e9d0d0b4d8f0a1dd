// The authorities whose certificates a directory may have: properties `auth.basic.ssl...` (the specification, "Authentication", 7).
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Properties } from '../../properties.ts';

/** The certificates of the trust store as PEM; undefined for those that Node knows. Throws CannotStart for a store that cannot be read. */
export function trustedAuthoritiesIn(properties: Properties): readonly string[] | undefined {
  const name = 'auth.basic.ssl.trustStorePath';
  const path = properties.text(name);
  if (path === undefined) return undefined;
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    throw properties.wrong(name, `names [${path}], which cannot be read`);
  }
  const certificates = certificatesIn(bytes);
  if (certificates.length === 0)
    throw properties.wrong(
      name,
      `names [${path}], which holds no certificates as PEM; keytool -exportcert -rfc and openssl pkcs12 -nokeys make such a file`,
    );
  return certificates;
}

// Other kinds of stores, such as PKCS #12 with property trustStorePassword, would be read here.
function certificatesIn(bytes: Buffer): readonly string[] {
  const found = bytes.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    return found.map((text) => new X509Certificate(text).toString());
  } catch {
    return [];
  }
}
