// Connection to the brokers, from the consumerProperties of a supervisor (Kafka: consumer
// configuration). Other properties tune Java's client and have no effect here. Refusals never
// contain a value that may be secret.
import { resolve } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { invalidSpec, type SpecValues } from '../../checks/spec-fields.ts';
import { isBelow, readSmallFile } from '../../ingestion/local-files.ts';
import type { Outside } from '../../ingestion/outside.ts';
import { loginOptions } from './jaas.ts';
import { type RevealedProperties, reveal } from './secrets.ts';
import { StreamUnavailable } from './stream.ts';
import { secureContextOf } from './tls-identity.ts';

/** Connection settings of the brokers. */
export interface BrokerAccess {
  readonly bootstrapBrokers: string[]; // host:port
  readonly shownBrokers: string; // for messages
  readonly hidesBrokers: boolean; // a provider named them
  readonly secrets: readonly string[]; // must not occur in messages
  readonly securityProtocol: string;
  readonly isolationLevel: 'read_committed' | 'read_uncommitted';
  readonly sasl?: SaslAccess;
  readonly tls?: ConnectionOptions;
}

/** Login at the brokers. */
export interface SaslAccess {
  readonly mechanism: (typeof mechanisms)[number];
  readonly username?: string;
  readonly password?: string;
  readonly token?: string;
}

/**
 * Refuses consumerProperties with a variable, a provider or a file that requests may not name.
 * Opens nothing.
 */
export function checkConsumerProperties(properties: SpecValues, outside: Outside): void {
  try {
    const given = reveal(properties, outside);
    for (const store of stores) {
      const location = given.get(`${store}.location`);
      if (location !== undefined) checkWritten(given, store, location, outside);
    }
  } catch (error) {
    throw error instanceof StreamUnavailable ? invalidSpec(error.message) : error;
  }
}

/**
 * Reads consumerProperties; throws StreamUnavailable that names the property that is missing or
 * unsupported.
 */
