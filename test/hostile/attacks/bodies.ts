// Bodies of requests that several classes of attacks share.

/** A native query over the demonstration data, with what it is given in addition. */
export const nativeOn = (query: object): object => ({
  dataSource: 'wikipedia',
  intervals: ['2000-01-01/2030-01-01'],
  ...query,
});

export interface Batch {
  readonly dataSource?: string;
  readonly inputSource: object;
  readonly inputFormat?: object;
  readonly transforms?: readonly object[];
  readonly filter?: object;
  readonly dimensions?: readonly unknown[];
  readonly metrics?: readonly object[];
  readonly granularitySpec?: object;
  readonly timestampSpec?: object;
  readonly tuningConfig?: object;
  readonly context?: object;
  readonly id?: string;
}

/** The specification of a batch ingestion into a datasource of the attacks. */
export function taskOf({
  dataSource = 'hostile',
  inputSource,
  inputFormat = { type: 'json' },
  transforms = [],
  filter,
  ...more
}: Batch): object {
  return {
    type: 'index_parallel',
    ...(more.id !== undefined && { id: more.id }),
    ...(more.context && { context: more.context }),
    spec: {
      dataSchema: {
        dataSource,
        timestampSpec: more.timestampSpec ?? {
          column: 't',
          format: 'auto',
          missingValue: '2024-01-01T00:00:00Z',
        },
        dimensionsSpec: { dimensions: more.dimensions ?? ['page'] },
        ...(more.metrics && { metricsSpec: more.metrics }),
        granularitySpec: more.granularitySpec ?? {
          segmentGranularity: 'DAY',
          queryGranularity: 'NONE',
          rollup: false,
        },
        transformSpec: { transforms, ...(filter && { filter }) },
      },
      ioConfig: { type: 'index_parallel', inputSource, inputFormat },
      tuningConfig: { type: 'index_parallel', maxNumConcurrentSubTasks: 1, ...more.tuningConfig },
    },
  };
}

export interface Sampling {
  readonly dimensions?: readonly unknown[];
  readonly transforms?: readonly object[];
  readonly filter?: object;
  readonly numRows?: number;
}

/** A question to the sampler about some text. */
export const sampled = (data: string, inputFormat: object, more: Sampling = {}): object =>
  sampledFrom({ type: 'inline', data }, inputFormat, more);

/** A question to the sampler about what an input source has. */
export const sampledFrom = (
  inputSource: object,
  inputFormat: object,
  { dimensions = [], transforms = [], filter, numRows = 10 }: Sampling = {},
): object => ({
  type: 'index_parallel',
  spec: {
    type: 'index_parallel',
    dataSchema: {
      dataSource: 'sample',
      timestampSpec: { column: 't', format: 'auto', missingValue: '2024-01-01T00:00:00Z' },
      dimensionsSpec: { dimensions },
      transformSpec: { transforms, ...(filter && { filter }) },
      granularitySpec: { rollup: false },
    },
    ioConfig: { type: 'index_parallel', inputSource, inputFormat },
    tuningConfig: { type: 'index_parallel' },
  },
  samplerConfig: { numRows, timeoutMs: 5000 },
});

/** The specification of a Kafka supervisor whose broker does not exist. */
export const supervisorOf = (
  consumerProperties: object,
  {
    dataSource = 'wiki',
    id,
    ioConfig,
    dataSchema,
    ...more
  }: {
    readonly dataSource?: string;
    readonly id?: string;
    readonly ioConfig?: object;
    readonly dataSchema?: object;
    readonly [more: string]: unknown;
  } = {},
): object => ({
  type: 'kafka',
  ...(id !== undefined && { id }),
  spec: {
    dataSchema: {
      dataSource,
      timestampSpec: { column: 't', format: 'auto' },
      dimensionsSpec: { dimensions: ['page'] },
      granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'NONE', rollup: false },
      ...dataSchema,
    },
    ioConfig: {
      topic: 'a',
      inputFormat: { type: 'json' },
      taskCount: 1,
      replicas: 1,
      taskDuration: 'PT1H',
      startDelay: 'PT0S',
      consumerProperties: { 'bootstrap.servers': '127.0.0.1:1', ...consumerProperties },
      ...ioConfig,
    },
    tuningConfig: { type: 'kafka' },
  },
  ...more,
});

/** Rows of EXTERN: some text in a format, with columns. */
export const externOf = (source: object, format: object, columns: string) =>
  `TABLE(EXTERN('${JSON.stringify(source).replaceAll("'", "''")}', '${JSON.stringify(format).replaceAll("'", "''")}')) EXTEND (${columns})`;
