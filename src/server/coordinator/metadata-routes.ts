// What the metadata store knows, over HTTP (the specification, "Legacy metadata endpoints").

import { formatInstant } from '../../model/instant.ts';
import { overlaps, parseInterval } from '../../model/interval.ts';
import type { Routes } from '../routes.ts';
import { findSegment, listDataSources, listSegments } from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import { unknownHere } from './refusals.ts';
import { segmentJson } from './segment-json.ts';

export function metadataRoutes({ metadata, segments }: Storage): Partial<Routes<'metadata'>> {
  const usedOf = (dataSource: string) => listSegments(metadata, { dataSource, used: true });
  const full = (name: string) => ({ name, properties: {}, segments: usedOf(name).map(segmentJson) });
  const listed = (dataSource: string, query: { full?: boolean }, intervals?: readonly string[] | null) => {
    const wanted = intervals?.map(parseInterval);
    const found = usedOf(dataSource).filter((segment) => !wanted || wanted.some((interval) => overlaps(interval, segment.interval)));
    return query.full ? found.map(segmentJson) : found.map(({ id }) => id);
  };
  return {
    datasources({ query }) {
      const names = listDataSources(metadata, { includeUnused: Boolean(query.includeUnused || query.includeDisabled) });
      return query.full ? names.map(full) : names;
    },
    datasource({ params: { dataSource } }) {
      if (usedOf(dataSource).length === 0) throw unknownHere();
      return full(dataSource);
    },
    segmentsOf({ params: { dataSource }, query, body }) {
      if (usedOf(dataSource).length === 0) throw unknownHere();
      return listed(dataSource, query, body);
    },
    segmentsIn: ({ params: { dataSource }, query, body }) => listed(dataSource, query, body),
    segment({ params: { segmentId }, query }) {
      const found = findSegment(metadata, segmentId);
      if (!found || (!found.used && !query.includeUnused)) throw unknownHere();
      return segmentJson(found);
    },
    unusedSegments({ params: { dataSource }, query: { interval, limit, lastSegmentId, sortOrder = 'ASC' } }) {
      const unused = listSegments(metadata, { dataSource, used: false, ...(interval && { interval: parseInterval(interval) }) });
      const ordered = sortOrder.toUpperCase() === 'DESC' ? unused.reverse() : unused;
      const after = lastSegmentId === undefined ? 0 : ordered.findIndex(({ id }) => id === lastSegmentId) + 1;
      return ordered.slice(after, limit === undefined ? undefined : after + limit).map((segment) => ({
        dataSegment: segmentJson(segment),
        createdDate: formatInstant(segment.createdMs),
        usedStatusLastUpdatedDate: formatInstant(segment.usedStatusLastUpdatedMs),
      }));
    },
    segments({ query }) {
      const wanted = query.datasources?.length ? query.datasources : listDataSources(metadata);
      return wanted.flatMap((dataSource) => {
        const timeline = segments.timeline(dataSource);
        if (!query.includeOvershadowedStatus) return usedOf(dataSource).map(segmentJson);
        return usedOf(dataSource).map((segment) => ({
          ...segmentJson(segment),
          overshadowed: timeline.isOvershadowed(segment),
          replicationFactor: 1,
          numRows: segment.numRows,
          realtime: false,
        }));
      });
    },
  };
}
