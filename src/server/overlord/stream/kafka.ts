// Kafka, read partition by partition from given offsets: no consumer groups, because what has been read is known by the offsets that were committed
// with the segments. The one file that loads the client.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, fetchV17 } from '@platformatic/kafka';
import type { Outside } from '../../ingestion/outside.ts';
import type { Values } from '../../ingestion/spec-fields.ts';
import { type BrokerAccess, brokerAccess } from './consumer-properties.ts';
import { brokerTrouble, hasErrorCode, isUnknownTopic, isUnreadable } from './kafka-trouble.ts';
import { decompressSnappy } from './snappy.ts';
import {
  type Offsets,
  OffsetsOutOfRange,
  type Reading,
  type ReadStream,
  type StreamAddress,
  type StreamBatch,
  StreamUnavailable,
} from './stream.ts';
import { committedRecords } from './transactions.ts';

/**
 * Opens topics, with what their properties may name outside. Throws StreamUnavailable when the client is not installed, or the broker
 * or the topic is away.
 */
export const kafkaStreams =
  (outside: Outside) =>
  ({ topic, consumerProperties }: StreamAddress): Promise<ReadStream> =>
    openStream(topic, consumerProperties, outside);

async function openStream(topic: string, consumerProperties: Values, outside: Outside): Promise<ReadStream> {
  const access = await brokerAccess(consumerProperties, outside);
  const client = await loaded();
  const stream = new KafkaStream(client, topic, access);
  try {
    if (String(consumerProperties['allow.auto.create.topics'] ?? true) === 'true') await stream.create();
    await stream.partitions();
    return stream;
  } catch (error) {
    await stream.close();
    throw error;
  }
}

type Client = typeof import('@platformatic/kafka');

let client: Promise<Client> | undefined;

