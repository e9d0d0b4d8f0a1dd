// Catalogs of the Broker: one per caller for queries, and one per segment source for SQL tasks.
import type { Catalog } from '../../sql/catalog.ts';
import { readableBy } from '../handlers/permissions.ts';
import type { Caller } from '../handlers/routes.ts';
import { openDoor } from '../http/guard.ts';
import { storedSegments } from '../segments/served-segments.ts';
import { createCatalog } from './catalog.ts';
import type { BrokerParts } from './parts.ts';
import { routines } from './routines.ts';
import { servedData } from './served-data.ts';
import { visibleTo } from './visible-data.ts';

export interface Catalogs {
  /**
   * The data that a caller may read. `useSegmentCache` in the context of a query tells whether its
   * tables are read in place of segment files.
   */
  ofCaller(caller: Caller, context?: Readonly<Record<string, unknown>>): Catalog;
  /**
   * The catalog of SQL tasks: segments in deep storage, loaded or not; for REALTIME, also the rows
   * of streams.
   */
  ofTasks(source: 'NONE' | 'REALTIME'): Catalog;
}

/** Throws CannotStart for an invalid property. */
export function createCatalogs(parts: BrokerParts): Catalogs {
  const { guard, lacked, lacking, properties, served, storage } = parts;
  const { segmentCache, ...others } = parts;
  const known = { ...others, routines: () => routines(lacking, lacked.functions) };
  const inTables = servedData({ ...known, served, segmentCache });
  const inFiles = servedData({ ...known, served });
  const storedCatalog = (scansRealtime: boolean) =>
    createCatalog(servedData({ ...known, served: storedSegments(storage), scansRealtime }));
  const taskCatalogs = { NONE: storedCatalog(false), REALTIME: storedCatalog(true) };
  const authorizesSystemTables = properties.truth(
    'sql.planner.authorizeSystemTablesDirectly',
    false,
  );
  return {
    ofCaller(caller, { useSegmentCache } = {}) {
      const source = String(useSegmentCache) === 'false' ? inFiles : inTables;
      if (guard === openDoor) return createCatalog(source);
      return readableBy(
        caller,
        createCatalog(visibleTo(source, caller, { authorizesSystemTables })),
      );
    },
    ofTasks: (source) => taskCatalogs[source],
  };
}
