// TLS of the service's own ports, from properties below `server.https.` (Druid:
// operations/tls-support).
import { lookupService } from 'node:dns/promises';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { CannotStart } from '../process/cannot-start.ts';
import { logTrouble } from '../process/log.ts';
import type { Properties } from '../settings/properties.ts';
import type { ClientDemands, IdentitySource } from './certificates.ts';
import { protocolsIn } from './protocols.ts';
import { fileBytes, identityIn, pathIn, readTrustStore } from './stores.ts';

const prefix = 'server.https';

/**
 * The source from the properties. Throws CannotStart for an invalid property, or one without
 * effect.
 */
export function keyStoreSource(properties: Properties): IdentitySource {
  const clients = clientsIn(properties);
  const names = ['keyStorePath', ...(clients.requestCert ? ['trustStorePath', 'crlPath'] : [])];
  const seconds = properties.integer(`${prefix}.reloadSslContextSeconds`, 60);
  if (seconds < 1 || seconds > 86_400)
    throw properties.outside(`${prefix}.reloadSslContextSeconds`, 1, 86_400);
  const reloads = properties.truth(`${prefix}.reloadSslContext`, false);
  return {
    files: names.flatMap((name) => pathIn(properties, `${prefix}.${name}`) ?? []),
    clients,
    reloadMs: reloads ? seconds * 1000 : undefined,
    read() {
      const identity = {
        ...protocolsIn(properties, prefix),
        ...identityIn(properties, prefix, Date.now()),
      };
      return clients.requestCert ? { ...identity, ...authoritiesIn(properties) } : identity;
    },
  };
}

function clientsIn(properties: Properties): ClientDemands {
  const isRequired = properties.truth(`${prefix}.requireClientCertificate`, false);
  const isRequested = properties.truth(`${prefix}.requestClientCertificate`, false);
  const checksNames = properties.truth(`${prefix}.validateHostnames`, true);
  if (isRequired)
    return {
      requestCert: true,
      rejectUnauthorized: true,
      ...(checksNames && {
        admits: checkClientName(properties.fullName(`${prefix}.validateHostnames`)),
      }),
    };
  for (const name of ['trustStorePath', 'crlPath']) {
    if (!isRequested && properties.text(`${prefix}.${name}`) !== undefined)
      throw new CannotStart(
        `${properties.place(`${prefix}.${name}`)} has no effect without property [${properties.fullName(`${prefix}.requireClientCertificate`)}] or [${properties.fullName(`${prefix}.requestClientCertificate`)}]`,
      );
  }
  // node:tls would admit a client with an untrusted certificate; Java does not.
  if (isRequested)
    return {
      requestCert: true,
      rejectUnauthorized: false,
      admits: async (socket) => !hasCertificate(socket) || socket.authorized,
    };
  return { requestCert: false, rejectUnauthorized: false };
}

const hasCertificate = (socket: TLSSocket) => socket.getPeerX509Certificate() !== undefined;

// As in Java, a client's certificate must contain its address, or the host name that DNS has for
// it.
const checkClientName = (property: string) => async (socket: TLSSocket) => {
  const certificate = socket.getPeerX509Certificate();
  const address = socket.remoteAddress?.replace(/^::ffff:/, '');
  if (certificate === undefined || address === undefined) return false;
  if (certificate.checkIP(address) !== undefined) return true;
  const host = await lookupService(address, 0).then(
    ({ hostname }) => hostname,
    () => undefined,
  );
  if (host !== undefined && certificate.checkHost(host) !== undefined) return true;
  logTrouble(
    `The service refused a client at [${address}]: its certificate [${certificate.subject.replaceAll('\n', ', ')}] is valid neither for that address nor for host [${host ?? address}]. Property [${property}=false] turns this check off`,
  );
  return false;
};

function authoritiesIn(properties: Properties) {
  const crl = revocationsIn(properties);
  return { ca: [...readTrustStore(properties, prefix)], ...(crl !== undefined && { crl }) };
}

// Revoked certificates: a revocation list of their authority, PEM or DER.
function revocationsIn(properties: Properties): string | undefined {
  const name = `${prefix}.crlPath`;
  const path = pathIn(properties, name);
  if (path === undefined) return undefined;
  const bytes = fileBytes(properties, name, path);
  const isPem = bytes.includes('-----BEGIN X509 CRL-----');
  const pem = isPem
    ? bytes.toString('latin1')
    : `-----BEGIN X509 CRL-----\n${bytes.toString('base64')}\n-----END X509 CRL-----\n`;
  try {
    createSecureContext({ crl: pem });
  } catch {
    throw new CannotStart(
      `${properties.place(name)}: file [${path}] is not a list of revoked certificates (CRL), PEM or DER`,
    );
  }
  return pem;
}
