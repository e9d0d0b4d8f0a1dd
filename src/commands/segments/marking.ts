// Marking of segments as used or unused: the same selections with different endpoints.

import type { Context } from '../../cli/command/command.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { formatBytes } from '../../cli/lists/columns.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { metadata } from '../../contract/metadata.ts';
import { type DataSegment, type SegmentFilter, segments } from '../../contract/segments.ts';
import { contains, parseInterval } from '../../model/interval.ts';
import { checkKnown } from '../shared/datasources/known-datasource.ts';
import {
  countChanged,
  countOfSegments,
  type Selection,
  selectionInWords,
} from '../shared/segments/segment-selection.ts';
import { findUnusedSegments } from '../shared/segments/unused-segments.ts';

const endpoints = {
  used: { one: segments.markUsed, some: segments.markSomeUsed, all: segments.markAllUsed },
  unused: { one: segments.markUnused, some: segments.markSomeUnused, all: segments.markAllUnused },
} as const;

/** The endpoints of each command, for its declaration. */
export const endpointsOf = (state: keyof typeof endpoints) => [
  ...Object.values(endpoints[state]),
  state === 'unused' ? metadata.segments : metadata.unusedSegments,
];

/**
 * The planned change as a counted phrase: the segments of the selection that are in the other
 * state.
 */
export async function countMarked(
  context: Context,
  state: keyof typeof endpoints,
  dataSource: string,
  selection: Selection,
): Promise<string> {
  const words = selectionInWords(dataSource, selection);
  if ('id' in selection) return words;
  const listed =
    state === 'unused'
      ? await context.call(metadata.segments, { query: { datasources: [dataSource] } })
      : (await findUnusedSegments(context, dataSource))?.map(({ dataSegment }) => dataSegment);
  if (!listed) return words;
  const chosen =
    'all' in selection ? listed : listed.filter((segment) => isChosen(segment, selection.filter));
  if (chosen.length === 0) await checkKnown(context, dataSource);
  const size = chosen.reduce((sum, segment) => sum + Number(segment.size), 0);
  const most = state === 'used' && chosen.length > 0 ? 'at most ' : ''; // what newer segments replace stays unused
  return `${words}: ${most}${countOfSegments(chosen.length)}, ${formatBytes(size)}`;
}

function isChosen(
  { identifier, interval, version }: DataSegment,
  { interval: within, segmentIds, versions }: SegmentFilter,
): boolean {
  if (segmentIds) return segmentIds.includes(identifier ?? '');
  return (
    contains(parseInterval(within ?? ''), parseInterval(interval)) &&
    (!versions || versions.includes(version))
  );
}

/** Marks the selected segments; returns the number of changes. */
export async function mark(
  { call }: Context,
  state: keyof typeof endpoints,
  dataSource: string,
  selection: Selection,
): Promise<number> {
  const { one, some, all } = endpoints[state];
  if ('id' in selection)
    return countChanged(await call(one, { params: { dataSource, segmentId: selection.id } }));
  if ('all' in selection) return countChanged(await call(all, { params: { dataSource } }));
  return countChanged(await call(some, { params: { dataSource }, body: selection.filter }));
}

/**
 * Throws (exit code 3) when a given id does not exist. An unchanged segment may simply have been in
 * the state before.
 */
export async function checkAllKnown(
  context: Context,
  dataSource: string,
  selection: Selection,
  changed: number,
): Promise<void> {
  const ids = idsIn(selection);
  if (changed >= ids.length) return;
  const [used, unused] = await Promise.all([
    ifKnown(context.call(metadata.segments, { query: { datasources: [dataSource] } })),
    findUnusedSegments(context, dataSource),
  ]);
  if (!used || !unused) return; // unknown: access is limited, or the service is older
  const known = new Set([
    ...used.map(({ identifier }) => identifier),
    ...unused.map(({ dataSegment }) => dataSegment.identifier),
  ]);
  const unknown = ids.filter((id) => !known.has(id));
  const [first] = unknown;
  if (first === undefined) return;
  const others = unknown.length > 1 ? `, nor do ${unknown.length - 1} others of those named` : '';
  throw new CommandError(
    'notFound',
    `Segment [${first}] does not exist${others}; ${countOfSegments(changed)} changed`,
  );
}

const idsIn = (selection: Selection): readonly string[] =>
  'id' in selection
    ? [selection.id]
    : 'filter' in selection
      ? (selection.filter.segmentIds ?? [])
      : [];
