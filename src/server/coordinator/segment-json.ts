// A segment as the interface shows it (Druid: DataSegment). It is made as text, because lists of 100,000 are asked for; a value is what the text says.
import type { DataSegment } from '../../contract/segments.ts';
import { formatInterval } from '../../model/interval.ts';
import { formatJson, parseJson } from '../../model/json.ts';
import { JsonPieces } from '../json-pieces.ts';
import type { SegmentRecord } from '../storage/segments.ts';

/**
 * The JSON of a segment. `added` is text of further fields at its end, each with a comma before it. Dimensions and metrics are names with commas between
 * them, not lists.
 */
export function segmentText(segment: SegmentRecord, added = ''): string {
  const { dataSource, interval, version, path, dimensions, metrics, shardSpec, lastCompactionState, sizeBytes, numRows, id } = segment;
  const loadSpec = path === undefined ? '{"type":"tombstone","path":null}' : `{"type":"local","path":${JSON.stringify(path)}}`;
  const compacted = lastCompactionState ? `,"lastCompactionState":${textOf(lastCompactionState, formatJson)}` : '';
  const rows = path === undefined ? '' : `,"totalRows":${numRows}`;
  return `{"dataSource":${JSON.stringify(dataSource)},"interval":"${formatInterval(interval)}","version":${JSON.stringify(version)},"loadSpec":${loadSpec},"dimensions":${textOf(dimensions, namesText)},"metrics":${textOf(metrics, namesText)},"shardSpec":${textOf(shardSpec, formatJson)}${compacted},"binaryVersion":9,"size":${sizeBytes}${rows},"identifier":${JSON.stringify(id)}${added}}`;
}

/** A list of segments, as an answer that is made while it is read. */
export const segmentList = (segments: readonly SegmentRecord[]): JsonPieces => JsonPieces.list(segments, (segment) => segmentText(segment));

/** A datasource with its segments, in the same way. */
export const dataSourcePieces = (name: string, segments: readonly SegmentRecord[]): JsonPieces =>
  JsonPieces.extended({ name, properties: {} }, 'segments', segmentList(segments));

/** A segment as a value. */
export const segmentJson = (segment: SegmentRecord) => parseJson(segmentText(segment)) as DataSegment;

const namesText = (names: readonly string[]) => JSON.stringify(names.join(','));

// Segments of one datasource mostly share these.
function textOf<Part extends object>(part: Part, write: (part: Part) => string): string {
  const known = texts.get(part);
  if (known !== undefined) return known;
  const text = write(part);
  texts.set(part, text);
  return text;
}
const texts = new WeakMap<object, string>();
