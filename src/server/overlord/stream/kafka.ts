// Kafka, read partition by partition from given offsets. Consumer groups are unnecessary, because
// offsets are committed with the segments. The only file that loads the client.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, fetchV17 } from '@platformatic/kafka';
import type { SpecValues } from '../../checks/spec-fields.ts';
import type { Outside } from '../../ingestion/outside.ts';
import { type BrokerAccess, brokerAccess } from './consumer-properties.ts';
import { brokerTrouble, hasErrorCode, isUnknownTopic, isUnreadable } from './kafka-trouble.ts';
import { decompressSnappy } from './snappy.ts';
import {
  type Offsets,
  OffsetsOutOfRange,
  type ReadStream,
  type StreamAddress,
  type StreamBatch,
  type StreamReading,
  StreamUnavailable,
} from './stream.ts';
import { byPlace, type Partition, partitionAmong, placeOf, type Topics } from './topics.ts';
import { filterCommitted } from './transactions.ts';

/**
 * Opens topics; properties may name resources outside the service. Throws StreamUnavailable when
 * the client is not installed, or when the broker or the topic is unavailable.
 */
export const kafkaStreams =
  (outside: Outside) =>
  ({ consumerProperties, ...topics }: StreamAddress): Promise<ReadStream> =>
    openStream(topics, consumerProperties, outside);

async function openStream(
  topics: Topics,
  consumerProperties: SpecValues,
  outside: Outside,
): Promise<ReadStream> {
  const access = await brokerAccess(consumerProperties, outside);
  const client = await load();
  const stream = new KafkaStream(client, topics, access);
  try {
    if (
      !topics.matches &&
      String(consumerProperties['allow.auto.create.topics'] ?? true) === 'true'
    )
      await stream.create();
    await stream.partitions();
    return stream;
  } catch (error) {
    await stream.close();
    throw error;
  }
}

type Client = typeof import('@platformatic/kafka');

let client: Promise<Client> | undefined;

