// Brokers that want to know who reads, or that are spoken to in secret: each kind of listener, with
// what is right and with what is wrong.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { certificate, pem } from '../support/certificates.ts';
import { account, loginOf } from '../support/kafka-listeners.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/storage.ts';
import { streamSpec } from '../support/supervisors.ts';
import { api } from '../support/wire.ts';
import { broker, brokers, hasBroker, newName } from './streams.ts';

type Properties = Readonly<Record<string, unknown>>;

const at = (listener: string, protocol: string, ...more: readonly Properties[]): Properties =>
  Object.assign({ 'bootstrap.servers': brokers[listener], 'security.protocol': protocol }, ...more);
const login = (mechanism: string, who = account) => ({
  'sasl.mechanism': mechanism,
  'sasl.jaas.config': loginOf(mechanism, who),
});
const trust = { 'ssl.truststore.type': 'PEM', 'ssl.truststore.certificates': pem('authority.pem') };
const trustFile = {
  'ssl.truststore.type': 'PEM',
  'ssl.truststore.location': certificate('authority.pem'),
};
const chainAndKey = (name: string) => ({
  'ssl.keystore.type': 'PEM',
  'ssl.keystore.certificate.chain': pem(`${name}.pem`),
  'ssl.keystore.key': pem(`${name}.key.pem`),
});
const provided = (password: string) => ({ type: 'default', password });

/**
 * The client's certificate and key in a file of PKCS12, and its key alone with a password, as
 * openssl writes them.
 */
async function keyFiles(password: string) {
  const folder = await temporaryFolder();
  const [archive, key] = [join(folder, 'client.p12'), join(folder, 'client.key')];
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [own, ownKey] = [certificate('client.pem'), certificate('client.key.pem')];
  openssl(
    'pkcs12',
    '-export',
    '-in',
    own,
    '-inkey',
    ownKey,
    '-out',
    archive,
    '-passout',
    `pass:${password}`,
  );
  openssl('pkcs8', '-topk8', '-in', ownKey, '-out', key, '-passout', `pass:${password}`);
  return { archive, key };
}

/** A token that the broker believes because it says so itself. */
function unsecuredToken(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  return `${part({ alg: 'none' })}.${part({ sub: account.username, iat: now, exp: now + 3600 })}.`;
}
const bearer = (token: string) => ({
  'sasl.mechanism': 'OAUTHBEARER',
  'sasl.jaas.config': `org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required token="${token}";`,
});

/**
 * A service with a supervisor for each of the properties, all of the same topic with three rows.
 */
async function reading(cases: Readonly<Record<string, Properties>>) {
  const kafka = broker();
  const topic = newName('secured');
  await kafka.createTopic(topic);
  await kafka.produce(
    topic,
    [1, 2, 3].map((added) => ({
      value: JSON.stringify({ time: '2024-05-01T00:00:00Z', page: 'Oslo', added }),
    })),
  );
  const http = api(
    await startService({
      workerCapacity: 20,
      allowedFolders: [dirname(certificate('authority.pem')), tmpdir()],
      allowedVariables: ['KAFKA_TEST_LOGIN'],
    }),
  );
  for (const [name, consumerProperties] of Object.entries(cases)) {
    const { status, text } = await http.post(
      '/svc/indexer/v1/supervisor',
      streamSpec({ dataSource: name, topic, ioConfig: { consumerProperties } }),
    );
    expect({ name, status, text }).toMatchObject({ status: 200 });
  }
  return {
    ...http,
    status: async (name: string) =>
      (await http.get(`/svc/indexer/v1/supervisor/${name}/status`)).body.payload,
    rowsIn: async (name: string) => {
      const { body } = await http.post('/svc/v2/sql', {
        query: `SELECT COUNT(*) AS n FROM "${name}"`,
      });
      return Array.isArray(body) ? Number(body[0]?.n) : 0;
    },
  };
}

