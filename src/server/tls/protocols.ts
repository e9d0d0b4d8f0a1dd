// Protocols and cipher suites that properties include and exclude, by their Java names.
import type { SecureContextOptions } from 'node:tls';
import { compileWhole } from '../../sql/regex/java-regex.ts';
import { PatternError } from '../../sql/regex/pattern-error.ts';
import { CannotStart } from '../process/cannot-start.ts';
import type { Properties } from '../settings/properties.ts';

type Protocol = 'TLSv1.2' | 'TLSv1.3';
const protocols: readonly Protocol[] = ['TLSv1.2', 'TLSv1.3'];
const obsolete: readonly string[] = ['SSL', 'SSLv2', 'SSLv2Hello', 'SSLv3', 'TLSv1', 'TLSv1.1'];

// Node's default suites that Java supports, too, in Node's order, with their OpenSSL names.
const suites: readonly (readonly [name: string, openssl: string, Protocol])[] = [
  ['TLS_AES_256_GCM_SHA384', 'TLS_AES_256_GCM_SHA384', 'TLSv1.3'],
  ['TLS_CHACHA20_POLY1305_SHA256', 'TLS_CHACHA20_POLY1305_SHA256', 'TLSv1.3'],
  ['TLS_AES_128_GCM_SHA256', 'TLS_AES_128_GCM_SHA256', 'TLSv1.3'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256', 'TLSv1.2'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256', 'TLSv1.2'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384', 'TLSv1.2'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384', 'TLSv1.2'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305', 'TLSv1.2'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305', 'TLSv1.2'],
  ['TLS_DHE_RSA_WITH_AES_128_GCM_SHA256', 'DHE-RSA-AES128-GCM-SHA256', 'TLSv1.2'],
  ['TLS_DHE_RSA_WITH_AES_256_GCM_SHA384', 'DHE-RSA-AES256-GCM-SHA384', 'TLSv1.2'],
  ['TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'DHE-RSA-CHACHA20-POLY1305', 'TLSv1.2'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256', 'ECDHE-RSA-AES128-SHA256', 'TLSv1.2'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256', 'ECDHE-ECDSA-AES128-SHA256', 'TLSv1.2'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384', 'ECDHE-RSA-AES256-SHA384', 'TLSv1.2'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384', 'ECDHE-ECDSA-AES256-SHA384', 'TLSv1.2'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA', 'TLSv1.2'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA', 'TLSv1.2'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA', 'TLSv1.2'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA', 'TLSv1.2'],
  ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256', 'TLSv1.2'],
  ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'AES256-GCM-SHA384', 'TLSv1.2'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA256', 'AES128-SHA256', 'TLSv1.2'],
  ['TLS_RSA_WITH_AES_256_CBC_SHA256', 'AES256-SHA256', 'TLSv1.2'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA', 'TLSv1.2'],
  ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA', 'TLSv1.2'],
];

/**
 * Protocols and suites that the service's properties allow. Throws CannotStart for an unknown name,
 * and when none is left.
 */
export function protocolsIn(properties: Properties, prefix: string): SecureContextOptions {
  const versions = versionsIn(properties, prefix);
  const included = `${prefix}.includeCipherSuites`;
  const excluded = `${prefix}.excludeCipherSuites`;
  if (properties.text(included) === undefined && properties.text(excluded) === undefined)
    return rangeOf(versions);
  const offered =
    properties.text(included) === undefined ? suites : includedSuites(properties, included);
  const unwanted = properties
    .texts(excluded, [])
    .map((pattern) => testOf(properties, excluded, pattern));
  const left = offered.filter(
    ([name, , version]) =>
      versions.includes(version) && !unwanted.some((isUnwanted) => isUnwanted(name)),
  );
  if (left.length === 0) {
    const name = properties.text(included) === undefined ? excluded : included;
    throw new CannotStart(
      `${properties.place(name)} excludes all cipher suites of [${versions.join(', ')}]`,
    );
  }
  // OpenSSL adds its own suites for a version without an allowed one.
  const needed = protocols.filter((protocol) => left.some(([, , version]) => version === protocol));
  return {
    ...rangeOf(needed),
    ciphers: left.map(([, openssl]) => openssl).join(':'),
    honorCipherOrder: true,
  };
}

const rangeOf = (versions: readonly Protocol[]): SecureContextOptions => ({
  minVersion: versions[0] ?? 'TLSv1.2',
  maxVersion: versions.at(-1) ?? 'TLSv1.3',
});

/**
 * The protocol of a client (`client.https.protocol`), as in Java the highest allowed version.
 * Throws CannotStart for an unknown one.
 */
export function protocolOfClient(
  properties: Properties,
  name: string,
): Pick<SecureContextOptions, 'minVersion' | 'maxVersion'> {
  const value = properties.text(name)?.trim();
  if (value === undefined || value === 'TLS') return { minVersion: 'TLSv1.2' };
  const found = protocols.find((protocol) => protocol === value);
  if (found === undefined) throw properties.unknown(name, value, ['TLS', ...protocols]);
  return { minVersion: 'TLSv1.2', maxVersion: found };
}

function versionsIn(properties: Properties, prefix: string): Protocol[] {
  const included = properties.texts(`${prefix}.includeProtocols`, protocols);
  const excluded = properties.texts(`${prefix}.excludeProtocols`, []);
  for (const name of included) {
    const wanted = protocols.find((protocol) => protocol === name);
    if (wanted === undefined)
      throw properties.unknown(`${prefix}.includeProtocols`, name, protocols);
  }
  for (const name of excluded) {
    if (![...protocols, ...obsolete].includes(name))
      throw properties.unknown(`${prefix}.excludeProtocols`, name, [...protocols, ...obsolete]);
  }
  const left = protocols.filter(
    (protocol) => included.includes(protocol) && !excluded.includes(protocol),
  );
  if (left.length > 0) return left;
  const name =
    properties.text(`${prefix}.includeProtocols`) === undefined
      ? 'excludeProtocols'
      : 'includeProtocols';
  throw new CannotStart(
    `${properties.place(`${prefix}.${name}`)} excludes all protocols; known are [${protocols.join(', ')}]`,
  );
}

// In the order of the property, which is the order of preference.
function includedSuites(properties: Properties, property: string): typeof suites {
  const found = properties.texts(property, []).flatMap((pattern) => {
    const matches = testOf(properties, property, pattern);
    const matched = suites.filter(([name]) => matches(name));
    if (matched.length > 0) return matched;
    throw new CannotStart(
      `${properties.place(property)} includes [${pattern}], which is not supported; known are [${suites.map(([name]) => name).join(', ')}]`,
    );
  });
  return [...new Set(found)];
}

// Matches a name, or a pattern of whole names.
function testOf(
  properties: Properties,
  property: string,
  pattern: string,
): (name: string) => boolean {
  if (suites.some(([name]) => name === pattern)) return (name) => name === pattern;
  try {
    const regex = compileWhole(pattern);
    return (name) => regex.matchesAll(name);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new CannotStart(
      `${properties.place(property)} has pattern [${pattern}], which cannot be read: ${error.message}`,
    );
  }
}
