import { endpointNamed, type JournalStep, type Left } from '../../cli/command/journal.ts';
import type { CallEndpoint } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { lookups } from '../../contract/lookups.ts';
import { check } from '../../contract/schema.ts';
import { type SegmentUpdate, segments } from '../../contract/segments.ts';
import { commandLine } from '../../model/shell-text.ts';
import { versionAfter } from '../shared/configuration/lookups-area.ts';
import { countChanged, countOfSegments } from '../shared/segments/segment-selection.ts';
import type { DroppedSegments } from './dropped-segments.ts';

/**
 * Sends a step of an undo, with the id of the undone change as its comment. Returns the parts that
 * could not be undone.
 */
export async function sendStep(
  call: CallEndpoint,
  { endpoint: name, given }: JournalStep,
  id: string,
): Promise<readonly Left[]> {
  const endpoint = endpointNamed(name);
  const fresh = endpoint === lookups.set ? await withNewVersion(call, given) : given;
  const headers =
    endpoint.headers && 'comment' in endpoint.headers
      ? { comment: `svcctl undo ${id}` }
      : undefined;
  const reply = await (call as (endpoint: Endpoint, given: object) => Promise<unknown>)(endpoint, {
    ...fresh,
    ...(headers && { headers }),
  });
  if (!marks.has(endpoint)) return [];
  const { dataSource, segmentId } = given.params as { dataSource: string; segmentId?: string };
  const segmentIds =
    segmentId === undefined
      ? check(segments.markSomeUsed.body, given.body).segmentIds
      : [segmentId];
  return findUnchanged(
    dataSource,
    segmentIds ?? [],
    countChanged(reply as SegmentUpdate | undefined),
  );
}

// Replies of these endpoints hold the number of changed segments.
const marks: ReadonlySet<Endpoint> = new Set([
  segments.markUsed,
  segments.markUnused,
  segments.markSomeUsed,
  segments.markSomeUnused,
]);

/**
 * Marks segments as used after the rule that dropped them is gone. Returns the segments that are
 * still unused, and a remedy.
 */
export async function useAgain(
  call: CallEndpoint,
  { dataSource, since, before, areUnknown }: DroppedSegments,
): Promise<readonly Left[]> {
  const left: Left[] = [];
  for (let from = 0; from < since.length; from += mostIds) {
    const segmentIds = since.slice(from, from + mostIds);
    const reply = await call(segments.markSomeUsed, {
      params: { dataSource },
      body: { segmentIds },
    });
    left.push(...findUnchanged(dataSource, segmentIds, countChanged(reply)));
  }
  if (before.length > 0)
    left.push({
      says: `${countOfSegments(before.length)} of datasource [${dataSource}] that the rules keep again became unused before the change, and stay unused`,
      see: commandLine`svcctl segments list --datasource ${dataSource} --unused`,
    });
  if (areUnknown)
    left.push({
      says: `Segments of datasource [${dataSource}] that the rules have dropped stay unused; the service does not list them`,
      see: commandLine`svcctl segments mark-used ${dataSource} --interval START/END`,
    });
  return left;
}

const mostIds = 10_000;

function findUnchanged(
  dataSource: string,
  ids: readonly string[],
  changed: number,
): readonly Left[] {
  if (changed >= ids.length) return [];
  const says = `${ids.length - changed} of ${countOfSegments(ids.length)} of datasource [${dataSource}] did not change: deleted, replaced by newer ones, or changed before`;
  return [{ says, see: commandLine`svcctl segments list --datasource ${dataSource} --unused` }];
}

// The service accepts an old lookup only with a version newer than the current one.
async function withNewVersion(call: CallEndpoint, given: JournalStep['given']) {
  const params = given.params as { tier: string; lookup: string };
  const now = await call(lookups.get, { params }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  });
  return { params, body: { ...check(lookups.set.body, given.body), version: versionAfter(now) } };
}
