// Export destinations and their writers (Druid: multi-stage-query/reference, "EXTERN export
// destinations").
import { resolve } from 'node:path';
import type { IngestStatement } from '../../../sql/statement.ts';
import { Refusal } from '../../checks/refusals.ts';
import { isBelow } from '../../ingestion/local-files.ts';
import type { Outside } from '../../ingestion/outside.ts';
import { checkPlace, isBelowPlace, type ObjectPlace, uriOf } from '../../s3/place.ts';

export type ResolvedExportTarget = IngestStatement['target'] & { readonly kind: 'export' };

export type Destination =
  | { readonly type: 'local'; readonly folder: string }
  | { readonly type: 's3'; readonly place: ObjectPlace }; // its key has no trailing slash

/**
 * The destination of an export; throws a Refusal for one that this service does not support or may
 * not write to.
 */
export function exportDestination(
  { destination, format }: ResolvedExportTarget,
  outside: Outside,
): Destination {
  const { type, ...properties } = destination;
  if (type !== 'local' && type !== 's3')
    throw refuseExport(
      `Export destination [${String(type)}] is not available: use [local(exportPath => '...')] or [s3(bucket => '...', prefix => '...')]`,
    );
  const known = type === 'local' ? ['exportPath'] : ['bucket', 'prefix'];
  const unknown = Object.keys(properties).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw refuseExport(
      `Export destination [${type}] has no property [${unknown}]: known are [${known.join(', ')}] only`,
    );
  const [first = '', second = ''] = known.map((name) => {
    const value = properties[name];
    if (typeof value !== 'string' || value === '')
      throw refuseExport(`Export destination [${type}] needs the property [${name}]`);
    return value;
  });
  if (!(format in extensions))
    throw refuseExport(
      `Exporting as [${format.toUpperCase()}] format is not supported: use CSV or PARQUET`,
    );
  return type === 'local'
    ? { type, folder: checkFolder(first, outside) }
    : { type, place: checkPlaceAllowed(first, second, outside) };
}

const refuseExport = (message: string) => new Refusal('invalidInput', message);

const extensions: Readonly<Record<string, true>> = { csv: true, parquet: true };

function checkFolder(exportPath: string, { folders, ownFolder }: Outside): string {
  const folder = resolve(exportPath);
  if (folders.length === 0)
    throw refuseExport(
      'The service may not write local files. Start it with --allow-dir to allow a folder for local export',
    );
  const isOwn = ownFolder !== undefined && isBelow(folder, ownFolder);
  if (isOwn || !folders.some((allowed) => isBelow(folder, resolve(allowed))))
    throw refuseExport(
      `The provided destination [${exportPath}] must be below a folder that the service may write to (--allow-dir)`,
    );
  return folder;
}

function checkPlaceAllowed(bucket: string, prefix: string, { s3 }: Outside): ObjectPlace {
  s3.mustBeOn('Export destination [s3]');
  const { allowed, propertyName } = s3.exports;
  if (!allowed)
    throw refuseExport(
      `The runtime property \`${propertyName}\` must be configured for S3 export.`,
    );
  const place = placeOf(bucket, prefix);
  if (allowed.some((above) => isBelowPlace(place, above))) return place;
  throw refuseExport(
    `None of the allowed prefixes matched the input path [${uriOf(place)}]. Please reach out to the cluster admin for the whitelisted paths for export. The paths are controlled via the property \`${propertyName}\`.`,
  );
}

function placeOf(bucket: string, prefix: string): ObjectPlace {
  const [, key = ''] = /^\/*(.*?)\/*$/s.exec(prefix) ?? [];
  if (key === '')
    throw refuseExport('Export destination [s3] needs a [prefix] with more than slashes');
  try {
    return checkPlace({ bucket, key });
  } catch (error) {
    throw error instanceof Error
      ? refuseExport(`Export destination [s3] cannot be used: ${error.message}`)
      : error;
  }
}

/** Destination of an export for which files can be written. */
export interface ExportPlace {
  readonly folder: string; // for unfinished files, not visible to readers
  /** The export of the finished files with these names in the folder. */
  exportOf(files: readonly string[]): Export;
}

/** Finished files that are not visible to readers yet. */
export interface Export {
  publish(): Promise<void>;
  undo(): Promise<void>;
}

/** Names of the two files in the manifest folder, and the content of the first one. */
export const manifestFolder = '_symlink_format_manifest';
export const metaFile = { name: 'druid_export_meta', text: 'version: 1\n' };

/** Refuses a destination that is not empty. */
export const notEmpty = (destination: string) =>
  new Refusal(
    'runtimeFailure',
    `Found files at provided export destination[${destination}]. Export is only allowed to an empty path. Please provide an empty path/subdirectory or move the existing files.`,
  );
