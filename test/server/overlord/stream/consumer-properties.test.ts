// Properties of a Kafka consumer. The Kafka stories cover their effect at a broker.
import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  brokerAccess,
  checkConsumerProperties,
} from '../../../../src/server/overlord/stream/consumer-properties.ts';
import { brokerTrouble } from '../../../../src/server/overlord/stream/kafka-trouble.ts';
import { StreamUnavailable } from '../../../../src/server/overlord/stream/stream.ts';
import { pem } from '../../../support/certificates.ts';
import { outsideWith } from '../../../support/outside.ts';
import { temporaryFolder } from '../../../support/storage.ts';

const plain = (login: unknown, more = {}) => ({
  'bootstrap.servers': 'a:1, b:2',
  'security.protocol': 'SASL_PLAINTEXT',
  'sasl.mechanism': 'plain',
  'sasl.jaas.config': login,
  ...more,
});
const module = 'org.apache.kafka.common.security.plain.PlainLoginModule required';

test.each([
  [`${module} username="me" password="secret";`, 'me', 'secret'],
  [`${module} username=me password='it is';`, 'me', 'it is'],
  [
    `${module}\n  username="a \\"b\\""\n  password="c\\\\d; username=e"`,
    'a "b"',
    'c\\d; username=e',
  ],
  [`${module} password="username='x'" username="me";`, 'me', "username='x'"],
])('a login is read as Java reads it: %s', async (login, username, password) => {
  expect((await brokerAccess(plain(login), outsideWith())).sasl).toEqual({
    mechanism: 'PLAIN',
    username,
    password,
  });
});

test.each([
  ['a login that is none', plain('username="me" password="secret"')],
  ['a login that ends in the middle', plain(`${module} username="me" password="secret`)],
  ['no password', plain(`${module} username="secret";`)],
  ['a provider without a password', plain({ type: 'default' })],
  ['a provider that is not known', plain({ type: 'vault', password: 'secret' })],
  [
    'a dynamic provider that is not known',
    plain(undefined, { 'druid.dynamic.config.provider': { type: 'vault', secret: 'secret' } }),
  ],
  [
    'a key without a certificate',
    { ...plain(undefined), 'security.protocol': 'SSL', 'ssl.keystore.key': 'secret' },
  ],
])('%s is refused, and not repeated', async (_, properties) => {
  const refused = await brokerAccess(properties, outsideWith()).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StreamUnavailable);
  expect(String(refused)).not.toContain('secret');
});

test('brokers may be written with their protocol, as Java takes them', async () => {
  const { bootstrapBrokers } = await brokerAccess(
    { 'bootstrap.servers': 'PLAINTEXT://a:1,SASL_SSL://b:2,' },
    outsideWith(),
  );
  expect(bootstrapBrokers).toEqual(['a:1', 'b:2']);
});

test('what a provider has counts more than what stands there', async () => {
  const provider = { type: 'mapString', config: { 'bootstrap.servers': 'b:2' } };
  const access = await brokerAccess(
    { 'bootstrap.servers': 'a:1', 'druid.dynamic.config.provider': provider },
    outsideWith(),
  );
  expect(access).toMatchObject({
    bootstrapBrokers: ['b:2'],
    shownBrokers: '<masked>',
    hidesBrokers: true,
  });
});

const environmentProvider = { type: 'environment', variable: 'PATH' };
test.each([
  [
    'a provider in a map of texts',
    { type: 'mapString', config: { 'client.id': environmentProvider } },
  ],
  [
    'a provider in a list of a map of texts',
    { type: 'mapString', config: { 'client.id': [environmentProvider] } },
  ],
  ['a list of maps', [{ type: 'mapString', config: {} }]],
  ['a map that is a list', { type: 'mapString', config: [environmentProvider] }],
  ['variables that are a list', { type: 'environment', variables: [environmentProvider] }],
  ['a text', 'environment'],
])('%s as dynamic provider is refused when it is submitted', (_, provider) => {
  const properties = { 'bootstrap.servers': 'a:1', 'druid.dynamic.config.provider': provider };
  expect(() => checkConsumerProperties(properties, outsideWith())).toThrow(
    'The consumerProperties cannot be used',
  );
});

test('a list with a provider is not a property', () => {
  const properties = { 'bootstrap.servers': 'a:1', 'client.id': [environmentProvider] };
  expect(() => checkConsumerProperties(properties, outsideWith())).toThrow(
    '[client.id] is not a text',
  );
});

