// Paths of segment files below the data folder, safe for any datasource name.
import { createHash } from 'node:crypto';
import { formatInstant } from '../../model/instant.ts';
import type { Segment } from '../../model/segment.ts';

/** `segments/<datasource>/<start>_<end>/<version>/<partition>.parquet`, always with `/`. */
export const segmentPath = ({ dataSource, interval, version, partitionNum }: Segment): string =>
  [
    'segments',
    fileName(dataSource),
    fileName(`${formatInstant(interval.start)}_${formatInstant(interval.end)}`),
    fileName(version),
    `${partitionNum}.parquet`,
  ].join('/');

/**
 * A text as the name of one file or folder: distinct texts have distinct names, of at most 200
 * bytes, without special characters.
 */
export function fileName(text: string): string {
  const bytes = Buffer.from(text).toString('latin1'); // one character per byte
  const encoded = bytes.replace(
    /[^\w.-]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  // A leading dot would hide the file or name the folder itself.
  const name = encoded === '' ? '%' : encoded.replace(/^\./, '%2E');
  if (name.length <= 200) return name;
  return `${name.slice(0, 130)}~${createHash('sha256').update(text).digest('hex')}`; // other names contain no `~`
}
