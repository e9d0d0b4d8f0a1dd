// Segments of a service: retention rules, served segments, rows of streams, and their servers.
import { serversOf } from '../cluster/cluster.ts';
import { historyMsIn } from '../configuration/audit-history.ts';
import { RetentionRules } from '../configuration/retention-rules.ts';
import { decommissionedSince } from '../coordinator/decommissioning.ts';
import type { CacheLocation } from '../segment-cache/locations.ts';
import { RealtimeRows } from '../segments/realtime-rows.ts';
import { ServedSegments } from '../segments/served-segments.ts';
import type { RoleAddresses } from './addresses.ts';
import type { Configuration } from './configuration.ts';
import type { ServiceDependencies } from './dependencies.ts';

export function createSegmentParts(
  { storage, clock, place }: ServiceDependencies,
  { dialect, host, program, properties }: Configuration,
  { historical }: RoleAddresses,
  locations: readonly CacheLocation[],
) {
  const { metadata } = storage;
  const { now } = clock;
  const stored = { metadata, dialect, now, historyMs: historyMsIn(properties) };
  const rules = new RetentionRules(stored);
  const served = new ServedSegments(storage, rules, now, () =>
    decommissionedSince(metadata, historical()),
  );
  const startMs = now();
  const maxServedBytes = properties.integer('server.maxSize', 50_000_000_000); // the reported capacity of the Historical
  const servers = () =>
    serversOf({
      version: program.version,
      host,
      place,
      startMs,
      servedBytes: () => served.sizeBytes(),
      broadcastBytes: () => served.broadcastBytes(),
      maxServedBytes,
      storageBytes: locations.reduce((sum, { maxBytes }) => sum + maxBytes, 0),
    });
  return { stored, rules, served, realtime: new RealtimeRows(), servers };
}
