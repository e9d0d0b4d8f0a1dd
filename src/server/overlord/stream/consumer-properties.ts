// The consumerProperties of a supervisor, as far as they say how to reach the brokers (Kafka: consumer configuration). What else they hold tunes Java's
// client and means nothing here. No refusal repeats a value that may be secret.
import { readFileSync } from 'node:fs';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import type { Values } from '../../ingestion/spec-fields.ts';
import { loginOptions } from './jaas.ts';
import { revealed } from './secrets.ts';
import { StreamUnavailable } from './stream.ts';

/** How the brokers are reached. */
export interface BrokerAccess {
  readonly bootstrapBrokers: string[]; // host:port
  readonly securityProtocol: string;
  readonly isolationLevel: 'read_committed' | 'read_uncommitted';
  readonly sasl?: SaslAccess;
  readonly tls?: ConnectionOptions;
}

/** Who logs in at the brokers, and how. */
export interface SaslAccess {
  readonly mechanism: (typeof mechanisms)[number];
  readonly username?: string;
  readonly password?: string;
  readonly token?: string;
}

/** Reads consumerProperties; throws StreamUnavailable that names the property which is missing or asks for what cannot be done. */
export function brokerAccess(properties: Values): BrokerAccess {
  const given = revealed(properties);
  const servers = given.get('bootstrap.servers');
  if (!servers) throw missing('bootstrap.servers');
  const securityProtocol = (given.get('security.protocol') ?? 'PLAINTEXT').toUpperCase();
  if (!protocols.includes(securityProtocol)) throw unsupported('security.protocol', securityProtocol, protocols);
  const isolationLevel = (given.get('isolation.level') ?? 'read_committed').toLowerCase();
  if (isolationLevel !== 'read_committed' && isolationLevel !== 'read_uncommitted') {
    throw unsupported('isolation.level', isolationLevel, ['read_committed', 'read_uncommitted']);
  }
  return {
    bootstrapBrokers: servers.split(',').flatMap((server) => server.trim().replace(/^[A-Z_]+:\/\//, '') || []),
    securityProtocol,
    isolationLevel,
    ...(securityProtocol.startsWith('SASL') && { sasl: saslAccess(given) }),
    ...(securityProtocol.endsWith('SSL') && { tls: tlsAccess(given) }),
  };
}

type Given = ReadonlyMap<string, string>;

const protocols = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'];
const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;

function saslAccess(given: Given): SaslAccess {
  const named = given.get('sasl.mechanism') ?? 'GSSAPI'; // the default of Java's client
  const mechanism = mechanisms.find((known) => known === named.toUpperCase());
  if (!mechanism) throw unsupported('sasl.mechanism', named, mechanisms);
  const login = given.get('sasl.jaas.config');
  if (!login) throw missing('sasl.jaas.config', ` when [sasl.mechanism] is [${mechanism}]`);
  const options = loginOptions(login);
  const option = (name: string): string => {
    const value = options.get(name);
    if (value === undefined) throw missing('sasl.jaas.config', ` with the option [${name}] when [sasl.mechanism] is [${mechanism}]`);
    return value;
  };
  if (mechanism === 'OAUTHBEARER') return { mechanism, token: option('token') };
  return { mechanism, username: option('username'), password: option('password') };
}

function tlsAccess(given: Given): ConnectionOptions {
  const trusted = given.get('ssl.truststore.certificates') ?? storeOf(given, 'ssl.truststore', ['PEM'])?.content.toString();
  if (trusted !== undefined && !trusted.includes('-----BEGIN CERTIFICATE-----'))
    throw new StreamUnavailable('The truststore [ssl.truststore] of the consumerProperties holds no certificate in PEM');
  const store = storeOf(given, 'ssl.keystore', ['PEM', 'PKCS12']);
  const pemStore = store?.type === 'PEM' ? store.content : undefined;
  const chain = given.get('ssl.keystore.certificate.chain') ?? pemStore;
  const key = given.get('ssl.keystore.key') ?? pemStore;
  const [keyPassword, storePassword] = [given.get('ssl.key.password'), given.get('ssl.keystore.password')];
  const passphrase = store?.type === 'PKCS12' ? (storePassword ?? keyPassword) : (keyPassword ?? storePassword);
  const identity = {
    ...(trusted !== undefined && { ca: trusted }),
    ...(chain !== undefined && { cert: chain }),
    ...(key !== undefined && { key }),
    ...(store?.type === 'PKCS12' && { pfx: store.content }),
    ...(passphrase !== undefined && { passphrase }),
  };
  try {
    createSecureContext(identity);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StreamUnavailable(`The certificates and keys [ssl.*] of the consumerProperties cannot be used: ${reason}`);
  }
  const checksNames = given.get('ssl.endpoint.identification.algorithm') !== '';
  return { ...identity, ...(!checksNames && { checkServerIdentity: () => undefined }) };
}

// Java's own format is not read here, and of PKCS12 only that which holds a key.
function storeOf(given: Given, store: string, known: readonly ['PEM'] | readonly ['PEM', 'PKCS12']) {
  const location = given.get(`${store}.location`);
  if (location === undefined) return undefined;
  const named = given.get(`${store}.type`) ?? 'JKS'; // the default of Java's client
  const type = known.find((name) => name === named.toUpperCase());
  if (!type) throw unsupported(`${store}.type`, named, known);
  try {
    return { type, content: readFileSync(location) };
  } catch {
    throw new StreamUnavailable(`File [${location}] of [${store}.location] cannot be read`);
  }
}

const missing = (name: string, when = '') => new StreamUnavailable(`consumerProperties must contain entry for [${name}]${when}`);

const unsupported = (name: string, given: string, known: readonly string[]) =>
  new StreamUnavailable(`[${name}] [${given}] of the consumerProperties is not supported; supported are [${known.join(', ')}]`);
