// A real Kafka broker of a test's own: one KRaft node on free ports of this machine, from published
// jars. Needs Java and Maven; the jars are kept in a cache folder, so that only the first run ever
// loads them.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Admin, type MessageToProduce, Producer, stringSerializers } from '@platformatic/kafka';
import type { Listener } from './kafka-listeners.ts';

/** A broker as its clients see it. */
export interface KafkaClient {
  readonly address: string; // host:port
  /** Creates a topic, with one partition unless said otherwise; resolves when it can be written. */
  createTopic(name: string, settings?: TopicSettings): Promise<void>;
  deleteTopic(name: string): Promise<void>;
  /** Deletes the records of a partition before an offset. */
  truncate(topic: string, partition: number, before: number): Promise<void>;
  /**
   * Writes records in their order; resolves when they are there. Without a partition they go round.
   */
  produce(
    topic: string,
    records: readonly ProducedRecord[],
    settings?: ProduceSettings,
  ): Promise<void>;
  /** A producer of transactions. */
  transactional(id: string): Promise<TransactionalProducer>;
  close(): Promise<void>;
}

export interface KafkaBroker extends KafkaClient {
  readonly pid: number;
  readonly addresses: Readonly<Record<string, string>>; // of its listeners
  /** Kills the broker; what it has stays. `start` restores it, on the same port. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Ends the broker and removes all that it has. */
  stop(): Promise<void>;
}

export interface TopicSettings {
  readonly partitions?: number;
  readonly configs?: Readonly<Record<string, string>>;
}

