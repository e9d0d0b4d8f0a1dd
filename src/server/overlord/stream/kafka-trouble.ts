// Explanations of Kafka errors. The client's own messages say too little.
import { maskWord } from '../../../model/secrets.ts';
import type { BrokerAccess } from './consumer-properties.ts';

/** The reason, and the class under which the real engine tells of it. */
export interface BrokerTrouble {
  readonly reason: string;
  readonly exceptionClass?: string;
}

/**
 * What an error of the client means. `hasAnswered`: the broker has answered before, so that what it
 * was asked in is right.
 */
export function brokerTrouble(
  error: unknown,
  access: BrokerAccess,
  hasAnswered: boolean,
): BrokerTrouble {
  const { securityProtocol, sasl } = access;
  const layers = layersOf(error);
  const codes = layers.map(codeOf);
  const reason = withoutSecrets(innermost(layers), codes, access);
  if (codes.includes('PLT_KFK_AUTHENTICATION')) {
    const refused = layers.some(
      (layer) => 'apiId' in layer && layer.apiId === 'SASL_AUTHENTICATION_FAILED',
    )
      ? reason
      : `the broker does not accept [sasl.mechanism] [${sasl?.mechanism}] with [security.protocol] [${securityProtocol}] at this address`;
    return { reason: refused, exceptionClass: `${errors}.SaslAuthenticationException` };
  }
  if (codes.some((code) => code === 'ERR_TLS_CERT_ALTNAME_INVALID'))
    return untrusted(`is of another host: ${reason}`);
  if (codes.some((code) => /^ERR_SSL_.*ALERT/.test(code)))
    return handshake(`the broker refuses what this client shows: ${reason}`);
  if (codes.some((code) => /CERT|_SIGNATURE$/.test(code)))
    return untrusted(
      `is not trusted: ${reason} ([ssl.truststore.*] of the consumerProperties say whom to trust)`,
    );
  if (/before secure TLS connection/.test(reason))
    return handshake(
      `the broker speaks no TLS at this address, so it expects another [security.protocol] than [${securityProtocol}]`,
    );
  if (codes.includes(unknownCompression))
    return {
      reason: `${reason}, which is ${process.version}; its records are compressed so (zstd needs 22.15 or newer)`,
    };
  if (reason === 'Connection closed' && !hasAnswered) {
    const wish = securityProtocol.endsWith('SSL')
      ? 'a certificate of its clients ([ssl.keystore.*])'
      : 'another [security.protocol]';
    return { reason: `the broker closes the connection; it may expect ${wish}` };
  }
  return { reason };
}

/**
 * Does the error say that the topic does not exist? Also said of one that is just being created: it
 * has no leader yet.
 */
export const isUnknownTopic = (error: unknown): boolean =>
  /^Unknown topic|unknown_topic|does not host this topic/i.test(innermost(layersOf(error)));

/** Are records compressed in a way that is not known here? */
export const isUnreadable = (error: unknown): boolean =>
  layersOf(error).map(codeOf).includes(unknownCompression);

/** Has the broker answered with this code, wherever in the error it stands? */
export const hasErrorCode = (error: unknown, code: number): boolean =>
  error instanceof AggregateError
    ? error.errors.some((inner) => hasErrorCode(inner, code))
    : error instanceof Error && 'apiCode' in error && error.apiCode === code;

// Other programs repeat what they were given: addresses that do not resolve, logins that are
// refused.
function withoutSecrets(
  reason: string,
  codes: readonly string[],
  { hidesBrokers, secrets }: BrokerAccess,
): string {
  if (hidesBrokers) return codes.findLast((code) => code !== '') ?? 'the broker cannot be reached';
  return secrets
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, maskWord), reason);
}

const unknownCompression = 'PLT_KFK_UNSUPPORTED_COMPRESSION';
const errors = 'org.apache.kafka.common.errors';
const handshake = (reason: string): BrokerTrouble => ({
  reason,
  exceptionClass: `${errors}.SslAuthenticationException`,
});
const untrusted = (what: string) => handshake(`the certificate of the broker ${what}`);

// From the outermost error to that which caused all others.
function layersOf(error: unknown): readonly Error[] {
  if (!(error instanceof Error)) return [new Error(String(error))];
  const [first] = error instanceof AggregateError ? error.errors : [];
  const inner: unknown = first ?? error.cause;
  return inner instanceof Error ? [error, ...layersOf(inner)] : [error];
}

// The innermost reason says most, and most of all in the broker's own words.
function innermost(layers: readonly Error[]): string {
  const last = layers.at(-1);
  const told = last && 'serverErrorMessage' in last ? last.serverErrorMessage : undefined;
  return typeof told === 'string' && told !== '' ? told : (last?.message ?? '');
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');
