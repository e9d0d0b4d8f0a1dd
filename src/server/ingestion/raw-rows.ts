// Raw rows of files: one column per field, without conversion. The engine reads them; the readers
// of the formats generate its SQL.
import { join } from 'node:path';
import { requestLimits } from '../../model/limits.ts';
import { requestLimitExceeded } from '../checks/refusals.ts';
import { writeSegmentFile } from '../engine/segment-file.ts';
import type { Session } from '../engine/session.ts';
import { quote } from '../engine/sql-text.ts';

/**
 * A field of the raw rows. JSON fields hold any JSON value except null; text fields hold a text, or
 * several texts separated by a delimiter.
 */
export interface RawField {
  readonly name: string;
  readonly sql: string; // the column of the raw table
  readonly kind: 'json' | 'text';
}

export interface RawRows {
  readonly table: string; // or a view, which reads files again
  readonly isView?: true;
  // Defines a view anew, over copies of the files that are valid UTF-8
  readonly readClean?: () => Promise<RawRows>;
  readonly fields: ReadonlyMap<string, RawField>;
  // Names of discoverable fields for dimensions, in input order
  readonly found: readonly string[];
  readonly keepsNulls?: boolean; // a field that is null is found
  // The column with times, in milliseconds, that DuckDB does not read (row-times.ts)
  readonly rowTime?: string;
  readonly rowNumber?: string; // the column with the number of a row, where the order may change
  // Columns that tell whether a row has a field, also one that is null, of `replaced` fields
  readonly hasField?: ReadonlyMap<string, string>;
  // Names of fields that a flattenSpec gives
  readonly flattened?: ReadonlySet<string>;
  // The column with the text of a row, where it was wanted and the input has lines of JSON
  readonly line?: string;
  // The column with a JSON list of the fields that a row has, where rows were wanted whole and have
  // no such text
  readonly present?: string;
  // The column with the text of an unreadable row; null for a readable one
  readonly badLine: string | undefined;
  readonly listDelimiter: string | undefined; // of text fields
  readonly parseNumbers: boolean; // text fields with numeric content are numbers
  readonly positioned: boolean; // lines of `files` can be counted
  readonly skip: number; // lines at the head of each file
  readonly keepsEmptyLines?: boolean; // each is a row
}

export interface WantedFields {
  readonly names: readonly string[]; // selected by name, whether they occur or not
  readonly discover: boolean; // also select all other fields
  readonly discoverNulls: boolean; // also select JSON fields that are null in all rows
  readonly replaced?: readonly string[]; // names that transforms give, too
  readonly maxRows?: number; // upper limit
  readonly whole?: true; // keep the text of each row, or the names of its fields
  readonly asView?: true; // rows that are too many for memory: a view instead of a table
}

/** The raw rows with their numbers, counted from 0, in the column `n`. */
export const numberedRows = ({
  table,
  isView,
  rowNumber = isView ? 'row_number() OVER () - 1' : 'rowid',
}: Pick<RawRows, 'isView' | 'rowNumber' | 'table'>): string =>
  `(SELECT *, ${rowNumber} AS n FROM ${table})`;

export interface ToStage extends WantedFields {
  readonly folder: string; // a staging folder
  readonly meanBytes: number; // of a line; 0 if not known
  readonly keepsEmptyLines: boolean; // of formats whose empty lines are rows
}

/** A query for parsed lines, and its columns. */
export interface ParsedLines {
  readonly query: string;
  readonly fields: readonly string[]; // of one type
  readonly others: readonly string[];
}

// Lines are costly to parse: of rows that are too many for memory, the result is kept on disk. The
// fields of a row are one list there, because DuckDB takes 4 MB for each column and thread of a
// file in the order of its rows.
export async function keepParsed(
  session: Session,
  table: string,
  { query, fields, others }: ParsedLines,
  { asView, folder, meanBytes }: Pick<ToStage, 'asView' | 'folder' | 'meanBytes'>,
): Promise<void> {
  if (!asView) {
    await session.run(`CREATE TEMP TABLE ${table} AS ${query}`);
    return;
  }
  const file = join(folder, `${table}.parquet`);
  const list = fields.length === 0 ? [] : [`[${fields.join(', ')}] AS parsed`];
  await writeSegmentFile(
    session,
    `SELECT ${[...list, ...others].join(', ')} FROM (${query})`,
    file,
    {
      compression: 'lz4_raw',
      mostRowsPerGroup: Math.max(
        1,
        Math.min(
          Math.floor(bytesAtOnce / Math.max(1, meanBytes)),
          Math.floor(valuesAtOnce / (fields.length + others.length)),
        ),
      ),
    },
  );
  const columns = fields.map((field, index) => `parsed[${index + 1}] AS ${field}`);
  await session.run(
    `CREATE OR REPLACE TEMP VIEW ${table} AS SELECT ${[...columns, ...others].join(', ')} FROM read_parquet(${quote(file)})`,
  );
}

// DuckDB takes at most the rows of one group at a time: each step of an expression over all fields
// has a value for each of them in memory.
const valuesAtOnce = 131_072;
const bytesAtOnce = 2 * 1024 ** 2;

export const created = ({ asView }: Pick<WantedFields, 'asView'>) =>
  asView ? 'CREATE OR REPLACE TEMP VIEW' : 'CREATE TEMP TABLE';

export function checkColumns(count: number): void {
  if (count > requestLimits.inputColumns.most)
    throw requestLimitExceeded('inputColumns', count, 'the input');
}

export const limitOf = ({ maxRows }: Pick<WantedFields, 'maxRows'>) =>
  maxRows === undefined ? '' : ` LIMIT ${maxRows}`;

export const noLines = "(SELECT ''::VARCHAR AS line WHERE false)";

export const textRows = (
  table: string,
  fields: readonly RawField[],
  rest: Pick<RawRows, 'listDelimiter' | 'parseNumbers' | 'skip'>,
): RawRows => ({
  table,
  fields: new Map(fields.map((field) => [field.name, field])),
  found: fields.map(({ name }) => name),
  badLine: undefined,
  positioned: true,
  ...rest,
});
