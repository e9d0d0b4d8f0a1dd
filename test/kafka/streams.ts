// A service that reads the topics of the shared broker: what all Kafka stories need.
import { inject, onTestFinished } from 'vitest';
import { supervisors } from '../../src/contract/supervisors.ts';
import { callsTo } from '../support/calls.ts';
import { type KafkaClient, kafkaClient } from '../support/kafka.ts';
import { startService } from '../support/service.ts';
import { type SpecParts, streamSpec } from '../support/supervisors.ts';
import { api } from '../support/wire.ts';

/**
 * The addresses of the shared broker's listeners: `PLAINTEXT`, `SASL_PLAINTEXT`, `SSL`, `MUTUAL`,
 * `SASL_SSL`.
 */
export const brokers = inject('brokers');
export const hasBroker = 'PLAINTEXT' in brokers;

// The stories count every row once.
const exactCounts = { useApproximateCountDistinct: false };

/** The shared broker; its connections are closed with the test. */
export function broker(): KafkaClient {
  const client = kafkaClient(brokers.PLAINTEXT ?? '');
  onTestFinished(() => client.close());
  return client;
}

let count = 0;
/** A name that no other test of this run has. */
export const newName = (what: string): string => `${what}-${process.pid}-${++count}`;

/** An index_kafka task as a supervisor would submit it. */
export interface StreamTask {
  readonly topic: string;
  readonly dataSource: string;
  readonly start: Readonly<Record<string, number>>;
  readonly end?: Readonly<Record<string, number>>;
  readonly inputFormat?: Readonly<Record<string, unknown>>;
  readonly dataSchema?: Readonly<Record<string, unknown>>;
  readonly tuningConfig?: Readonly<Record<string, unknown>>;
  readonly ioConfig?: Readonly<Record<string, unknown>>;
}

export function streamTask(
  address: string,
  { topic, dataSource, start, end, inputFormat, dataSchema, tuningConfig, ioConfig }: StreamTask,
) {
  return {
    type: 'index_kafka',
    dataSchema: {
      dataSource,
      timestampSpec: { column: 'time', format: 'auto' },
      dimensionsSpec: { useSchemaDiscovery: true },
      granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'NONE', rollup: false },
      ...dataSchema,
    },
    tuningConfig: { type: 'kafka', ...tuningConfig },
    ioConfig: {
      type: 'kafka',
      taskGroupId: 0,
      baseSequenceName: `index_kafka_${dataSource}`,
      startSequenceNumbers: { type: 'start', stream: topic, partitionSequenceNumberMap: start },
      endSequenceNumbers: { type: 'end', stream: topic, partitionSequenceNumberMap: end ?? {} },
      consumerProperties: { 'bootstrap.servers': address },
      useTransaction: true,
      inputFormat: inputFormat ?? { type: 'json' },
      ...ioConfig,
    },
  };
}

/** Rows by a column; SQL itself orders rows by their time only. */
export const sorted = (
  rows: readonly Record<string, unknown>[],
  column: string,
): readonly Record<string, unknown>[] =>
  [...rows].sort((a, b) =>
    typeof a[column] === 'number'
      ? Number(a[column]) - Number(b[column])
      : String(a[column]) < String(b[column])
        ? -1
        : 1,
  );

/** A service of the test's own, with words for what the stories do. */
export async function reading(address: string) {
  const service = await startService();
  const http = api(service);
  const sql = async (query: string): Promise<readonly Record<string, unknown>[]> =>
    (await http.post('/svc/v2/sql', { query, context: exactCounts })).body;
  const submit = async (task: StreamTask): Promise<string> => {
    const { status, text, body } = await http.post(
      '/svc/indexer/v1/task',
      streamTask(address, task),
    );
    if (status !== 200) throw new Error(text);
    return body.task;
  };
  return {
    ...http,
    sql,
    submit,
    /** The rows of a SELECT that a task runs. */
    async selected(query: string, context: object = {}): Promise<readonly unknown[][]> {
      const { body } = await http.post('/svc/v2/sql/task', { query, context });
      await http.ended(body.taskId);
      return (await http.get(`/svc/indexer/v1/task/${body.taskId}/reports`)).body.multiStageQuery
        .payload.results.results;
    },
    /** How many rows queries see; 0 when there is no such table. */
    async rowsIn(dataSource: string): Promise<number> {
      const rows = await sql(`SELECT COUNT(*) AS n FROM "${dataSource}"`);
      return Array.isArray(rows) ? Number(rows[0]?.n) : 0;
    },
    report: async (task: string) =>
      (await http.get(`/svc/indexer/v1/task/${task}/reports`)).body.ingestionStatsAndErrors.payload,
    log: async (task: string) => (await http.get(`/svc/indexer/v1/task/${task}/log`)).text,
  };
}

/** What people say to a service about one topic and its supervisor. */
export function about(service: { url: string }, name: string, servers: string) {
  const call = callsTo(service);
  const http = api(service);
  const params = { supervisorId: name };
  const sql = async (query: string) =>
    (await http.post('/svc/v2/sql', { query, context: exactCounts })).body;
  return {
    ...http,
    call,
    params,
    sql,
    apply: (parts: SpecParts = {}) =>
      call(supervisors.submit, { body: streamSpec({ dataSource: name, servers, ...parts }) }),
    status: async () => (await call(supervisors.status, { params })).payload,
    /** How many rows there are, and how many different ones. */
    async counts() {
      const found = await sql(`SELECT COUNT(*) AS n, COUNT(DISTINCT added) AS d FROM "${name}"`);
      return Array.isArray(found) ? found[0] : { n: 0, d: 0 };
    },
    published: async () => {
      const found = await sql(
        `SELECT SUM(num_rows) AS n FROM sys.segments WHERE datasource = '${name}' AND is_published = 1`,
      );
      return Number(found[0]?.n ?? 0);
    },
  };
}