export async function brokerAccess(
  properties: SpecValues,
  outside: Outside,
): Promise<BrokerAccess> {
  const given = reveal(properties, outside);
  const servers = given.get('bootstrap.servers');
  if (!servers) throw missing('bootstrap.servers');
  const securityProtocol = (given.get('security.protocol') ?? 'PLAINTEXT').toUpperCase();
  if (!protocols.includes(securityProtocol))
    throw unsupported(given, 'security.protocol', securityProtocol, protocols);
  const isolationLevel = (given.get('isolation.level') ?? 'read_committed').toLowerCase();
  if (isolationLevel !== 'read_committed' && isolationLevel !== 'read_uncommitted') {
    throw unsupported(given, 'isolation.level', isolationLevel, [
      'read_committed',
      'read_uncommitted',
    ]);
  }
  const login = securityProtocol.startsWith('SASL') ? saslAccess(given) : undefined;
  const bootstrapBrokers = servers
    .split(',')
    .flatMap((server) => server.trim().replace(/^[A-Z_]+:\/\//, '') || []);
  return {
    bootstrapBrokers,
    shownBrokers: given.shown('bootstrap.servers', bootstrapBrokers.join(',')),
    hidesBrokers: given.isProvided('bootstrap.servers'),
    secrets: [...given.secrets, ...(login?.secrets ?? [])],
    securityProtocol,
    isolationLevel,
    ...(login && { sasl: login.sasl }),
    ...(securityProtocol.endsWith('SSL') && { tls: await tlsAccess(given, outside) }),
  };
}

type Given = RevealedProperties;

const protocols = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'];
const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;

function saslAccess(given: Given): {
  readonly sasl: SaslAccess;
  readonly secrets: readonly string[];
} {
  const named = given.get('sasl.mechanism') ?? 'GSSAPI'; // the default of Java's client
  const mechanism = mechanisms.find((known) => known === named.toUpperCase());
  if (!mechanism) throw unsupported(given, 'sasl.mechanism', named, mechanisms);
  const login = given.get('sasl.jaas.config');
  if (!login) throw missing('sasl.jaas.config', ` when [sasl.mechanism] is [${mechanism}]`);
  const options = loginOptions(login);
  const option = (name: string): string => {
    const value = options.get(name);
    if (value === undefined)
      throw missing(
        'sasl.jaas.config',
        ` with the option [${name}] when [sasl.mechanism] is [${mechanism}]`,
      );
    return value;
  };
  const secrets = [...options.values()];
  if (mechanism === 'OAUTHBEARER') return { sasl: { mechanism, token: option('token') }, secrets };
  return {
    sasl: { mechanism, username: option('username'), password: option('password') },
    secrets,
  };
}

async function tlsAccess(given: Given, outside: Outside): Promise<ConnectionOptions> {
  const truststore = await storeOf(given, 'ssl.truststore', ['PEM'], outside);
  const trusted = given.get('ssl.truststore.certificates') ?? truststore?.content.toString();
  if (trusted !== undefined && !trusted.includes('-----BEGIN CERTIFICATE-----'))
    throw new StreamUnavailable(
      'The truststore [ssl.truststore] of the consumerProperties has no certificate in PEM',
    );
  const store = await storeOf(given, 'ssl.keystore', ['PEM', 'PKCS12'], outside);
  const pemStore = store?.type === 'PEM' ? store.content.toString() : undefined;
  const chain = given.get('ssl.keystore.certificate.chain') ?? pemStore;
  const key = given.get('ssl.keystore.key') ?? pemStore;
  const [keyPassword, storePassword] = [
    given.get('ssl.key.password'),
    given.get('ssl.keystore.password'),
  ];
  const passphrase =
    store?.type === 'PKCS12' ? (storePassword ?? keyPassword) : (keyPassword ?? storePassword);
  const secureContext = await secureContextOf({
    ...(trusted !== undefined && { ca: trusted }),
    ...(chain !== undefined && { cert: chain }),
    ...(key !== undefined && { key }),
    ...(store?.type === 'PKCS12' && { pfx: store.content }),
    ...(passphrase !== undefined && { passphrase }),
  });
  const checksNames = given.get('ssl.endpoint.identification.algorithm') !== '';
  return { secureContext, ...(!checksNames && { checkServerIdentity: () => undefined }) };
}

const stores = ['ssl.truststore', 'ssl.keystore'] as const;

// Java's own format is not supported here, and PKCS12 only for keys.
async function storeOf(
  given: Given,
  store: (typeof stores)[number],
  known: readonly ['PEM'] | readonly ['PEM', 'PKCS12'],
  outside: Outside,
) {
  const location = given.get(`${store}.location`);
  if (location === undefined) return undefined;
  const named = given.get(`${store}.type`) ?? 'JKS'; // the default of Java's client
  const type = known.find((name) => name === named.toUpperCase());
  if (!type) throw unsupported(given, `${store}.type`, named, known);
  try {
    return { type, content: await readSmallFile(outside, location, maxStoreBytes) };
  } catch (error) {
    const reason =
      error instanceof Error && !given.isProvided(`${store}.location`)
        ? error.message
        : 'the file cannot be read';
    throw new StreamUnavailable(
      `[${store}.location] of the consumerProperties cannot be used: ${reason}`,
    );
  }
}

const maxStoreBytes = 1024 * 1024;

// Checks the path as written; links are followed when the file is read.
function checkWritten(given: Given, store: string, location: string, { folders }: Outside): void {
  if (folders.some((folder) => isBelow(resolve(location), folder))) return;
  throw new StreamUnavailable(
    `File [${given.shown(`${store}.location`)}] of [${store}.location] is not below a folder that the service may read. Start the service with --allow-dir to allow another folder, or give the certificates in [ssl.*] properties`,
  );
}

const missing = (name: string, when = '') =>
  new StreamUnavailable(`consumerProperties must contain entry for [${name}]${when}`);

const unsupported = (given: Given, name: string, value: string, known: readonly string[]) =>
  new StreamUnavailable(
    `[${name}] [${given.shown(name, value)}] of the consumerProperties is not supported; supported are [${known.join(', ')}]`,
  );
