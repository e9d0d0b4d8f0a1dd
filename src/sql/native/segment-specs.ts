// Queries of single segments (Druid: MultipleSpecificSegmentSpec): each is named by its interval,
// version and number, and only those that exist are read.
import { contains, formatInterval, type Interval, parseInterval } from '../../model/interval.ts';
import { identifiersOf } from '../expressions/column-names.ts';
import { isNode, listIn, type Node, nodeOf, textIn, wholeOr } from './members.ts';
import type { NativeSource, SourceSegment } from './source.ts';

/**
 * The source with only the segments that the intervals of a query name, without all others;
 * unchanged if they name none. The named interval may be a part of that of the segment.
 * Throws SqlError.
 */
export function onlyNamedSegments(source: NativeSource, intervals: unknown): NativeSource {
  if (!isNode(intervals) || intervals.type !== 'segments') return source;
  const named = new Map<string, Interval[]>();
  for (const node of listIn(intervals, 'segments', segmentNode)) {
    const partition = wholeOr(node, 'part', 0);
    const name = textIn(node, 'ver') + (partition === 0 ? '' : `_${partition}`);
    const parts = named.get(name) ?? [];
    parts.push(parseInterval(textIn(node, 'itvl')));
    named.set(name, parts);
  }
  return restrictedTo(source, ({ id, interval }) => {
    const times = `_${formatInterval(interval).replace('/', '_')}_`;
    const name = id.slice(id.lastIndexOf(times) + times.length);
    return named.get(name)?.some((part) => contains(interval, part)) ?? false;
  });
}

/** The intervals of the segments that a query names. Throws SqlError. */
export const namedSegmentIntervals = (intervals: Node): readonly string[] =>
  listIn(intervals, 'segments', (given) => textIn(segmentNode(given), 'itvl'));

const segmentNode = (given: unknown): Node => nodeOf(given, 'segments');

function restrictedTo(
  source: NativeSource,
  isNamed: (segment: SourceSegment) => boolean,
): NativeSource {
  const { segments, indexed } = source;
  if (!segments) return source;
  const only = (intervals: readonly Interval[]) => segments(intervals).filter(isNamed);
  return {
    ...source,
    ...(indexed && { indexed: restrictedTo(indexed, isNamed) }),
    segments: only,
    scan(wanted, intervals) {
      const name = identifiersOf(source.columns);
      const list = wanted.map(name).join(', ') || '1 AS "no column"';
      const texts = only(intervals).map(
        (segment) => `SELECT ${list} FROM ${segment.source.scan(wanted, intervals)}`,
      );
      return texts.length === 0
        ? `(SELECT ${list} FROM ${source.scan(wanted, [noTime])} WHERE false)`
        : `(${texts.join(' UNION ALL ')})`;
    },
  };
}

const noTime: Interval = { start: 0, end: 0 };
