// Ports in plain text and over TLS, from flags and properties. Key store readers are loaded on
// demand.
import { CannotStart } from '../process/cannot-start.ts';
import { tlsShift } from '../settings/port-numbers.ts';
import type { Properties } from '../settings/properties.ts';
import { Certificates, type TlsPorts } from './certificates.ts';
import type { ClientTls } from './client-tls.ts';
import { type PemFiles, pemSource } from './pem-files.ts';

export interface TlsSetup {
  readonly isPlain: boolean; // whether there are ports in plain text
  readonly tls: TlsPorts | undefined;
  readonly client: ClientTls | undefined;
}

/**
 * Reads flags and properties about TLS. `port` is the Router's in plain text. Throws CannotStart
 * for contradictory or invalid settings, and for settings without effect: the service never falls
 * back to plain text.
 */
export async function tlsSetup(
  properties: Properties,
  flags: PemFiles | undefined,
  port: number,
): Promise<TlsSetup> {
  const isWanted = properties.truth('enableTlsPort', false);
  const isPlain = properties.truth('enablePlaintextPort', true);
  const client = await clientIn(properties);
  if (isWanted && flags)
    throw new CannotStart(
      `${properties.place('enableTlsPort')} and --tls-cert both configure TLS; use one of them`,
    );
  if (!isWanted) {
    for (const name of [
      properties.findBelow('server.https.'),
      properties.text('tlsPort') === undefined ? undefined : 'tlsPort',
    ])
      if (name !== undefined)
        throw new CannotStart(
          `${properties.place(name)} has no effect without property [${properties.fullName('enableTlsPort')}=true]`,
        );
    if (flags)
      return {
        isPlain: false,
        tls: { certificates: new Certificates(pemSource(flags)), port },
        client,
      };
    if (!isPlain)
      throw new CannotStart(
        `${properties.place('enablePlaintextPort')} closes the only port; set property [${properties.fullName('enableTlsPort')}=true], too`,
      );
    return { isPlain, tls: undefined, client };
  }
  const { keyStoreSource } = await import('./server-tls.ts');
  const given = tlsPortIn(properties);
  if (given === port && isPlain)
    throw new CannotStart(
      `${properties.place('tlsPort')} is [${port}], which is also the plain-text port; choose another`,
    );
  const alone = port === 0 ? 0 : port + tlsShift;
  return {
    isPlain,
    tls: {
      certificates: new Certificates(keyStoreSource(properties)),
      port: given ?? (isPlain ? undefined : alone),
    },
    client,
  };
}

function tlsPortIn(properties: Properties): number | undefined {
  if (properties.text('tlsPort') === undefined) return undefined;
  const port = properties.integer('tlsPort', 0);
  if (port < 1 || port > 65_535) throw properties.outside('tlsPort', 1, 65_535);
  return port;
}

const clientExtension = 'simple-client-sslcontext';

// Without the extension, the real engine ignores these properties; here security properties are
// never ignored.
async function clientIn(properties: Properties): Promise<ClientTls | undefined> {
  const name = properties.findBelow('client.https.');
  if (name === undefined) return undefined;
  if (!properties.texts('extensions.loadList', []).includes(clientExtension))
    throw new CannotStart(
      `${properties.place(name)} has no effect: add [${clientExtension}] to property [${properties.fullName('extensions.loadList')}]`,
    );
  return (await import('./client-tls.ts')).clientTlsIn(properties, 'client.https', Date.now());
}
