// How the properties of a Kafka consumer are read; what becomes of them at a broker is told by the stories of Kafka.
import { expect, test } from 'vitest';
import { brokerAccess } from '../../../../src/server/overlord/stream/consumer-properties.ts';
import { StreamUnavailable } from '../../../../src/server/overlord/stream/stream.ts';

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
  [`${module}\n  username="a \\"b\\""\n  password="c\\\\d; username=e"`, 'a "b"', 'c\\d; username=e'],
  [`${module} password="username='x'" username="me";`, 'me', "username='x'"],
])('a login is read as Java reads it: %s', (login, username, password) => {
  expect(brokerAccess(plain(login)).sasl).toEqual({ mechanism: 'PLAIN', username, password });
});

test.each([
  ['a login that is none', plain('username="me" password="secret"')],
  ['a login that ends in the middle', plain(`${module} username="me" password="secret`)],
  ['no password', plain(`${module} username="secret";`)],
  ['a provider without a password', plain({ type: 'default' })],
  ['a provider that is not known', plain({ type: 'vault', password: 'secret' })],
  ['a dynamic provider that is not known', plain(undefined, { 'druid.dynamic.config.provider': { type: 'vault', secret: 'secret' } })],
  ['a key without a certificate', { ...plain(undefined), 'security.protocol': 'SSL', 'ssl.keystore.key': 'secret' }],
])('%s is refused, and not repeated', (_, properties) => {
  const read = () => brokerAccess(properties);
  expect(read).toThrow(StreamUnavailable);
  expect(read).not.toThrow('secret');
});

test('brokers may be written with their protocol, as Java takes them', () => {
  const { bootstrapBrokers } = brokerAccess({ 'bootstrap.servers': 'PLAINTEXT://a:1,SASL_SSL://b:2,' });
  expect(bootstrapBrokers).toEqual(['a:1', 'b:2']);
});

test('what a provider has counts more than what stands there', () => {
  const provider = { type: 'mapString', config: { 'bootstrap.servers': 'b:2' } };
  expect(brokerAccess({ 'bootstrap.servers': 'a:1', 'druid.dynamic.config.provider': provider }).bootstrapBrokers).toEqual(['b:2']);
});
