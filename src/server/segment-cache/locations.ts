// Locations of the segment cache (Druid: "Historical process", segmentCache.locations).
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { parseBytes } from '../../model/byte-size.ts';
import { parseJson } from '../../model/json.ts';
import type { CannotStart } from '../process/cannot-start.ts';
import type { Properties } from '../settings/properties.ts';
import { makeFolderPrivate } from '../storage/private-files.ts';

export interface CacheLocation {
  readonly folder: string; // absolute
  readonly maxBytes: number; // of all tables in it
}

/**
 * The locations of property `segmentCache.locations`, or the given folder by default; none when it
 * is an empty list. Each service has a folder of its own below a path, because services may share
 * it. Throws CannotStart for another value than a list of `{path, maxSize}`, and for a path that
 * cannot be written.
 */
export function cacheLocationsIn(
  properties: Properties,
  defaultFolder: string,
): readonly CacheLocation[] {
  const text = properties.text(property);
  if (text === undefined)
    return [{ folder: defaultFolder, maxBytes: maxServedBytesIn(properties) }];
  const list = listIn(text);
  if (!list) throw wrong(properties);
  return list.map((each) => {
    const { path, maxSize }: Record<string, unknown> = { ...each };
    const maxBytes = typeof maxSize === 'number' ? maxSize : parseBytes(String(maxSize));
    if (typeof path !== 'string' || path === '' || maxBytes === undefined || maxBytes < 0)
      throw wrong(properties);
    const service = createHash('sha256').update(resolve(defaultFolder)).digest('hex').slice(0, 16);
    const folder = join(resolve(path), `svcctl-${service}`);
    try {
      makeFolderPrivate(folder);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw properties.wrong(property, `names a path that cannot be written: ${reason}`);
    }
    return { folder, maxBytes };
  });
}

/** The size of segments that the Historical says it can serve. */
export const maxServedBytesIn = (properties: Properties): number =>
  properties.integer('server.maxSize', 50_000_000_000);

function listIn(text: string): readonly object[] | undefined {
  try {
    const value = parseJson(text);
    const isList = Array.isArray(value) && value.every((each) => typeof each === 'object' && each);
    return isList ? value : undefined;
  } catch {
    return undefined;
  }
}

const wrong = (properties: Properties): CannotStart =>
  properties.wrong(
    property,
    'is not a JSON list of locations, such as [{"path": "/data/segment-cache", "maxSize": "10g"}]',
  );

const property = 'segmentCache.locations';
