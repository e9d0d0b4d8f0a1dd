// Segment as the interface shows it (Druid: DataSegment). It is built as text because clients
// request lists of 100,000; a value is the parsed text.
import type { DataSegment } from '../../contract/segments.ts';
import { formatInterval } from '../../model/interval.ts';
import { formatJson, parseJson } from '../../model/json.ts';
import { isTombstone } from '../../model/segment.ts';
import { JsonPieces } from '../handlers/json-pieces.ts';
import type { SegmentRecord } from '../storage/segments.ts';

/**
 * The JSON of a segment without the fields that the version lacks. `added` is the text of further
 * fields at the end, each with a comma before it. Dimensions and metrics are comma-separated names,
 * not lists.
 */
export function segmentText(
  segment: SegmentRecord,
  lacked: ReadonlySet<string>,
  added = '',
): string {
  const {
    dataSource,
    interval,
    version,
    path,
    dimensions,
    metrics,
    shardSpec,
    lastCompactionState,
    sizeBytes,
    numRows,
    id,
  } = segment;
  const withoutFile = isTombstone(shardSpec) ? '{"type":"tombstone","path":null}' : '{}'; // of a stream, not published yet
  const loadSpec =
    path === undefined ? withoutFile : `{"type":"local","path":${JSON.stringify(path)}}`;
  const compacted = lastCompactionState
    ? `,"lastCompactionState":${sharedText(lastCompactionState)}`
    : '';
  const rows = path === undefined || lacked.has('totalRows') ? '' : `,"totalRows":${numRows}`;
  return `{"dataSource":${JSON.stringify(dataSource)},"interval":"${formatInterval(interval)}","version":${JSON.stringify(version)},"loadSpec":${loadSpec},"dimensions":${namesText(dimensions)},"metrics":${namesText(metrics)},"shardSpec":${sharedText(shardSpec)}${compacted},"binaryVersion":9,"size":${sizeBytes}${rows},"identifier":${JSON.stringify(id)}${added}}`;
}

/** A list of segments, as an answer that is generated while it is sent. */
export const segmentList = (segments: readonly SegmentRecord[]): JsonPieces =>
  JsonPieces.list(segments, segmentText);

/** A datasource with its segments, generated in the same way. */
export const dataSourcePieces = (
  name: string,
  segments: readonly SegmentRecord[],
  properties: Readonly<Record<string, string>> = {},
): JsonPieces => JsonPieces.extend({ name, properties }, 'segments', segmentList(segments));

/** A segment as a value with all fields. */
export const segmentJson = (segment: SegmentRecord) =>
  parseJson(segmentText(segment, new Set())) as DataSegment;

/** The JSON of a part that most segments of one datasource share, cached. */
export const sharedText = (part: object): string => cacheText(texts, part, formatJson);
const texts = new WeakMap<object, string>();

const namesText = (names: readonly string[]): string =>
  cacheText(namesTexts, names, () => JSON.stringify(names.join(',')));
const namesTexts = new WeakMap<object, string>();

function cacheText(
  known: WeakMap<object, string>,
  part: object,
  write: (part: object) => string,
): string {
  const found = known.get(part);
  if (found !== undefined) return found;
  const text = write(part);
  known.set(part, text);
  return text;
}
