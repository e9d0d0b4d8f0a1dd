import type { cluster } from '../../../contract/cluster.ts';
import type { Value } from '../../../contract/schema.ts';

/** The missing copies of each datasource, over all tiers, from a full load status. */
export function copiesByDatasource(
  tiers: Value<typeof cluster.loadStatus.reply.schema>,
): Map<string, number> {
  const missing = new Map<string, number>();
  for (const counts of Object.values(tiers)) {
    for (const [name, copies] of Object.entries(typeof counts === 'number' ? {} : counts))
      missing.set(name, (missing.get(name) ?? 0) + copies);
  }
  return missing;
}
