import { type Context, command } from '../../cli/command/command.ts';
import { type Finding, findingColumns, printFindings } from '../../cli/command/findings.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { ServiceError } from '../../client/errors.ts';
import { cluster } from '../../contract/cluster.ts';
import { config } from '../../contract/config.ts';
import { datasources } from '../../contract/datasources.ts';
import { metadata } from '../../contract/metadata.ts';
import { rules } from '../../contract/rules.ts';
import { required, text } from '../../contract/schema.ts';
import type { DataSegment } from '../../contract/segments.ts';
import { formatInterval, overlaps, parseInterval } from '../../model/interval.ts';
import { rulesAt } from '../../model/retention-rule.ts';
import { parseSegmentId } from '../../model/segment.ts';
import { commandLine } from '../../model/shell-text.ts';
import { identified } from '../shared/segments/segment-selection.ts';
import { findUnusedSegments } from '../shared/segments/unused-segments.ts';
import { copiesOf } from './segment-copies.ts';
import { ruleFinding } from './segment-rule.ts';

export const segment = command({
  summary: 'Explain why a segment is or is not loaded',
  description:
    'Prints one line per link of the chain of causes, with a remedy where one is known; -o json has the numbers behind it.',
  examples: [
    'svcctl why segment "$(svcctl segments list --datasource wikipedia --output wide --columns id --limit 1 --no-header --output name)"',
  ],
  endpoints: [
    metadata.segment,
    metadata.segments,
    metadata.unusedSegments,
    metadata.datasources,
    rules.get,
    datasources.segment,
    cluster.servers,
    cluster.loadQueue,
    config.get,
  ],
  arguments: { segmentId: required(text, 'Segment id') },
  completers: {
    segmentId: async ({ call }) =>
      (await call(metadata.segments)).flatMap(({ identifier }) => identifier ?? []),
  },
  ids: { segmentId: identified },
  hints: { notFound: 'svcctl segments list shows the used segments, --unused the others' },
  columns: findingColumns,
  async run(context, { args: { segmentId } }) {
    await printFindings(context, await chainOf(context, segmentId));
  },
});

async function chainOf(context: Context, segmentId: string): Promise<readonly Finding[]> {
  const { call } = context;
  const { dataSource, found, unusedSince, isGone } = await findSegment(context, segmentId);
  const [others, applied] = await Promise.all([
    call(metadata.segments, {
      query: { datasources: [dataSource], includeOvershadowedStatus: true },
    }),
    call(rules.get, { params: { dataSource }, query: { full: true } }),
  ]);
  const own = (await call(rules.get, { params: { dataSource } })).length;
  const interval = parseInterval(found.interval);
  const rule = rulesAt(applied, Date.now())(interval);
  const newer = others.filter(
    (other) =>
      other.overshadowed !== true &&
      other.version > found.version &&
      overlaps(parseInterval(other.interval), interval),
  );
  const isOvershadowed = others.some(
    ({ identifier, overshadowed }) => identifier === segmentId && overshadowed === true,
  );
  const isUsed = unusedSince === undefined && !isGone;
  return [
    {
      check: 'known',
      state: isGone ? 'note' : 'ok',
      says: `${isGone ? 'By its id it is' : 'It is in the metadata store, as'} data of [${dataSource}] in [${formatInterval(interval)}]`,
      facts: found,
    },
    usedFinding(segmentId, dataSource, isGone ? 'unlisted' : unusedSince, newer.length > 0),
    ...(isOvershadowed || (!isUsed && newer.length > 0) ? [overshadowing(newer)] : []),
    ruleFinding(dataSource, rule, applied, own),
    ...(isUsed && !isOvershadowed
      ? await copiesOf(context, dataSource, segmentId, found, rule)
      : []),
  ];
}

interface Found {
  readonly dataSource: string;
  readonly found: DataSegment;
  readonly unusedSince?: string | undefined;
  readonly isGone?: true; // unused, and the service is too old to list unused ones
}

// A datasource name may hold underscores, so an id can be parsed only with the list of datasources.
async function findSegment(context: Context, segmentId: string): Promise<Found> {
  const { call } = context;
  const names = await call(metadata.datasources, { query: { includeUnused: true } });
  const dataSource = names
    .flatMap((name) => (typeof name === 'string' ? name : name.name))
    .filter((name) => parseSegmentId(name, segmentId))
    .sort((a, b) => b.length - a.length)[0];
  if (dataSource === undefined) throw unknown(segmentId, 'no datasource has such an id');
  const params = { dataSource, segmentId };
  const used = await call(metadata.segment, { params }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  });
  if (used) return { dataSource, found: used };
  const parsed = parseSegmentId(dataSource, segmentId);
  const interval = parsed && formatInterval(parsed.interval);
  const unused = await findUnusedSegments(context, dataSource, interval);
  if (unused === undefined && parsed && interval)
    return {
      dataSource,
      found: { dataSource, interval, version: parsed.version, size: 0, identifier: segmentId },
      isGone: true,
    };
  const record = unused?.find(
    ({ dataSegment }) => dataSegment.identifier === segmentId || idOf(dataSegment) === segmentId,
  );
  if (record)
    return {
      dataSource,
      found: record.dataSegment,
      unusedSince: record.usedStatusLastUpdatedDate ?? 'an unknown time',
    };
  throw unknown(segmentId, 'it was deleted for good, or never published');
}

const unknown = (segmentId: string, why: string) =>
  new CommandError('notFound', `Segment [${segmentId}] is unknown: ${why}`);

// Some versions return unused segments without their id.
function idOf({ dataSource, interval, version, shardSpec }: DataSegment): string {
  const number = Number(shardSpec?.partitionNum ?? 0);
  return `${dataSource}_${interval.replace('/', '_')}_${version}${number === 0 ? '' : `_${number}`}`;
}

function usedFinding(
  segmentId: string,
  dataSource: string,
  since: string | undefined,
  isReplaced: boolean,
): Finding {
  if (since === undefined) return { check: 'used', state: 'ok', says: 'It is in use' };
  return {
    check: 'used',
    state: 'critical',
    says:
      since === 'unlisted'
        ? 'It is out of use or was deleted for good, so no server loads it; the service is too old to say which'
        : `It is out of use since ${since}, so no server loads it`,
    ...(!isReplaced && {
      remedy: commandLine`svcctl segments mark-used ${dataSource} ${segmentId}`,
    }),
  };
}

function overshadowing(newer: readonly DataSegment[]): Finding {
  const names = newer.map((segment) => segment.identifier ?? idOf(segment));
  const [first] = names;
  const shown = names.slice(0, 3).map((name) => `[${name}]`);
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return {
    check: 'newest',
    state: 'critical',
    says: `Newer segments replace it: ${shown.join(', ')}${more}`,
    ...(first !== undefined && { remedy: commandLine`svcctl why segment ${first}` }),
    facts: { overshadowedBy: names },
  };
}
