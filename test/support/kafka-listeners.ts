// Listeners of a broker that want to know who is there, or that keep secret what is said (Kafka:
// security, "Listener Configuration").
import { pem } from './certificates.ts';

/**
 * A listener beside the plain one. `settings` are those of the server, without
 * `listener.name.<name>.`.
 */
export interface Listener {
  readonly name: string;
  readonly protocol: 'SASL_PLAINTEXT' | 'SASL_SSL' | 'SSL';
  readonly settings: Readonly<Record<string, string>>;
}

/** Somebody who may log in at the SASL listeners, by PLAIN and SCRAM. */
export const account = { username: 'reader', password: 'open; "sesame"' };

const jaas = (module: string, options: Readonly<Record<string, string>> = {}) =>
  `org.apache.kafka.common.security.${module} required${Object.entries(options)
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
    .join('')};`;

const escaped = (text: string) => text.replaceAll(/["\\]/g, '\\$&');

/** What a client says to log in. */
export const loginOf = (mechanism: string, { username, password } = account): string =>
  jaas(mechanism === 'PLAIN' ? 'plain.PlainLoginModule' : 'scram.ScramLoginModule', {
    username,
    password,
  });

const sasl = {
  'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
  'plain.sasl.jaas.config': jaas('plain.PlainLoginModule', {
    [`user_${account.username}`]: account.password,
  }),
  'scram-sha-256.sasl.jaas.config': jaas('scram.ScramLoginModule'),
  'scram-sha-512.sasl.jaas.config': jaas('scram.ScramLoginModule'),
  'oauthbearer.sasl.jaas.config': jaas('oauthbearer.OAuthBearerLoginModule', {
    unsecuredLoginStringClaim_sub: account.username,
  }),
};

const tls = {
  'ssl.keystore.type': 'PEM',
  'ssl.keystore.certificate.chain': pem('server.pem'),
  'ssl.keystore.key': pem('server.key.pem'),
  'ssl.truststore.type': 'PEM',
  'ssl.truststore.certificates': pem('authority.pem'),
};

/** One of each kind; `MUTUAL` wants a certificate of its clients. */
export const secureListeners: readonly Listener[] = [
  { name: 'SASL_PLAINTEXT', protocol: 'SASL_PLAINTEXT', settings: sasl },
  { name: 'SSL', protocol: 'SSL', settings: tls },
  { name: 'MUTUAL', protocol: 'SSL', settings: { ...tls, 'ssl.client.auth': 'required' } },
  { name: 'SASL_SSL', protocol: 'SASL_SSL', settings: { ...sasl, ...tls } },
];