describe.skipIf(!hasBroker)('a supervisor', () => {
  test('reads with every kind of login and certificate', async () => {
    const files = await keyFiles('key word');
    process.env.KAFKA_TEST_LOGIN = loginOf('SCRAM-SHA-512');
    onTestFinished(() => void delete process.env.KAFKA_TEST_LOGIN);
    const fromEnvironment = {
      type: 'environment',
      variables: { 'sasl.jaas.config': 'KAFKA_TEST_LOGIN' },
    };
    const fromMap = { type: 'mapString', config: { 'sasl.jaas.config': loginOf('PLAIN') } };
    const cases = {
      plain: at('SASL_PLAINTEXT', 'SASL_PLAINTEXT', login('PLAIN')),
      scram256: at('SASL_PLAINTEXT', 'SASL_PLAINTEXT', login('SCRAM-SHA-256')),
      scram512: at('SASL_PLAINTEXT', 'sasl_plaintext', login('SCRAM-SHA-512')),
      bearer: at('SASL_PLAINTEXT', 'SASL_PLAINTEXT', bearer(unsecuredToken())),
      environment: at('SASL_SSL', 'SASL_SSL', trust, {
        'sasl.mechanism': 'SCRAM-SHA-512',
        'druid.dynamic.config.provider': fromEnvironment,
      }),
      map: at('SASL_SSL', 'SASL_SSL', trustFile, {
        'sasl.mechanism': 'PLAIN',
        'druid.dynamic.config.provider': fromMap,
      }),
      tls: at('SSL', 'SSL', trust),
      unnamed: at('SSL', 'SSL', trust, {
        'bootstrap.servers': brokers.SSL?.replace('127.0.0.1', 'localhost'),
        'ssl.endpoint.identification.algorithm': '',
      }),
      mutual: at('MUTUAL', 'SSL', trust, chainAndKey('client')),
      lockedKey: at('MUTUAL', 'SSL', trust, chainAndKey('client'), {
        'ssl.keystore.key': readFileSync(files.key, 'utf8'),
        'ssl.key.password': provided('key word'),
      }),
      archive: at('MUTUAL', 'SSL', trust, {
        'ssl.keystore.type': 'PKCS12',
        'ssl.keystore.location': files.archive,
        'ssl.keystore.password': 'key word',
      }),
    };
    const { until, rowsIn, status } = await reading(cases);
    for (const name of Object.keys(cases)) {
      await until(async () => (await rowsIn(name)) === 3).catch(async () =>
        expect({ name, ...(await status(name)) }).toEqual('three rows'),
      );
      expect(await status(name)).toMatchObject({ state: 'RUNNING', healthy: true });
    }
  });

  test('says why it cannot read, and not with which password', async () => {
    const stranger = { ...account, password: 'wrong-secret' };
    const { archive } = await keyFiles('wrong-secret too');
    const sasl = (...more: readonly Properties[]) =>
      at('SASL_PLAINTEXT', 'SASL_PLAINTEXT', ...more);
    const refused: Record<string, readonly [Properties, string | RegExp]> = {
      plainPassword: [
        sasl(login('PLAIN', stranger)),
        'cannot be read: Authentication failed: Invalid username or password',
      ],
      scramPassword: [
        sasl(login('SCRAM-SHA-256', stranger)),
        'invalid credentials with SASL mechanism SCRAM-SHA-256',
      ],
      nobody: [
        at(
          'SASL_SSL',
          'SASL_SSL',
          trust,
          login('SCRAM-SHA-512', { ...stranger, username: 'nobody' }),
        ),
        'invalid credentials',
      ],
      token: [sasl(bearer('wrong-secret')), 'cannot be read: '],
      noLogin: [
        sasl({ 'sasl.mechanism': 'PLAIN' }),
        'must contain entry for [sasl.jaas.config] when [sasl.mechanism] is [PLAIN]',
      ],
      noPassword: [
        sasl({ 'sasl.mechanism': 'PLAIN', 'sasl.jaas.config': 'a.B required username=x;' }),
        'with the option [password]',
      ],
      brokenLogin: [
        sasl({ 'sasl.mechanism': 'PLAIN', 'sasl.jaas.config': 'password="wrong-secret"' }),
        '[sasl.jaas.config] of the',
      ],
      kerberos: [
        sasl({ 'sasl.mechanism': 'GSSAPI' }),
        '[sasl.mechanism] [GSSAPI] of the consumerProperties is not supported',
      ],
      protocol: [
        at('SSL', 'TLS'),
        '[security.protocol] [TLS] of the consumerProperties is not supported',
      ],
      saslMissed: [at('SASL_PLAINTEXT', 'PLAINTEXT'), 'it may require another [security.protocol]'],
      saslTooMuch: [
        at('PLAINTEXT', 'SASL_PLAINTEXT', login('PLAIN')),
        'does not accept [sasl.mechanism] [PLAIN]',
      ],
      untrusted: [
        at('SSL', 'SSL'),
        /certificate of the broker is not trusted: .*\[ssl\.truststore\.\*\]/,
      ],
      otherHost: [
        at('SSL', 'SSL', trust, {
          'bootstrap.servers': brokers.SSL?.replace('127.0.0.1', 'localhost'),
        }),
        'is for another host',
      ],
      tlsMissed: [at('SSL', 'PLAINTEXT'), 'it may require another [security.protocol]'],
      tlsTooMuch: [at('PLAINTEXT', 'SSL', trust), 'the broker does not use TLS at this address'],
      clientMissing: [at('MUTUAL', 'SSL', trust), 'a certificate of its clients'],
      clientUnknown: [
        at('MUTUAL', 'SSL', trust, chainAndKey('self-signed')),
        /certificate of its clients|does not accept the certificate of this client/,
      ],
      noCertificate: [
        at('SSL', 'SSL', trust, { 'ssl.truststore.certificates': 'nothing' }),
        'has no certificate',
      ],
      noFile: [
        at('SSL', 'SSL', { ...trustFile, 'ssl.truststore.location': certificate('no.pem') }),
        'it does not exist',
      ],
      javaStore: [
        at('SSL', 'SSL', { 'ssl.truststore.location': certificate('authority.pem') }),
        '[ssl.truststore.type] [JKS]',
      ],
      archiveOfTrust: [
        at('SSL', 'SSL', { ...trustFile, 'ssl.truststore.type': 'PKCS12' }),
        '[ssl.truststore.type] [PKCS12]',
      ],
      archivePassword: [
        at('MUTUAL', 'SSL', trust, {
          'ssl.keystore.type': 'PKCS12',
          'ssl.keystore.location': archive,
          'ssl.keystore.password': provided('wrong-secret'),
        }),
        'certificates and keys [ssl.*] of the consumerProperties cannot be used',
      ],
    };
    const { get, until, status } = await reading(
      Object.fromEntries(Object.entries(refused).map(([name, [properties]]) => [name, properties])),
    );
    for (const [name, [, words]] of Object.entries(refused)) {
      await until(async () => (await status(name)).state === 'UNHEALTHY_SUPERVISOR', 60);
      const { detailedState, recentErrors } = await status(name);
      expect({ name, detailedState, ...recentErrors[0] }).toMatchObject({
        detailedState: 'UNABLE_TO_CONNECT_TO_STREAM',
        message: expect.stringMatching(words instanceof RegExp ? words : literal(words)),
        streamException: true,
      });
      expect(JSON.stringify(await status(name))).not.toContain('wrong-secret');
    }
    expect((await status('plainPassword')).recentErrors[0].exceptionClass).toContain(
      'SaslAuthenticationException',
    );
    expect((await status('untrusted')).recentErrors[0].exceptionClass).toContain(
      'SslAuthenticationException',
    );
    expect((await get('/svc/indexer/v1/supervisor?state=true')).text).not.toContain('wrong-secret');
    expect((await get('/status/health')).body).toBe(true);
  });

  test('shows a password that the environment holds nowhere, nor one of its own', async () => {
    process.env.KAFKA_TEST_LOGIN = loginOf('PLAIN', account);
    onTestFinished(() => void delete process.env.KAFKA_TEST_LOGIN);
    const own = at('SASL_PLAINTEXT', 'SASL_PLAINTEXT', login('PLAIN'));
    const variable = { type: 'environment', variable: 'KAFKA_TEST_LOGIN' };
    const { get, post, until, rowsIn } = await reading({
      own,
      hidden: { ...own, 'sasl.jaas.config': variable },
    });
    await until(async () => (await rowsIn('own')) === 3 && (await rowsIn('hidden')) === 3);
    const shown = async (path: string) => (await get(`/svc/indexer/v1/${path}`)).text;
    const about = async (name: string) => {
      const [{ id }] = (await get(`/svc/indexer/v1/tasks?datasource=${name}`)).body;
      await post(`/svc/indexer/v1/supervisor/${name}/suspend`, {});
      await until(async () => (await shown(`task/${id}/status`)).includes('SUCCESS'));
      return {
        told: await Promise.all([
          ...[
            `supervisor/${name}/status`,
            `supervisor/${name}/stats`,
            `task/${id}/status`,
            `task/${id}/log`,
            `task/${id}/reports`,
          ].map(shown),
          shown('supervisor?state=true'),
          shown('tasks'),
        ]),
        specified: await Promise.all(
          [`supervisor/${name}`, `supervisor/${name}/history`, `task/${id}`].map(shown),
        ),
      };
    };
    const [ofOwn, ofHidden] = [await about('own'), await about('hidden')];
    const secret = 'sesame';
    expect(
      [...ofOwn.told, ...ofHidden.told, ...ofHidden.specified].filter((text) =>
        text.includes(secret),
      ),
    ).toEqual([]);
    expect(
      ofOwn.specified.filter((text) => text.includes(secret) || !text.includes('<masked>')),
    ).toEqual([]);
  });
});

const literal = (text: string) => new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
