// Parts that all roles share.
import { cacheLocationsIn } from '../segment-cache/locations.ts';
import { addressesOf } from './addresses.ts';
import { readConfiguration } from './configuration.ts';
import type { ServiceDependencies } from './dependencies.ts';
import { createQueryParts } from './query-parts.ts';
import { composeSecurity } from './security.ts';
import { createSegmentParts } from './segment-parts.ts';
import type { ServiceSettings } from './settings.ts';

export type SharedParts = Awaited<ReturnType<typeof createSharedParts>>;

/** Throws CannotStart for an invalid property. */
export async function createSharedParts(
  settings: ServiceSettings,
  dependencies: ServiceDependencies,
) {
  const { storage, clock, place } = dependencies;
  const configuration = readConfiguration(settings, storage);
  const addresses = addressesOf(settings, place);
  const locations = cacheLocationsIn(configuration.properties, storage.folder.segmentCache);
  const segmentParts = createSegmentParts(dependencies, configuration, addresses, locations);
  return {
    ...dependencies,
    ...configuration,
    addresses,
    security: await composeSecurity(settings, storage, configuration),
    ...segmentParts,
    ...createQueryParts(settings, storage, configuration, segmentParts.served, locations),
    now: clock.now,
  };
}
