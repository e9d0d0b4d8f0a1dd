// Records of a stream for the sampler (Druid: SeekableStreamSamplerSpec, KafkaSamplerSpec).

import { invalidSpec, type SpecFields } from '../../checks/spec-fields.ts';
import { type DataSchema, parseDataSchema } from '../../ingestion/data-schema.ts';
import type { Outside } from '../../ingestion/outside.ts';
import { checkConsumerProperties } from './consumer-properties.ts';
import { parseIoConfig } from './io-config.ts';
import { type RecordLines, recordLines } from './record-lines.ts';
import {
  OffsetsOutOfRange,
  type OpenReadStream,
  type StreamAddress,
  type StreamRecord,
  StreamUnavailable,
} from './stream.ts';
import { parseStreamFormat, type StreamFormat } from './stream-format.ts';

export interface StreamSampleSpec {
  readonly dataSchema: DataSchema;
  readonly address: StreamAddress;
  readonly format: StreamFormat;
  readonly useEarliestOffset: boolean;
}

/**
 * Reads the specification of a supervisor for its sample; throws a Refusal that names the invalid
 * field.
 */
export function parseStreamSample(fields: SpecFields, outside: Outside): StreamSampleSpec {
  fields.type('SupervisorSpec', ['kafka'], 'kafka');
  const spec = fields.optionalObject('spec') ?? fields; // old specifications have their parts at the top level
  const dataSchema = parseDataSchema(spec.object('dataSchema'));
  const io = spec.object('ioConfig');
  const { address, useEarliestOffset } = parseIoConfig(io, undefined);
  checkConsumerProperties(address.consumerProperties, outside);
  return {
    dataSchema,
    address,
    format: parseStreamFormat(io.optionalObject('inputFormat')),
    useEarliestOffset,
  };
}

/**
 * The first rows of a stream, or those that arrive until `signal` aborts. Refuses a stream that
 * cannot be read. Reads only up to the current end of the stream, and at most some megabytes.
 */
export async function sampleStream(
  { address, format, useEarliestOffset }: StreamSampleSpec,
  maxRows: number,
  open: OpenReadStream,
  signal: AbortSignal,
): Promise<RecordLines> {
  const end = new AbortController();
  const records: StreamRecord[] = [];
  try {
    const stream = await open(address);
    try {
      const partitions = await stream.partitions();
      if (partitions.length === 0)
        throw new StreamUnavailable(`No partitions found for stream [${address.topic}]`);
      const latest = await stream.latest(partitions);
      const from = useEarliestOffset ? await stream.earliest(partitions) : latest;
      const reading = { from, ...(useEarliestOffset && { to: latest }), maxBytes: maxBatchBytes };
      let sizeBytes = 0;
      for await (const batch of stream.read({
        ...reading,
        signal: AbortSignal.any([signal, end.signal]),
      })) {
        for (const record of batch.records) {
          if (records.length >= maxRows || sizeBytes >= maxBytes) break;
          sizeBytes += (record.value?.length ?? 0) + (record.key?.length ?? 0);
          records.push(record);
        }
        if (records.length >= maxRows || sizeBytes >= maxBytes) break;
      }
      return recordLines(records, address.topic, format);
    } finally {
      end.abort();
      await stream.close();
    }
  } catch (error) {
    if (error instanceof StreamUnavailable || error instanceof OffsetsOutOfRange)
      throw invalidSpec(error.message);
    throw error;
  }
}

const maxBatchBytes = 1024 * 1024;
const maxBytes = 16 * 1024 * 1024;
