// Records of a stream as lines of JSON objects, one per row: batch ingestion reads rows in this
// form, so that the next steps are shared.
import { isUtf8 } from 'node:buffer';
import { csvValues } from '../../ingestion/csv-lines.ts';
import type { StreamRecord } from './stream.ts';
import type { KeyFormat, StreamFormat, ValueFormat } from './stream-format.ts';
import { placeOf } from './topics.ts';

export interface RecordLines {
  readonly lines: readonly (string | Buffer)[]; // without line ends
  readonly records: readonly StreamRecord[]; // of each line: one can have several rows
  readonly tombstones: number; // records without a value, which have no line
  readonly headers: ReadonlySet<string>; // columns that come from headers
}

/**
 * The rows of records; `topic` applies to records without one. An unreadable record becomes a line
 * that is not a JSON object.
 */
export function recordLines(
  records: readonly StreamRecord[],
  topic: string,
  format: StreamFormat,
): RecordLines {
  const lines: (string | Buffer)[] = [];
  const owners: StreamRecord[] = [];
  const headers = new Set<string>();
  let tombstones = 0;
  for (const record of records) {
    if (!record.value) {
      tombstones++;
      continue;
    }
    const metadata =
      format.metadata &&
      JSON.stringify(
        metadataOf(record, placeOf(record.partition, topic).topic, format.metadata, headers),
      ).slice(1, -1);
    for (const line of linesOf(record.value, format.value)) {
      lines.push(metadata === undefined ? line : withMembers(line.toString(), metadata));
      owners.push(record);
    }
  }
  return { lines, records: owners, tombstones, headers };
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

function linesOf(value: Buffer, format: ValueFormat): (string | Buffer)[] {
  if (format.type !== 'json') return delimitedRows(value.toString(), format);
  if (!value.includes(lineFeed) && !value.includes(carriageReturn))
    return [isUtf8(value) && value.length > 0 ? value : value.toString() || ' '];
  const text = value.toString();
  // Line ends between JSON tokens are white space, so a text that is one value becomes one line.
  if (isJson(text)) return [text.replaceAll(/[\r\n]+/g, ' ')];
  const rows = text.split(/[\r\n]+/).filter((row) => row.trim() !== '');
  return rows.length > 1 && rows.every(isJson) ? rows : [text.replaceAll(/[\r\n]+/g, ' ')];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function delimitedRows(text: string, format: Exclude<ValueFormat, { type: 'json' }>): string[] {
  const given = text
    .split(/\r?\n/)
    .map((line) =>
      format.type === 'csv'
        ? csvValues(line)
        : line.split(format.delimiter).map((value) => value || null),
    )
    .filter((row) => row.length > 1 || row[0] !== null)
    .slice(format.skipHeaderRows);
  const columns = format.findColumnsFromHeader
    ? (given.shift() ?? []).map((name, index) => name ?? `column_${index + 1}`)
    : (format.columns ?? []);
  const parseValue = (value: string | null) => (format.tryParseNumbers ? numberOr(value) : value);
  const showValue = (value: string | null) =>
    value?.includes(format.listDelimiter)
      ? value.split(format.listDelimiter).map((item) => parseValue(item))
      : parseValue(value);
  return given.map((row) =>
    JSON.stringify(
      Object.fromEntries(columns.map((name, index) => [name, showValue(row[index] ?? null)])),
    ),
  );
}

const numberOr = (value: string | null) =>
  value !== null &&
  /^-?(\d+(?:\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(value) &&
  Number.isFinite(Number(value))
    ? Number(value)
    : value;

function metadataOf(
  { key, headers, timestampMs }: StreamRecord,
  topic: string,
  names: NonNullable<StreamFormat['metadata']>,
  seen: Set<string>,
): Record<string, unknown> {
  const columns: Record<string, unknown> = {
    [names.timestampColumn]: timestampMs,
    [names.topicColumn]: topic,
  };
  if (names.headerEncoding) {
    for (const [name, value] of headers) {
      const column = `${names.headerPrefix}${name?.toString() ?? ''}`;
      seen.add(column);
      columns[column] = value ? new TextDecoder(names.headerEncoding).decode(value) : null;
    }
  }
  if (names.keyFormat && key) columns[names.keyColumn] = keyValue(key.toString(), names.keyFormat);
  return columns;
}

// A key is one row, whose first value is the key (Druid: ingestion/kafka-ingestion, keyFormat).
function keyValue(key: string, format: KeyFormat): unknown {
  if (format.type === 'lines') return key;
  if (format.type === 'json') {
    try {
      const value: unknown = JSON.parse(key);
      return typeof value === 'object' && value !== null ? (Object.values(value)[0] ?? null) : null;
    } catch {
      return null;
    }
  }
  const row: unknown = JSON.parse(delimitedRows(key, format)[0] ?? '{}');
  return typeof row === 'object' && row !== null ? (Object.values(row)[0] ?? null) : null;
}

// Members are added in front: of equal names the last one counts, which is the record's own.
function withMembers(line: string, members: string): string {
  const object = line.trim();
  if (!object.endsWith('}') || !object.startsWith('{')) return line;
  const rest = object.slice(1).trimStart();
  return `{${members}${rest === '}' ? '' : ','}${rest}`;
}
