// Selection of segments: by id, by interval, or all of a datasource.
import type { Completer, Identified } from '../../../cli/command/command.ts';
import { datasourceNames } from '../../../cli/completion/completers.ts';
import { CommandError, UsageError } from '../../../cli/process/errors.ts';
import { metadata } from '../../../contract/metadata.ts';
import {
  flag,
  intervalText,
  listOf,
  optional,
  required,
  seconds,
  text,
} from '../../../contract/schema.ts';
import type { SegmentFilter } from '../../../contract/segments.ts';
import { InvalidTime } from '../../../model/instant.ts';
import { parseInterval } from '../../../model/interval.ts';
import { parseSegmentId } from '../../../model/segment.ts';
import { commandLine } from '../../../model/shell-text.ts';

export const selectionArguments = {
  dataSource: required(text, 'Name of the datasource'),
  segmentIds: optional(listOf(text), 'Segment ids'),
};

export const selectionOptions = {
  interval: optional(
    intervalText,
    'Segments inside this ISO interval, such as 2024-01-01/2024-02-01',
  ),
  version: optional(listOf(text), 'With --interval: only segments of this version'),
  all: optional(flag, 'All segments of the datasource'),
};

export const waitOptions = {
  wait: optional(flag, 'Wait until the servers have loaded or dropped the segments'),
  maxWait: optional(seconds, 'With --wait: timeout in seconds'),
};

const findUsedIds: Completer = async ({ call, values: [dataSource = ''] }) =>
  (await call(metadata.segmentsOf, { params: { dataSource }, body: null })).flatMap((segment) =>
    typeof segment === 'string' ? [segment] : [],
  );

const findUnusedIds: Completer = async ({ call, values: [dataSource = ''] }) =>
  (await call(metadata.unusedSegments, { params: { dataSource } })).flatMap(
    ({ dataSegment }) => dataSegment.identifier ?? [],
  );

export const completers = {
  dataSource: datasourceNames,
  segmentId: findUsedIds,
  segmentIds: findUsedIds,
};

export const completersOfUnused = { ...completers, segmentIds: findUnusedIds };

/**
 * Segment ids. A part is the beginning, with or without the datasource, or the end. The id of
 * partition 0 is never a part: the ids of the other partitions begin with it.
 */
export const identified: Identified = {
  what: 'segment',
  meant: (part, known, { dataSource }) => {
    const isBeginning = (id: string, beginning: string) =>
      id.startsWith(beginning) && !/^_\d+$/.test(id.slice(beginning.length));
    return known.filter(
      (id) =>
        isBeginning(id, part) || isBeginning(id, `${dataSource}_${part}`) || id.endsWith(part),
    );
  },
};

export const hints = {
  notFound: 'svcctl segments list shows the used segments, --unused the others',
};

export type Selection =
  | { readonly all: true }
  | { readonly id: string }
  | { readonly filter: SegmentFilter };

/** The one selection that was given; throws a usage error with the alternatives otherwise. */
export function selectionOf(
  {
    dataSource,
    segmentIds = [],
  }: { readonly dataSource: string; readonly segmentIds?: readonly string[] },
  {
    interval,
    version,
    all,
  }: { readonly interval?: string; readonly version?: readonly string[]; readonly all?: boolean },
): Selection {
  const ways = [segmentIds.length > 0, interval !== undefined, all === true].filter(Boolean).length;
  if (ways !== 1)
    throw new UsageError(
      'Name segments by their ids, by --interval, or by --all',
      'svcctl segments list --output name shows ids',
    );
  if (version && interval === undefined)
    throw new UsageError('--version needs --interval', 'svcctl help segments');
  if (all) return { all };
  if (interval !== undefined)
    return {
      filter: { interval: checkInterval(interval), ...(version && { versions: [...version] }) },
    };
  const [id, ...others] = segmentIds.map((id) => checkSegmentId(dataSource, id));
  return id !== undefined && others.length === 0
    ? { id }
    : { filter: { segmentIds: [...segmentIds] } };
}

/**
 * The unchanged id; throws (exit code 3) when it cannot be a segment of the datasource, with the
 * form of its ids.
 */
export function checkSegmentId(dataSource: string, id: string): string {
  if (parseSegmentId(dataSource, id)) return id;
  throw new CommandError(
    'notFound',
    `Segment [${id}] does not exist: ids of datasource [${dataSource}] are ${dataSource}_START_END_VERSION, and _PARTITION unless it is 0`,
    `${commandLine`svcctl segments list --datasource ${dataSource} --output name`} shows them`,
  );
}

/** The unchanged ISO interval; throws a usage error for an invalid one. */
export function checkInterval(interval: string): string {
  try {
    parseInterval(interval);
    return interval;
  } catch (error) {
    if (!(error instanceof InvalidTime)) throw error;
    throw new UsageError(
      `Invalid value for --interval: [${interval}] is not an ISO interval`,
      'an example: --interval 2024-01-01/2024-02-01',
    );
  }
}

/** The selection as a phrase: `2 segments of datasource [wikipedia]`. */
export function selectionInWords(dataSource: string, selection: Selection): string {
  if ('all' in selection) return `all segments of datasource [${dataSource}]`;
  if ('id' in selection) return `segment [${selection.id}]`;
  const { interval, segmentIds } = selection.filter;
  return interval
    ? `segments of datasource [${dataSource}] in [${interval}]`
    : `${segmentIds?.length} segments of datasource [${dataSource}]`;
}

/**
 * The number of changed segments in an answer; for a single segment, older services return only a
 * boolean.
 */
export const countChanged = (
  answer: { numChangedSegments?: number | null; segmentStateChanged?: boolean | null } | undefined,
): number => answer?.numChangedSegments ?? (answer?.segmentStateChanged ? 1 : 0);

export const countOfSegments = (count: number): string =>
  `${count} ${count === 1 ? 'segment' : 'segments'}`;
