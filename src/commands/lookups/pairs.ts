// The pairs of a lookup from two columns of delimited text.
import { UsageError } from '../../cli/process/errors.ts';
import { delimiterIn, recordsIn } from '../../model/delimited.ts';
import type { LookupDocument } from '../../model/lookup.ts';
import { nearest } from '../../model/nearest.ts';

interface Chosen {
  readonly keyColumn: string | undefined;
  readonly valueColumn: string | undefined;
}

/** The lookup of a file. Throws UsageError for unknown columns, and for a key with two values. */
export function pairsIn(
  text: string,
  file: string,
  { keyColumn, valueColumn }: Chosen,
): LookupDocument {
  const lines = text.replace(/^\uFEFF/, '');
  const delimiter = delimiterIn(lines.split(/\r?\n/, 20).filter(Boolean));
  const [header = [], ...records] = recordsIn(lines, delimiter);
  const [keyAt, valueAt] = [
    columnOf(header, keyColumn, 0, '--key-column', file),
    columnOf(header, valueColumn, 1, '--value-column', file),
  ];
  const map = new Map<string, string>();
  for (const [at, record] of records.entries()) {
    const [name, meaning] = [record[keyAt], record[valueAt]];
    if (name === undefined || meaning === undefined)
      throw new UsageError(
        `Record [${at + 1}] of file [${file}] has ${record.length} fields; the header has ${header.length}`,
      );
    const known = map.get(name);
    if (known !== undefined && known !== meaning)
      throw new UsageError(
        `Key [${name}] has two values in file [${file}]: [${known}] and [${meaning}]`,
        'a lookup has one value for each key',
      );
    map.set(name, meaning);
  }
  return { lookupExtractorFactory: { type: 'map', map: Object.fromEntries(map) } };
}

function columnOf(
  header: readonly string[],
  name: string | undefined,
  usual: number,
  flag: string,
  file: string,
): number {
  const at = name === undefined ? usual : header.indexOf(name);
  if (at >= 0 && at < header.length) return at;
  if (name === undefined)
    throw new UsageError(`File [${file}] has no second column`, `${flag} names a column`);
  const near = nearest(name, header);
  throw new UsageError(
    `Value [${name}] of ${flag} is not a column of file [${file}]: there are ${header.join(', ')}`,
    near && `did you mean ${near}?`,
  );
}
