// The INSERT or REPLACE statement that reads files.
import { quotedName, quotedText } from '../../model/sql-text.ts';
import type { Guess, GuessedColumn } from './guess-columns.ts';
import type { TimeColumn } from './guess-time.ts';

export interface Target {
  readonly columns: readonly string[] | undefined; // those to store; all by default
  readonly where: string | undefined;
  readonly dataSource: string;
  readonly isReplaced: boolean;
  readonly partitionedBy: string;
}

export type ExternSource =
  | { readonly type: 'inline'; readonly data: string }
  | { readonly type: 'local'; readonly files: readonly string[] }
  | { readonly type: 'http'; readonly uris: readonly string[] };

/** The formatted statement, for reading and keeping. Inline data has no header lines. */
export function statementFor(
  { dataSource, isReplaced, partitionedBy, columns, where }: Target,
  source: ExternSource,
  guess: Guess,
  time: TimeColumn,
): string {
  const table = quotedName(dataSource);
  const others = storedColumns(guess, time, columns).map(({ name }) => quotedName(name));
  const signature = guess.columns.map(({ name, type }) => `${quotedName(name)} ${type}`);
  return [
    isReplaced ? `REPLACE INTO ${table} OVERWRITE ALL` : `INSERT INTO ${table}`,
    'SELECT',
    [`${time.sql} AS "__time"`, ...others].map((column) => `  ${column}`).join(',\n'),
    'FROM TABLE(',
    '  EXTERN(',
    `    ${quotedText(JSON.stringify(source))},`,
    `    ${quotedText(JSON.stringify(formatFor(source, guess)))}`,
    '  )',
    `) EXTEND (${signature.join(', ')})`,
    ...(where === undefined ? [] : [`WHERE ${where}`]),
    `PARTITIONED BY ${partitionedBy}`,
  ].join('\n');
}

/** The columns to store besides the time; `columns`: the names that the user wants. */
export const storedColumns = (
  guess: Guess,
  time: TimeColumn,
  columns: readonly string[] | undefined,
): readonly GuessedColumn[] =>
  guess.columns
    .filter(({ name }) => name !== time.column.name && name !== '__time')
    .filter(({ name }) => columns?.includes(name) ?? true);

/** The input format of a source, as in EXTERN and in native tasks. */
export function formatFor(
  { type }: ExternSource,
  { format, delimiter, hasHeader, columns }: Guess,
) {
  if (format === 'json' || format === 'parquet') return { type: format };
  const isOwn = ![',', '\t'].includes(delimiter);
  const sent = isOwn ? { type: 'csv' } : { type: format };
  const shape = isOwn && type !== 'inline' ? { type: 'tsv', delimiter } : sent;
  if (hasHeader && type !== 'inline') return { ...shape, findColumnsFromHeader: true };
  return { ...shape, columns: columns.map(({ name }) => name) };
}