export interface ProducedRecord {
  readonly value: string | Buffer | null; // null: a tombstone
  readonly key?: string | Buffer;
  readonly partition?: number;
  readonly timestampMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ProduceSettings {
  readonly compression?: 'none' | 'gzip' | 'snappy' | 'lz4';
}

export interface TransactionalProducer {
  /** Writes records in one transaction and ends it. */
  write(topic: string, records: readonly ProducedRecord[], end: 'commit' | 'abort'): Promise<void>;
  close(): Promise<void>;
}

/** Why no broker can be started here; undefined when one can. */
export function kafkaIsMissing(): string | undefined {
  const works = (program: string, flag: string) =>
    spawnSync(program, [flag], { stdio: 'ignore' }).status === 0;
  if (!works('java', '-version')) return 'there is no Java';
  if (!existsSync(jarFolder()) && !works('mvn', '-v')) return 'there is no Maven';
  return undefined;
}

export interface BrokerSettings {
  readonly createsTopics?: boolean;
  readonly listeners?: readonly Listener[]; // beside the plain one
  readonly account?: { readonly username: string; readonly password: string }; // which SCRAM knows
}

/** Starts a broker; resolves when it answers. */
export async function startKafka({
  createsTopics = false,
  listeners = [],
  account,
}: BrokerSettings = {}): Promise<KafkaBroker> {
  const jars = fetchedJars();
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-kafka-'));
  const [controllerPort = 0, port = 0, ...ports] = await freePorts(listeners.length + 2);
  const address = `127.0.0.1:${port}`;
  const addresses = Object.fromEntries(
    listeners.map(({ name }, index) => [name, `127.0.0.1:${ports[index]}`]),
  );
  const configuration = join(folder, 'server.properties');
  const settings = {
    ...usual(join(folder, 'data'), controllerPort, createsTopics),
    ...listening({ PLAINTEXT: address, ...addresses }, controllerPort, listeners),
  };
  writeFileSync(configuration, propertiesOf(settings));
  const java = [
    '-Xmx512m',
    '-XX:TieredStopAtLevel=1',
    '-cp',
    readdirSync(jars)
      .map((jar) => join(jars, jar))
      .join(':'),
  ];
  const log = openSync(join(folder, 'log'), 'a');
  const format = [
    'kafka.tools.StorageTool',
    'format',
    '--cluster-id',
    'svcctl-test-cluster-01',
    '--config',
    configuration,
  ];
  for (const mechanism of account ? ['SCRAM-SHA-256', 'SCRAM-SHA-512'] : [])
    format.push(
      '--add-scram',
      `${mechanism}=[name=${account?.username},password=${account?.password}]`,
    );
  const formatted = spawnSync('java', [...java, ...format], { stdio: ['ignore', log, log] });
  if (formatted.status !== 0)
    throw new Error(
      `Kafka could not format its folder:\n${readFileSync(join(folder, 'log'), 'utf8')}`,
    );

  let broker: ChildProcess | undefined;
  const start = async () => {
    broker = spawn('java', [...java, 'kafka.Kafka', configuration], {
      stdio: ['ignore', log, log],
    });
    running.add(broker);
    const started = broker;
    const admin = new Admin(optionsFor(address));
    try {
      for (const deadline = Date.now() + 180_000; ; await sleep(100)) {
        if (started.exitCode !== null)
          throw new Error(
            `Kafka ended:\n${readFileSync(join(folder, 'log'), 'utf8').slice(-3000)}`,
          );
        if (Date.now() > deadline) throw new Error('Kafka did not answer in three minutes');
        if (await admin.metadata({ topics: [], forceUpdate: true }).catch(() => undefined)) return;
      }
    } finally {
      await admin.close();
    }
  };
  const end = async (signal: NodeJS.Signals) => {
    const ending = broker;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const gone = new Promise((settle) => ending.once('exit', settle));
    ending.kill(signal);
    await Promise.race([gone, sleep(10_000, undefined, { ref: false })]);
    ending.kill('SIGKILL');
    running.delete(ending);
  };
  await start();
  const client = kafkaClient(address);
  return {
    ...client,
    addresses: { PLAINTEXT: address, ...addresses },
    get pid() {
      return broker?.pid ?? 0;
    },
    kill: () => end('SIGKILL'),
    start,
    async stop() {
      await client.close();
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What a test does with a broker that runs. */
export function kafkaClient(address: string): KafkaClient {
  const options = optionsFor(address);
  const newProducer = (more: { transactionalId?: string; idempotent?: boolean }) =>
    new Producer<string | Buffer, string | Buffer, string, string>({
      ...options,
      ...more,
      acks: -1,
      serializers: bytes,
    });
  const admin = new Admin({ ...options, retries: 20 });
  const producer = newProducer({});
  return {
    address,
    async createTopic(name, { partitions = 1, configs = {} } = {}) {
      const settings = Object.entries(configs).map(([key, value]) => ({ name: key, value }));
      await admin.createTopics({ topics: [name], partitions, replicas: 1, configs: settings });
      for (let attempt = 0; attempt < 100; attempt++) {
        const found = await admin
          .metadata({ topics: [name], forceUpdate: true })
          .catch(() => undefined);
        if (found?.topics.get(name)?.partitions.every(({ leader }) => leader > 0)) return;
        await sleep(50);
      }
    },
    deleteTopic: (name) => admin.deleteTopics({ topics: [name] }),
    async truncate(topic, partition, before) {
      await admin.deleteRecords({
        topics: [{ name: topic, partitions: [{ partition, offset: BigInt(before) }] }],
      });
    },
    async produce(topic, records, { compression = 'none' } = {}) {
      for (let first = 0; first < records.length; first += 5000) {
        const messages = records
          .slice(first, first + 5000)
          .map((record) => messageOf(topic, record));
        await producer.send({ messages, compression });
      }
    },
    async transactional(id) {
      const transactions = newProducer({ transactionalId: id, idempotent: true });
      return {
        async write(topic, records, how) {
          const transaction = await transactions.beginTransaction();
          await transaction.send({ messages: records.map((record) => messageOf(topic, record)) });
          await (how === 'commit' ? transaction.commit() : transaction.abort());
        },
        close: () => transactions.close(),
      };
    },
    async close() {
      await Promise.allSettled([admin.close(), producer.close()]);
    },
  };
}

const optionsFor = (address: string) => ({
  clientId: 'test',
  bootstrapBrokers: [address],
  retries: 3,
  retryDelay: 200,
  connectTimeout: 2000,
  timeout: 30_000,
});

type Message = MessageToProduce<string | Buffer, string | Buffer, string, string>;

const messageOf = (
  topic: string,
  { value, key, partition, timestampMs, headers }: ProducedRecord,
): Message => ({
  topic,
  ...(value !== null && { value }),
  ...(key !== undefined && { key }),
  ...(partition !== undefined && { partition }),
  ...(timestampMs !== undefined && { timestamp: BigInt(timestampMs) }),
  ...(headers && { headers }),
});

const asBytes = (data: string | Buffer | undefined) =>
  typeof data === 'string' ? Buffer.from(data) : data;
const bytes = { ...stringSerializers, key: asBytes, value: asBytes };

// A test that is interrupted leaves no broker behind.
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const broker of running) broker.kill('SIGKILL');
});

const usual = (folder: string, controllerPort: number, createsTopics: boolean) => ({
  'process.roles': 'broker,controller',
  'node.id': 1,
  'log.dirs': folder,
  'controller.listener.names': 'CONTROLLER',
  'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
  'offsets.topic.replication.factor': 1,
  'offsets.topic.num.partitions': 1,
  'transaction.state.log.replication.factor': 1,
  'transaction.state.log.min.isr': 1,
  'transaction.state.log.num.partitions': 1,
  'message.max.bytes': 20_000_000,
  'socket.request.max.bytes': 104_857_600,
  'log.cleaner.backoff.ms': 500,
  'log.retention.check.interval.ms': 1000,
  'log.retention.ms': -1, // records of stories have times of long ago, and stay
  'auto.create.topics.enable': createsTopics,
});

function listening(
  addresses: Readonly<Record<string, string>>,
  controllerPort: number,
  more: readonly Listener[],
) {
  const all = { CONTROLLER: `127.0.0.1:${controllerPort}`, ...addresses };
  const protocols = new Map(more.map(({ name, protocol }) => [name, protocol]));
  return {
    listeners: Object.entries(all)
      .map(([name, address]) => `${name}://${address}`)
      .join(),
    'listener.security.protocol.map': Object.keys(all)
      .map((name) => `${name}:${protocols.get(name) ?? 'PLAINTEXT'}`)
      .join(),
    ...Object.fromEntries(
      more.flatMap(({ name, settings }) =>
        Object.entries(settings).map(([key, value]) => [
          `listener.name.${name.toLowerCase()}.${key}`,
          value,
        ]),
      ),
    ),
  };
}

// As Java reads them: a line each.
const propertiesOf = (settings: Readonly<Record<string, string | number | boolean>>) =>
  Object.entries(settings)
    .map(
      ([key, value]) =>
        `${key}=${String(value).replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`,
    )
    .join('');

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(
    servers.map((server) => new Promise((settle) => server.once('listening', settle))),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((settle) => server.close(settle))));
  return ports;
}

const version = '3.9.2';
const jarFolder = () =>
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'svcctl-test', `kafka-${version}`);

function fetchedJars(): string {
  const folder = jarFolder();
  if (existsSync(folder)) return folder;
  const part = `${folder}.${process.pid}`;
  mkdirSync(part, { recursive: true });
  const pom = join(part, 'pom.xml');
  writeFileSync(pom, project);
  const goal = [
    'dependency:copy-dependencies',
    '-DincludeScope=runtime',
    `-DoutputDirectory=${join(part, 'jars')}`,
  ];
  const maven = spawnSync('mvn', ['-B', '-q', '-f', pom, ...goal], {
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (maven.status !== 0)
    throw new Error(`Maven could not fetch Kafka ${version}:\n${maven.stdout}${maven.stderr}`);
  if (!existsSync(folder)) renameSync(join(part, 'jars'), folder);
  return folder;
}

const dependency = (group: string, artifact: string, number: string) =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${number}</version></dependency>`;

const project = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>svcctl</groupId><artifactId>kafka-for-tests</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>${dependency('org.apache.kafka', 'kafka_2.13', version)}${dependency('org.slf4j', 'slf4j-simple', '1.7.36')}</dependencies></project>
`;
