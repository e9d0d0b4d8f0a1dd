// Engine, planner and segment cache: the parts that plan and run queries.
import { plainMacros } from '../../sql/runtime/macros.ts';
import { Engine } from '../engine/engine.ts';
import { mostKeptValues } from '../engine/uncounted-memory.ts';
import { Planner } from '../planning/planner.ts';
import type { CacheLocation } from '../segment-cache/locations.ts';
import { SegmentCache } from '../segment-cache/segment-cache.ts';
import type { ServedSegments } from '../segments/served-segments.ts';
import type { Storage } from '../storage/storage.ts';
import type { Configuration } from './configuration.ts';
import type { ServiceSettings } from './settings.ts';

/** DuckDB loads in the background until `engineReady`. */
export function createQueryParts(
  settings: ServiceSettings,
  storage: Storage,
  configuration: Configuration,
  served: ServedSegments,
  locations: readonly CacheLocation[],
) {
  const folders = locations.map(({ folder }) => folder);
  const engine = createEngine(settings, storage, configuration, folders);
  const segmentCache = new SegmentCache({ storage, served, engine, locations });
  const engineReady = engine.ready();
  engineReady.catch(() => undefined); // callers that await it get the error
  const planner = new Planner({
    heapBytes: heapOfPlanning(engine.limits.memoryBytes),
    memory: engine.memory,
    lacking: configuration.lacking,
    version: settings.engineVersion,
    mostKeptValues: mostKeptValues(engine.limits.memoryBytes),
  });
  return { engine, engineReady, planner, segmentCache };
}

function createEngine(
  { allowedFolders, memoryBytes }: ServiceSettings,
  { folder }: Storage,
  { properties, outside }: Configuration,
  cacheFolders: readonly string[],
): Engine {
  const { tempFolder } = outside.s3.exports;
  const maxQueries = properties.integer('query.scheduler.numThreads', 0); // Druid: "Query prioritization and laning"; 0 means as many as fit
  return new Engine({
    allowedFolders: [
      folder.path,
      ...allowedFolders,
      ...(tempFolder === undefined ? [] : [tempFolder]),
      ...cacheFolders,
    ],
    spillFolder: folder.spill,
    macros: plainMacros,
    ...(memoryBytes !== undefined && { memoryLimitBytes: memoryBytes }),
    ...(maxQueries > 0 && { maxQueries }),
  });
}

// For each planning process: a list of a million values needs half of the maximum.
const heapOfPlanning = (memoryBytes: number) =>
  Math.min(1024 ** 3, Math.max(256 * 1024 ** 2, memoryBytes / 4));