async function loaded(): Promise<Client> {
  try {
    client ??= import('@platformatic/kafka').then(readingJavasSnappy);
    return await client;
  } catch (error) {
    throw new StreamUnavailable(
      `Package [@platformatic/kafka] cannot be loaded, and without it no Kafka topic can be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

// The client itself knows raw blocks only.
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
  readonly leaders: readonly { readonly leader: number; readonly leaderEpoch: number }[]; // by partition
  readonly brokers: ReadonlyMap<number, { readonly host: string; readonly port: number }>;
}

class KafkaStream implements ReadStream {
  readonly #client: Client;
  readonly #topic: string;
  readonly #access: BrokerAccess;
  readonly #consumer: Consumer;
  #hasAnswered = false;
  #closed = false;

  constructor(client: Client, topic: string, access: BrokerAccess) {
    this.#client = client;
    this.#topic = topic;
    this.#access = access;
    const { bootstrapBrokers, sasl, tls } = access;
    this.#consumer = new client.Consumer({
      clientId: 'svcctl',
      groupId: 'svcctl', // never joined
      bootstrapBrokers,
      retries: 0, // whoever asks tries again, and knows when to give up
      connectTimeout: 5000,
      timeout: 10_000,
      ...(sasl && { sasl }),
      ...(tls && { tls }),
    });
  }

  /** Lets the broker create the topic if there is none, and if it creates topics at all: as Java's client does when it asks for one. */
  async create(): Promise<void> {
    for (let attempt = 0; attempt < 6; attempt++) {
      try {
        await this.#consumer.metadata({ topics: [this.#topic], forceUpdate: true, autocreateTopics: true });
        return;
      } catch (error) {
        if (!isUnknownTopic(error)) return; // whoever looks at it next says what is wrong
        await sleep(150);
      }
    }
  }

  async partitions(): Promise<number[]> {
    const { leaders } = await this.#describe();
    return leaders.map((_, partition) => partition);
  }

  earliest(partitions: readonly number[]): Promise<Offsets> {
    return this.#offsetsAt(partitions, -2n);
  }

  latest(partitions: readonly number[]): Promise<Offsets> {
    return this.#offsetsAt(partitions, -1n);
  }

  async *read({
    from,
    to = new Map(),
    maxBytes,
    signal,
    onTrouble = () => undefined,
  }: Reading): AsyncGenerator<StreamBatch, void, undefined> {
    const positions = new Map(from);
    const ended = (partition: number) => (positions.get(partition) ?? 0) >= (to.get(partition) ?? Number.POSITIVE_INFINITY);
    let troubles = 0;
    let topic: Topic | undefined;
    const fetched = async (): Promise<StreamBatch | undefined> => {
      try {
        topic ??= await this.#describe();
        const batch = await this.#fetch(topic, positions, to, ended, maxBytes);
        troubles = 0;
        return batch;
      } catch (error) {
        if (error instanceof OffsetsOutOfRange || signal.aborted) throw error;
        if (isUnreadable(error)) throw new Error(this.#unavailable(error).message); // however often it is tried
        topic = undefined;
        onTrouble(this.#unavailable(error).message, ++troubles);
        await sleep(Math.min(100 * 2 ** Math.min(troubles, 6), 5000), undefined, { signal }).catch(() => undefined);
        return undefined;
      }
    };
    let ahead: Promise<StreamBatch | undefined> | undefined;
    while (!signal.aborted && [...positions.keys()].some((partition) => !ended(partition))) {
      const batch = await untilAborted(ahead ?? fetched(), signal);
      ahead = undefined;
      if (!batch) continue;
      for (const [partition, offset] of batch.next) positions.set(partition, offset);
      rotate(positions);
      // When there is much to read, the next batch comes while this one is worked on.
      if (batch.records.length >= manyRecords) {
        ahead = fetched();
        ahead.catch(() => undefined); // heard of when it is waited for
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
      // A broker that is away needs no farewell.
    }
  }

  async #describe(): Promise<Topic> {
    try {
      const { topics, brokers } = await this.#consumer.metadata({ topics: [this.#topic], forceUpdate: true });
      this.#hasAnswered = true;
      const found = topics.get(this.#topic);
      if (!found) throw this.#missing();
      return { id: found.id, leaders: found.partitions, brokers };
    } catch (error) {
      this.#consumer.clearMetadata();
      throw this.#unavailable(error);
    }
  }

  async #offsetsAt(partitions: readonly number[], timestamp: bigint): Promise<Offsets> {
    if (partitions.length === 0) return new Map();
    const topic = this.#topic;
    try {
      // Up to what transactions have committed, where only that is read.
      const isolationLevel = this.#isolation;
      const offsets = await this.#consumer.listOffsets({
        topics: [topic],
        partitions: { [topic]: [...partitions] },
        timestamp,
        isolationLevel,
      });
      return new Map(partitions.map((partition) => [partition, Number(offsets.get(topic)?.[partition] ?? 0n)]));
    } catch (error) {
      this.#consumer.clearMetadata();
      throw this.#unavailable(error);
    }
  }

  async #fetch(
    topic: Topic,
    positions: ReadonlyMap<number, number>,
    to: Offsets,
    ended: (partition: number) => boolean,
    maxBytes: number,
  ): Promise<StreamBatch> {
    const byLeader = new Map<number, number[]>();
    for (const partition of positions.keys()) {
      if (ended(partition)) continue;
      const leader = topic.leaders[partition]?.leader;
      if (leader === undefined) throw new StreamUnavailable(`Topic [${this.#topic}] has no partition [${partition}]`);
      byLeader.set(leader, [...(byLeader.get(leader) ?? []), partition]);
    }
    const replies = await Promise.all(
      [...byLeader].map(([leader, partitions]) => this.#fetchFrom(topic, leader, partitions, positions, maxBytes)),
    );
    const records: StreamBatch['records'][number][] = [];
    const next = new Map<number, number>();
    const outOfRange: number[] = [];
    for (const reply of replies.flat()) {
      const { partitionIndex: partition, errorCode } = reply;
      if (errorCode === offsetOutOfRange) outOfRange.push(partition);
      else if (errorCode !== 0) throw new this.#client.ProtocolError(errorCode);
      const position = positions.get(partition) ?? 0;
      const end = to.get(partition) ?? Number.POSITIVE_INFINITY;
      const read = committedRecords(reply, position, end, this.#access.isolationLevel === 'read_committed');
      for (const record of read.records) records.push(record);
      if (read.next > position) next.set(partition, Math.min(read.next, end));
    }
    if (outOfRange.length > 0)
      throw new OffsetsOutOfRange(this.#topic, new Map(outOfRange.map((partition) => [partition, positions.get(partition) ?? 0])));
    return { records, next };
  }

  async #fetchFrom(
    topic: Topic,
    leader: number,
    partitions: readonly number[],
    positions: ReadonlyMap<number, number>,
    maxBytes: number,
  ): Promise<fetchV17.FetchResponsePartition[]> {
    const broker = topic.brokers.get(leader);
    if (!broker) throw new StreamUnavailable(`Partition [${partitions[0]}] of topic [${this.#topic}] has no leader`);
    const fetch = await this.#fetchApi();
    const connection = await this.#consumer.connections.get(broker);
    const wanted = partitions.map((partition) => ({
      partition,
      currentLeaderEpoch: -1,
      fetchOffset: BigInt(positions.get(partition) ?? 0),
      lastFetchedEpoch: -1,
      partitionMaxBytes: maxBytes,
    }));
    try {
      const reply = await fetch.async(
        connection,
        maxWaitMs,
        1,
        maxBytes,
        this.#isolation,
        0,
        0,
        [{ topicId: topic.id, partitions: wanted }],
        [],
        '',
      );
      return reply.responses.flatMap((response) => response.partitions);
    } catch (error) {
      // The client throws when any partition has trouble; what it has read is with the error.
      if (!hasErrorCode(error, offsetOutOfRange)) throw error;
      const range = await this.#offsetsAt(partitions, -2n);
      const latest = await this.#offsetsAt(partitions, -1n);
      const lost = partitions.filter((partition) => {
        const position = positions.get(partition) ?? 0;
        return position < (range.get(partition) ?? 0) || position > (latest.get(partition) ?? 0);
      });
      const named = lost.length > 0 ? lost : partitions;
      throw new OffsetsOutOfRange(this.#topic, new Map(named.map((partition) => [partition, positions.get(partition) ?? 0])));
    }
  }

  // The newest version that both sides know. The ones before 13 name topics instead of giving their ids: a topic that was deleted and created again
  // would be taken for the old one.
  async #fetchApi() {
    this.#fetchVersion ??= (await this.#consumer.listApis()).find(({ name }) => name === 'Fetch')?.maxVersion ?? 0;
    const { fetchV13, fetchV14, fetchV15, fetchV16, fetchV17 } = this.#client;
    const known = [fetchV13, fetchV14, fetchV15, fetchV16, fetchV17];
    const found = known[Math.min(this.#fetchVersion, 17) - 13];
    if (!found)
      throw new StreamUnavailable(`The broker of topic [${this.#topic}] is older than Kafka 3.1, which is the oldest that can be read`);
    return found.api;
  }
  #fetchVersion: number | undefined;

  get #isolation(): number {
    return this.#access.isolationLevel === 'read_committed' ? 1 : 0;
  }

  #missing = () => new StreamUnavailable(`Topic [${this.#topic}] does not exist`);

  #unavailable(error: unknown): StreamUnavailable {
    if (error instanceof StreamUnavailable) return error;
    if (isUnknownTopic(error)) return this.#missing();
    const { reason, exceptionClass } = brokerTrouble(error, this.#access, this.#hasAnswered);
    return new StreamUnavailable(`Topic [${this.#topic}] at [${this.#access.shownBrokers}] cannot be read: ${reason}`, exceptionClass);
  }
}

const offsetOutOfRange = 1;
const manyRecords = 2000;
const maxWaitMs = 250; // how long a broker waits for records; those that come are told at once

function untilAborted<Answer>(answer: Promise<Answer>, signal: AbortSignal): Promise<Answer | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((settle, reject) => {
    const stop = () => settle(undefined);
    signal.addEventListener('abort', stop, { once: true });
    answer.then(settle, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

// A broker fills its reply partition by partition: each in turn is the first.
function rotate(positions: Map<number, number>): void {
  const [first] = positions;
  if (!first) return;
  positions.delete(first[0]);
  positions.set(...first);
}