test('a variable of the environment is read only where the operator allows it, and nowhere repeated', async () => {
  process.env.SVCCTL_TEST_SECRET = 'hunter2:9092';
  onTestFinished(() => {
    delete process.env.SVCCTL_TEST_SECRET;
  });
  const environment = { type: 'environment', variable: 'SVCCTL_TEST_SECRET' };
  const dynamic = (name: string) => ({
    'druid.dynamic.config.provider': {
      type: 'environment',
      variables: { [name]: 'SVCCTL_TEST_SECRET' },
    },
  });
  const allowed = outsideWith({ variables: new Set(['SVCCTL_TEST_SECRET']) });
  for (const properties of [
    { 'security.protocol': environment },
    { 'isolation.level': environment },
    { 'security.protocol': 'SASL_SSL', 'sasl.mechanism': environment },
    { 'security.protocol': 'SASL_SSL', 'sasl.mechanism': 'PLAIN', 'sasl.jaas.config': environment },
    {
      'security.protocol': 'SSL',
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.location': environment,
    },
    {
      'security.protocol': 'SSL',
      'ssl.truststore.type': environment,
      'ssl.truststore.location': '/x',
    },
    {
      'security.protocol': 'SSL',
      'ssl.keystore.key': environment,
      'ssl.keystore.certificate.chain': 'x',
    },
    dynamic('security.protocol'),
  ]) {
    const given = { 'bootstrap.servers': 'a:1', ...properties };
    expect(() => checkConsumerProperties(given, outsideWith())).toThrow(
      'Environment variable [SVCCTL_TEST_SECRET] of the service may not be read by requests. Start the service with --allow-env',
    );
    await expect(brokerAccess(given, outsideWith())).rejects.toThrow('--allow-env');
    const refused = await brokerAccess(given, allowed).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StreamUnavailable);
    expect(String(refused)).not.toContain('hunter2');
  }
  const access = await brokerAccess(
    { 'bootstrap.servers': 'a:1', ...dynamic('bootstrap.servers') },
    allowed,
  );
  expect(access.bootstrapBrokers).toEqual(['hunter2:9092']);
  const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND hunter2'), { code: 'ENOTFOUND' });
  expect([access.shownBrokers, brokerTrouble(unknown, access, false).reason]).toEqual([
    '<masked>',
    'ENOTFOUND',
  ]);
  const login = await brokerAccess(plain(`${module} username="me" password="hunter2";`), allowed);
  expect(brokerTrouble(new Error('Wrong password hunter2'), login, false).reason).toBe(
    'Wrong password <masked>',
  );
});

test('trust stores are regular files below the allowed folders, and small', async () => {
  const [folder, other] = [await temporaryFolder(), await temporaryFolder()];
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  writeFileSync(join(other, 'secret.pem'), 'hush');
  symlinkSync(join(other, 'secret.pem'), join(folder, 'link.pem'));
  writeFileSync(join(folder, 'large.pem'), 'x'.repeat(2 * 1024 * 1024));
  const outside = outsideWith({ folders: [folder] });
  const stored = (location: string) => ({
    'bootstrap.servers': 'a:1',
    'security.protocol': 'SSL',
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': location,
  });
  for (const [name, said] of [
    ['fifo', 'it is not a file'],
    ['link.pem', 'is not below a folder'],
    ['large.pem', 'it is larger than [1048576] bytes'],
    ['nothing.pem', 'it does not exist'],
  ] as const)
    await expect(brokerAccess(stored(join(folder, name)), outside)).rejects.toThrow(said);
  for (const location of ['/dev/zero', '/proc/self/environ', join(folder, '../secret.pem')]) {
    expect(() => checkConsumerProperties(stored(location), outside)).toThrow(
      'is not below a folder that the service may read',
    );
    await expect(brokerAccess(stored(location), outside)).rejects.toThrow('is not below a folder');
  }
});

test('a login of two million blanks is refused at once', async () => {
  await expect(
    brokerAccess(plain(`${module}${' '.repeat(2_000_000)}x`), outsideWith()),
  ).rejects.toThrow('cannot be read');
});

test('a key that would take hours to decrypt is refused, and nothing waits for it', async () => {
  const properties = {
    'bootstrap.servers': 'a:1',
    'security.protocol': 'SSL',
    'ssl.keystore.certificate.chain': pem('client.pem'),
    'ssl.keystore.key': endlessKey(),
    'ssl.key.password': 'x',
  };
  await expect(brokerAccess(properties, outsideWith())).rejects.toThrow(
    'they take more than [500] ms to decrypt',
  );
}, 60_000);

// A key encrypted with PBES2 and two thousand million rounds of PBKDF2 (RFC 8018, RFC 5958); what
// it holds does not matter.
function endlessKey(): string {
  const part = (tag: number, ...contents: Buffer[]) => {
    const content = Buffer.concat(contents);
    const length = content.length < 128 ? [content.length] : [0x81, content.length];
    return Buffer.concat([Buffer.from([tag, ...length]), content]);
  };
  const object = (hex: string) => part(6, Buffer.from(hex, 'hex'));
  const rounds = Buffer.alloc(4);
  rounds.writeInt32BE(2_000_000_000);
  const derivation = part(
    0x30,
    object('2a864886f70d01050c'),
    part(0x30, part(4, Buffer.alloc(8)), part(2, rounds)),
  );
  const cipher = part(0x30, object('60864801650304012a'), part(4, Buffer.alloc(16)));
  const algorithm = part(0x30, object('2a864886f70d01050d'), part(0x30, derivation, cipher));
  const text = part(0x30, algorithm, part(4, Buffer.alloc(64))).toString('base64');
  return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${text.replace(/.{64}/g, '$&\n')}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
}