async function load(): Promise<Client> {
  try {
    client ??= import('@platformatic/kafka').then(readingJavasSnappy);
    return await client;
  } catch (error) {
    throw new StreamUnavailable(
      `Package [@platformatic/kafka] cannot be loaded; it is required to read Kafka topics: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

// The client itself supports raw blocks only.
function readingJavasSnappy(client: Client): Client {
  const { snappy } = client.compressionsAlgorithms;
  const { decompressSync } = snappy;
  const decompress = (data: Parameters<typeof decompressSync>[0]) =>
    decompressSnappy(Buffer.isBuffer(data) ? data : data.slice(), decompressSync);
  Object.assign(snappy, { decompressSync: decompress });
  return client;
}

interface Topic {
  readonly id: string;
  // By partition
  readonly leaders: readonly { readonly leader: number; readonly leaderEpoch: number }[];
}

interface Cluster {
  readonly topics: ReadonlyMap<string, Topic>;
  readonly brokers: ReadonlyMap<number, { readonly host: string; readonly port: number }>;
}

class KafkaStream implements ReadStream {
  readonly #client: Client;
  readonly #topics: Topics;
  readonly #access: BrokerAccess;
  readonly #consumer: Consumer;
  #hasAnswered = false;
  #closed = false;

  constructor(client: Client, topics: Topics, access: BrokerAccess) {
    this.#client = client;
    this.#topics = topics;
    this.#access = access;
    const { bootstrapBrokers, sasl, tls } = access;
    this.#consumer = new client.Consumer({
      clientId: 'svcctl',
      groupId: 'svcctl', // never joined
      bootstrapBrokers,
      retries: 0, // callers retry, with their own limits
      connectTimeout: 5000,
      timeout: 10_000,
      ...(sasl && { sasl }),
      ...(tls && { tls }),
    });
  }

  /**
   * Lets the broker create a missing topic, if it creates topics automatically: Java's client
   * requests topics in the same way.
   */
  async create(): Promise<void> {
    for (let attempt = 0; attempt < 6; attempt++) {
      try {
        await this.#consumer.metadata({
          topics: [this.#topics.topic],
          forceUpdate: true,
          autocreateTopics: true,
        });
        return;
      } catch (error) {
        if (!isUnknownTopic(error)) return; // the next request reports the error
        await sleep(150);
      }
    }
  }

  async partitions(): Promise<Partition[]> {
    const { topics } = await this.#describe(await this.#names());
    return [...topics]
      .flatMap(([topic, { leaders }]) =>
        leaders.map((_, number) => partitionAmong(this.#topics, topic, number)),
      )
      .sort(byPlace);
  }

  earliest(partitions: readonly Partition[]): Promise<Offsets> {
    return this.#offsetsAt(partitions, -2n);
  }

  latest(partitions: readonly Partition[]): Promise<Offsets> {
    return this.#offsetsAt(partitions, -1n);
  }

  async *read({
    from,
    to = new Map(),
    maxBytes,
    signal,
    onTrouble = () => undefined,
  }: StreamReading): AsyncGenerator<StreamBatch, void, undefined> {
    const positions = new Map(from);
    const hasEnded = (partition: Partition) =>
      (positions.get(partition) ?? 0) >= (to.get(partition) ?? Number.POSITIVE_INFINITY);
    let troubles = 0;
    let cluster: Cluster | undefined;
    const fetchBatch = async (): Promise<StreamBatch | undefined> => {
      try {
        cluster ??= await this.#describe(this.#topicsOf(positions.keys()));
        const batch = await this.#fetch(cluster, positions, to, hasEnded, maxBytes);
        troubles = 0;
        return batch;
      } catch (error) {
        if (error instanceof OffsetsOutOfRange || signal.aborted) throw error;
        // A retry cannot help
        if (isUnreadable(error)) throw new Error(this.#unavailable(error).message);
        cluster = undefined;
        onTrouble(this.#unavailable(error).message, ++troubles);
        await sleep(Math.min(100 * 2 ** Math.min(troubles, 6), 5000), undefined, { signal }).catch(
          () => undefined,
        );
        return undefined;
      }
    };
    let ahead: Promise<StreamBatch | undefined> | undefined;
    while (!signal.aborted && [...positions.keys()].some((partition) => !hasEnded(partition))) {
      const batch = await untilAborted(ahead ?? fetchBatch(), signal);
      ahead = undefined;
      if (!batch) continue;
      for (const [partition, offset] of batch.next) positions.set(partition, offset);
      rotate(positions);
      // With much to read, the next batch is fetched while this one is processed.
      if (batch.records.length >= manyRecords) {
        ahead = fetchBatch();
        ahead.catch(() => undefined); // reported when it is awaited
      }
      yield batch;
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.#consumer.close(true);
    } catch {
      // Ignore errors on close: the broker is already unreachable.
    }
  }

  #topicsOf = (partitions: Iterable<Partition>): readonly string[] => [
    ...new Set([...partitions].map((partition) => placeOf(partition, this.#topics.topic).topic)),
  ];

  // Names of the current topics, without Kafka's internal ones.
  async #names(): Promise<readonly string[]> {
    const { topic, matches } = this.#topics;
    if (!matches) return [topic];
    try {
      const { brokers } = await this.#consumer.metadata({ topics: [], forceUpdate: true });
      const [broker] = brokers.values();
      if (!broker)
        throw new StreamUnavailable(`No broker of [${this.#access.shownBrokers}] is known`);
      const reply = await this.#client.metadataV12.api.async(
        await this.#consumer.connections.get(broker),
        null,
        false,
        false,
      );
      this.#hasAnswered = true;
      return reply.topics
        .flatMap(({ name, isInternal }) => (name && !isInternal && matches(name) ? name : []))
        .sort();
    } catch (error) {
      this.#consumer.clearMetadata();
      throw this.#unavailable(error);
    }
  }

  async #describe(names: readonly string[]): Promise<Cluster> {
    if (names.length === 0) return { topics: new Map(), brokers: new Map() };
    try {
      const { topics, brokers } = await this.#consumer.metadata({
        topics: [...names],
        forceUpdate: true,
      });
      this.#hasAnswered = true;
      const found = names.map((name): [string, Topic] => {
        const topic = topics.get(name);
        if (!topic) throw this.#missing(name);
        return [name, { id: topic.id, leaders: topic.partitions }];
      });
      return { topics: new Map(found), brokers };
    } catch (error) {
      this.#consumer.clearMetadata();
      throw this.#unavailable(error);
    }
  }

  async #offsetsAt(partitions: readonly Partition[], timestamp: bigint): Promise<Offsets> {
    if (partitions.length === 0) return new Map();
    const places = partitions.map((partition) => ({
      partition,
      ...placeOf(partition, this.#topics.topic),
    }));
    const numbers: Record<string, number[]> = {};
    for (const { topic, number } of places) numbers[topic] = [...(numbers[topic] ?? []), number];
    try {
      // In this isolation level, up to the last committed transaction.
      const isolationLevel = this.#isolation;
      const offsets = await this.#consumer.listOffsets({
        topics: Object.keys(numbers),
        partitions: numbers,
        timestamp,
        isolationLevel,
      });
      return new Map(
        places.map(({ partition, topic, number }) => [
          partition,
          Number(offsets.get(topic)?.[number] ?? 0n),
        ]),
      );
    } catch (error) {
      this.#consumer.clearMetadata();
      throw this.#unavailable(error);
    }
  }

  async #fetch(
    cluster: Cluster,
    positions: Offsets,
    to: Offsets,
    hasEnded: (partition: Partition) => boolean,
    maxBytes: number,
  ): Promise<StreamBatch> {
    const byLeader = new Map<number, Partition[]>();
    for (const partition of positions.keys()) {
      if (hasEnded(partition)) continue;
      const { topic, number } = placeOf(partition, this.#topics.topic);
      const leader = cluster.topics.get(topic)?.leaders[number]?.leader;
      if (leader === undefined)
        throw new StreamUnavailable(`Topic [${topic}] has no partition [${number}]`);
      byLeader.set(leader, [...(byLeader.get(leader) ?? []), partition]);
    }
    const replies = await Promise.all(
      [...byLeader].map(([leader, partitions]) =>
        this.#fetchFrom(cluster, leader, partitions, positions, maxBytes),
      ),
    );
    const records: StreamBatch['records'][number][] = [];
    const next = new Map<Partition, number>();
    const outOfRange: Partition[] = [];
    for (const { partition, reply } of replies.flat()) {
      const { errorCode } = reply;
      if (errorCode === offsetOutOfRange) outOfRange.push(partition);
      else if (errorCode !== 0) throw new this.#client.ProtocolError(errorCode);
      const position = positions.get(partition) ?? 0;
      const end = to.get(partition) ?? Number.POSITIVE_INFINITY;
      const read = filterCommitted(
        partition,
        reply,
        position,
        end,
        this.#access.isolationLevel === 'read_committed',
      );
      for (const record of read.records) records.push(record);
      if (read.next > position) next.set(partition, Math.min(read.next, end));
    }
    if (outOfRange.length > 0)
      throw new OffsetsOutOfRange(
        this.#topics.topic,
        new Map(outOfRange.map((partition) => [partition, positions.get(partition) ?? 0])),
      );
    return { records, next };
  }

  async #fetchFrom(
    { topics, brokers }: Cluster,
    leader: number,
    partitions: readonly Partition[],
    positions: Offsets,
    maxBytes: number,
  ): Promise<{ readonly partition: Partition; readonly reply: fetchV17.FetchResponsePartition }[]> {
    const broker = brokers.get(leader);
    if (!broker)
      throw new StreamUnavailable(
        `Partition [${partitions[0]}] of topic [${this.#topics.topic}] has no leader`,
      );
    const fetch = await this.#fetchApi();
    const connection = await this.#consumer.connections.get(broker);
    // In partition order: the broker fills its reply from the first partition on.
    const names = new Map<string, string>();
    const wanted = new Map<string, fetchV17.FetchRequestTopic['partitions']>();
    for (const partition of partitions) {
      const { topic, number } = placeOf(partition, this.#topics.topic);
      const id = topics.get(topic)?.id ?? '';
      names.set(id, topic);
      const request = {
        partition: number,
        currentLeaderEpoch: -1,
        fetchOffset: BigInt(positions.get(partition) ?? 0),
        lastFetchedEpoch: -1,
        partitionMaxBytes: maxBytes,
      };
      wanted.set(id, [...(wanted.get(id) ?? []), request]);
    }
    try {
      const reply = await fetch.async(
        connection,
        maxWaitMs,
        1,
        maxBytes,
        this.#isolation,
        0,
        0,
        [...wanted].map(([topicId, partitions]) => ({ topicId, partitions })),
        [],
        '',
      );
      return reply.responses.flatMap(({ topicId, partitions }) =>
        partitions.map((reply) => ({
          partition: partitionAmong(this.#topics, names.get(topicId) ?? '', reply.partitionIndex),
          reply,
        })),
      );
    } catch (error) {
      // The client throws when any partition fails; the error contains the data that was read.
      if (!hasErrorCode(error, offsetOutOfRange)) throw error;
      const range = await this.#offsetsAt(partitions, -2n);
      const latest = await this.#offsetsAt(partitions, -1n);
      const lost = partitions.filter((partition) => {
        const position = positions.get(partition) ?? 0;
        return position < (range.get(partition) ?? 0) || position > (latest.get(partition) ?? 0);
      });
      const named = lost.length > 0 ? lost : partitions;
      throw new OffsetsOutOfRange(
        this.#topics.topic,
        new Map(named.map((partition) => [partition, positions.get(partition) ?? 0])),
      );
    }
  }

  // The newest version that both sides support. Versions before 13 name topics instead of giving
  // their ids, so a topic that was deleted and created again would be mistaken for the old one.
  async #fetchApi() {
    this.#fetchVersion ??=
      (await this.#consumer.listApis()).find(({ name }) => name === 'Fetch')?.maxVersion ?? 0;
    const { fetchV13, fetchV14, fetchV15, fetchV16, fetchV17 } = this.#client;
    const known = [fetchV13, fetchV14, fetchV15, fetchV16, fetchV17];
    const found = known[Math.min(this.#fetchVersion, 17) - 13];
    if (!found)
      throw new StreamUnavailable(
        `The broker of topic [${this.#topics.topic}] is older than Kafka 3.1, the oldest supported version`,
      );
    return found.api;
  }
  #fetchVersion: number | undefined;

  get #isolation(): number {
    return this.#access.isolationLevel === 'read_committed' ? 1 : 0;
  }

  #missing = (topic = this.#topics.topic) =>
    new StreamUnavailable(`Topic [${topic}] does not exist`);

  #unavailable(error: unknown): StreamUnavailable {
    if (error instanceof StreamUnavailable) return error;
    if (isUnknownTopic(error)) return this.#missing();
    const { reason, exceptionClass } = brokerTrouble(error, this.#access, this.#hasAnswered);
    return new StreamUnavailable(
      `Topic [${this.#topics.topic}] at [${this.#access.shownBrokers}] cannot be read: ${reason}`,
      exceptionClass,
    );
  }
}

const offsetOutOfRange = 1;
const manyRecords = 2000;
const maxWaitMs = 250; // how long a broker waits for records; arriving ones are returned at once

function untilAborted<Answer>(
  answer: Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((settle, reject) => {
    const stop = () => settle(undefined);
    signal.addEventListener('abort', stop, { once: true });
    answer.then(settle, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

// A broker fills its reply in partition order, so each partition is the first in turn.
function rotate(positions: Map<Partition, number>): void {
  const [first] = positions;
  if (!first) return;
  positions.delete(first[0]);
  positions.set(...first);
}
