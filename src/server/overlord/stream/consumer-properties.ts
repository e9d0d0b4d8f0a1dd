// The consumerProperties of a supervisor, as far as they say how to reach the brokers (Kafka: consumer configuration). What else they hold tunes Java's
// client and means nothing here.
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { isObject, type Values } from '../../ingestion/spec-fields.ts';
import { StreamUnavailable } from './stream.ts';

/** How the brokers are reached. */
export interface BrokerAccess {
  readonly bootstrapBrokers: string[]; // host:port
  readonly isolationLevel: 'read_committed' | 'read_uncommitted';
  readonly sasl?: SaslAccess;
  readonly tls?: ConnectionOptions;
}

export interface SaslAccess {
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512' | 'OAUTHBEARER';
  readonly username?: string;
  readonly password?: string;
  readonly token?: string;
}

/** Reads consumerProperties; throws StreamUnavailable that names the property which is missing or asks for what cannot be done. */
export function brokerAccess(properties: Values): BrokerAccess {
  const servers = textOf(properties, 'bootstrap.servers');
  if (!servers) throw new StreamUnavailable('consumerProperties must contain entry for [bootstrap.servers]');
  const protocol = (textOf(properties, 'security.protocol') ?? 'PLAINTEXT').toUpperCase();
  if (!protocols.includes(protocol)) throw unsupported('security.protocol', protocol, protocols);
  const isolationLevel = (textOf(properties, 'isolation.level') ?? 'read_committed').toLowerCase();
  if (isolationLevel !== 'read_committed' && isolationLevel !== 'read_uncommitted') {
    throw unsupported('isolation.level', isolationLevel, ['read_committed', 'read_uncommitted']);
  }
  return {
    bootstrapBrokers: servers.split(',').flatMap((server) => server.trim().replace(/^[A-Z_]+:\/\//, '') || []),
    isolationLevel,
    ...(protocol.startsWith('SASL') && { sasl: saslAccess(properties) }),
    ...(protocol.endsWith('SSL') && { tls: tlsAccess(properties) }),
  };
}

const protocols = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'];
const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;

function saslAccess(properties: Values): SaslAccess {
  const given = textOf(properties, 'sasl.mechanism') ?? 'GSSAPI'; // the default of Java's client
  const mechanism = mechanisms.find((known) => known === given.toUpperCase());
  if (!mechanism) throw unsupported('sasl.mechanism', given, mechanisms);
  const login = textOf(properties, 'sasl.jaas.config');
  if (!login)
    throw new StreamUnavailable(`consumerProperties must contain entry for [sasl.jaas.config] when [sasl.mechanism] is [${mechanism}]`);
  const [username, password, token] = ['username', 'password', 'token'].map((name) => loginOption(login, name));
  return {
    mechanism,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(token !== undefined && { token }),
  };
}

// `org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="secret";`
const loginOption = (login: string, name: string): string | undefined => {
  const found = new RegExp(`\\b${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|'([^']*)'|([^\\s;]+))`).exec(login);
  return found ? (found[1]?.replaceAll(/\\(.)/g, '$1') ?? found[2] ?? found[3]) : undefined;
};

function tlsAccess(properties: Values): ConnectionOptions {
  const stores = ['ssl.truststore', 'ssl.keystore'] as const;
  for (const store of stores) {
    const type = textOf(properties, `${store}.type`);
    const isGiven = textOf(properties, `${store}.location`) !== undefined;
    if (isGiven && type?.toUpperCase() !== 'PEM' && type?.toUpperCase() !== 'PKCS12')
      throw unsupported(`${store}.type`, type ?? 'JKS', ['PEM', 'PKCS12']);
  }
  const trusted = textOf(properties, 'ssl.truststore.certificates') ?? fileOf(properties, 'ssl.truststore', 'PEM');
  const chain = textOf(properties, 'ssl.keystore.certificate.chain') ?? fileOf(properties, 'ssl.keystore', 'PEM');
  const key = textOf(properties, 'ssl.keystore.key') ?? fileOf(properties, 'ssl.keystore', 'PEM');
  const archive = fileOf(properties, 'ssl.keystore', 'PKCS12');
  const passphrase = textOf(properties, 'ssl.key.password') ?? textOf(properties, 'ssl.keystore.password');
  const checksNames = textOf(properties, 'ssl.endpoint.identification.algorithm') !== '';
  return {
    ...(trusted !== undefined && { ca: trusted }),
    ...(chain !== undefined && { cert: chain }),
    ...(key !== undefined && { key }),
    ...(archive !== undefined && { pfx: archive }),
    ...(passphrase !== undefined && { passphrase }),
    ...(!checksNames && { checkServerIdentity: () => undefined }),
  };
}

function fileOf(properties: Values, store: string, type: string): Buffer | undefined {
  const location = textOf(properties, `${store}.location`);
  if (location === undefined || textOf(properties, `${store}.type`)?.toUpperCase() !== type) return undefined;
  try {
    return readFileSync(location);
  } catch {
    throw new StreamUnavailable(`File [${location}] of [${store}.location] cannot be read`);
  }
}

// Passwords may stand in an object of their own (Druid: PasswordProvider of type default or environment).
function textOf(properties: Values, name: string): string | undefined {
  const value = properties[name];
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) return String(value);
  if (value.type === 'environment') return process.env[String(value.variable)];
  return value.password === undefined ? undefined : String(value.password);
}

const unsupported = (name: string, given: string, known: readonly string[]) =>
  new StreamUnavailable(`[${name}] [${given}] of the consumerProperties is not supported; supported are [${known.join(', ')}]`);
