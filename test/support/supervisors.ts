// Specifications of supervisors, as people write them.
export interface SpecParts {
  readonly id?: string;
  readonly dataSource?: string;
  readonly topic?: string;
  readonly servers?: string; // of Kafka
  readonly suspended?: boolean;
  readonly ioConfig?: object;
  readonly tuningConfig?: object;
  readonly dataSchema?: object;
  readonly context?: Record<string, unknown>;
}

/** A supervisor of one topic; without servers, of a broker that is not there. */
export function streamSpec(parts: SpecParts = {}) {
  const {
    id,
    dataSource = 'edits',
    topic = dataSource,
    servers = '127.0.0.1:1',
    suspended,
    context,
  } = parts;
  return {
    type: 'kafka',
    ...(id !== undefined && { id }),
    spec: {
      dataSchema: {
        dataSource,
        timestampSpec: { column: 'time', format: 'iso' },
        dimensionsSpec: { dimensions: ['page', { type: 'long', name: 'added' }] },
        granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'NONE', rollup: false },
        ...parts.dataSchema,
      },
      ioConfig: {
        type: 'kafka',
        topic,
        inputFormat: { type: 'json' },
        consumerProperties: { 'bootstrap.servers': servers },
        useEarliestOffset: true,
        taskDuration: 'PT1H',
        startDelay: 'PT0S',
        period: 'PT1S',
        ...parts.ioConfig,
      },
      tuningConfig: { type: 'kafka', ...parts.tuningConfig },
    },
    ...(context && { context }),
    ...(suspended !== undefined && { suspended }),
  };
}
