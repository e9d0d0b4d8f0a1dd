// Explanations of Kafka errors, because the client's messages are too brief.
import { maskWord } from '../../../model/secrets.ts';
import type { BrokerAccess } from './consumer-properties.ts';

/** A reason and the real engine's exception class for it. */
export interface BrokerTrouble {
  readonly reason: string;
  readonly exceptionClass?: string;
}

/**
 * The meaning of an error of the client. `hasAnswered`: the broker has answered before, so its
 * address is right.
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
    return untrusted(`is for another host: ${reason}`);
  if (codes.some((code) => /^ERR_SSL_.*ALERT/.test(code)))
    return handshake(`the broker does not accept the certificate of this client: ${reason}`);
  if (codes.some((code) => /CERT|_SIGNATURE$/.test(code)))
    return untrusted(
      `is not trusted: ${reason} ([ssl.truststore.*] of the consumerProperties set the trusted certificates)`,
    );
  if (/before secure TLS connection/.test(reason))
    return handshake(
      `the broker does not use TLS at this address: set [security.protocol] to another value than [${securityProtocol}]`,
    );
  if (codes.includes(unknownCompression))
    return {
      reason: `${reason}, which is ${process.version}; its records are compressed so (zstd needs 22.15 or newer)`,
    };
  if (reason === 'Connection closed' && !hasAnswered) {
    const wish = securityProtocol.endsWith('SSL')
      ? 'a certificate of its clients ([ssl.keystore.*])'
      : 'another [security.protocol]';
    return { reason: `the broker closed the connection; it may require ${wish}` };
  }
  return { reason };
}

/**
 * Whether the error reports an unknown topic. A topic that is being created also counts: it has no
 * leader yet.
 */
export const isUnknownTopic = (error: unknown): boolean =>
  /^Unknown topic|unknown_topic|does not host this topic/i.test(innermost(layersOf(error)));

/** Whether the records have an unsupported compression. */
export const isUnreadable = (error: unknown): boolean =>
  layersOf(error).map(codeOf).includes(unknownCompression);

/** Whether the broker has returned this code, anywhere in the error. */
export const hasErrorCode = (error: unknown, code: number): boolean =>
  error instanceof AggregateError
    ? error.errors.some((inner) => hasErrorCode(inner, code))
    : error instanceof Error && 'apiCode' in error && error.apiCode === code;

// Messages of other programs repeat their input: unresolved addresses, refused logins.
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

// From the outermost error to the root cause.
function layersOf(error: unknown): readonly Error[] {
  if (!(error instanceof Error)) return [new Error(String(error))];
  const [first] = error instanceof AggregateError ? error.errors : [];
  const inner: unknown = first ?? error.cause;
  return inner instanceof Error ? [error, ...layersOf(inner)] : [error];
}

// The innermost reason is the most specific, in the broker's own words if possible.
function innermost(layers: readonly Error[]): string {
  const last = layers.at(-1);
  const told = last && 'serverErrorMessage' in last ? last.serverErrorMessage : undefined;
  return typeof told === 'string' && told !== '' ? told : (last?.message ?? '');
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');
