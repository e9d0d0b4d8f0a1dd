// Input formats of streams (Druid: ingestion/data-formats): the formats of files with one record
// each, and `kafka`, which adds Kafka's metadata.

import { invalidSpec, SpecFields } from '../../checks/spec-fields.ts';
import {
  type DelimitedFormat,
  type InputFormat,
  type JsonFormat,
  parseInputFormat,
} from '../../ingestion/input-format.ts';

export type ValueFormat = JsonFormat | DelimitedFormat;
export type KeyFormat = ValueFormat | { readonly type: 'lines' };

export interface StreamFormat {
  readonly value: ValueFormat;
  readonly metadata: MetadataColumns | undefined;
}

export interface MetadataColumns {
  readonly timestampColumn: string;
  readonly topicColumn: string;
  readonly keyColumn: string;
  readonly keyFormat: KeyFormat | undefined; // absent: keys are not read
  readonly headerPrefix: string;
  readonly headerEncoding: string | undefined; // absent: headers are not read
}

/**
 * Reads the inputFormat of a stream; throws a Refusal for one that is missing, unknown or
 * unsuitable for records.
 */
export function parseStreamFormat(format: SpecFields | undefined): StreamFormat {
  if (!format)
    return {
      value: valueFormat(new SpecFields({ type: 'json' }, 'inputFormat')),
      metadata: undefined,
    };
  if (format.values.type !== 'kafka') return { value: valueFormat(format), metadata: undefined };
  const header = format.optionalObject('headerFormat');
  const key = format.optionalObject('keyFormat');
  return {
    value: valueFormat(format.object('valueFormat')),
    metadata: {
      timestampColumn: format.optionalText('timestampColumnName') ?? 'kafka.timestamp',
      topicColumn: format.optionalText('topicColumnName') ?? 'kafka.topic',
      keyColumn: format.optionalText('keyColumnName') ?? 'kafka.key',
      keyFormat: key && keyFormat(key),
      headerPrefix: format.optionalText('headerColumnPrefix') ?? 'kafka.header.',
      headerEncoding: header && encodingOf(header),
    },
  };
}

const isValueFormat = (format: InputFormat): format is ValueFormat =>
  format.type === 'json' || format.type === 'csv' || format.type === 'tsv';

function valueFormat(fields: SpecFields): ValueFormat {
  const format = parseInputFormat(fields);
  if (!isValueFormat(format))
    throw invalidSpec(
      `Input format [${format.type}] cannot be read from a stream; supported are [json, csv, tsv, kafka]`,
    );
  return format;
}

function keyFormat(fields: SpecFields): KeyFormat {
  const format = parseInputFormat(fields);
  if (isValueFormat(format) || format.type === 'lines') return format;
  throw invalidSpec(
    `Key format [${format.type}] cannot be read from a stream; supported are [json, csv, tsv, lines]`,
  );
}

function encodingOf(header: SpecFields): string {
  header.type('KafkaHeaderFormat', ['string'], 'string');
  const encoding = header.optionalText('encoding') ?? 'UTF-8';
  try {
    return new TextDecoder(encoding).encoding;
  } catch {
    return header.refuse(`encoding [${encoding}] is unknown`);
  }
}
