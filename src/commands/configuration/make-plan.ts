// Construction of a plan from files: changes, removals, affected segments.
import type { Context } from '../../cli/command/command.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { metadata } from '../../contract/metadata.ts';
import { fileName, flag, folderName, optional, required } from '../../contract/schema.ts';
import { formatInstant } from '../../model/instant.ts';
import { findMaskedPath } from '../../model/secrets.ts';
import type { Cluster } from '../shared/configuration/area.ts';
import { areas } from '../shared/configuration/areas.ts';
import {
  type ConfigurationChange,
  changesBetween,
  desiredDocument,
} from '../shared/configuration/changes.ts';
import { readFiles } from '../shared/configuration/folder.ts';
import { areasNamed, type Live, readLive } from '../shared/configuration/live.ts';
import { concernsSegments, impactOf } from '../shared/configuration/touched.ts';
import { type Plan, planFormat } from './plan-file.ts';

export const dir = required(folderName, 'Folder of files, as written by svcctl export');

export const planOptions = {
  prune: optional(flag, 'Also remove objects that only the cluster has'),
  policy: optional(
    fileName,
    'Policy file (YAML); a plan that exceeds its limits is refused with exit code 9',
  ),
};

/** The endpoints for the segment counts. */
export const planEndpoints = [metadata.segments];

interface Wanted {
  readonly folder: string;
  readonly only?: string;
  readonly prune: boolean;
}

/**
 * Reads files and cluster, and counts segments; reports objects that exist only in the cluster and
 * stay.
 */
export async function makePlan(
  context: Context,
  cluster: Cluster,
  { folder, only, prune }: Wanted,
): Promise<Plan> {
  const { out, settings } = context;
  const wanted = readFiles(folder);
  const compared = areasNamed(only).filter(({ name }) => wanted.areas.includes(name));
  const live = await readLive(cluster, compared, context);
  const found = changesBetween(live, wanted);
  const changes = found.filter(({ kind }) => kind !== 'removed' || prune);
  const staying = found.length - changes.length;
  if (staying > 0)
    out.note(
      `${staying} ${staying === 1 ? 'thing' : 'things'} that only the cluster has ${staying === 1 ? 'stays: --prune removes it' : 'stay: --prune removes them'} away.`,
    );
  for (const change of changes) refuseMask(change, live);
  const impact = await countImpact(cluster, changes, live);
  return {
    format: planFormat,
    made: formatInstant(Date.now()),
    url: settings.url,
    service: settings.service,
    cluster: impact.cluster,
    touched: impact.all,
    changes: changes.map((change) => ({
      ...change,
      touched: impact.of.get(change) ?? impact.all,
    })) as Plan['changes'],
  };
}

async function countImpact(cluster: Cluster, changes: readonly ConfigurationChange[], live: Live) {
  if (!changes.some(concernsSegments)) return impactOf(changes, live, [], Date.now());
  const segments = await cluster.call(metadata.segments);
  return impactOf(changes, live, segments, Date.now());
}

const areaOf = ({ area }: Pick<ConfigurationChange, 'area'>) =>
  areas.find(({ name }) => name === area);

function refuseMask(change: ConfigurationChange, live: Live): void {
  const area = areaOf(change);
  if (!area || change.document === undefined) return;
  const has = live.get(change.area)?.get(change.name);
  if (findMaskedPath(desiredDocument(area, change.document, has), has) !== undefined)
    throw new UsageError(
      `The file of ${change.area} [${change.name}] has <masked> where the cluster has no secret`,
      'write the secret there, or where the service finds it: {"type": "environment", "variable": "NAME"}',
    );
}
