// Shell commands \d, \dt and \df: tables, columns and functions from the service's
// INFORMATION_SCHEMA.

import { type Columns, columnsOf } from '../../../cli/lists/columns.ts';
import type { Output } from '../../../cli/output/output.ts';
import { CommandError } from '../../../cli/process/errors.ts';
import { quotedText } from '../../../model/sql-text.ts';
import type { AskLine } from '../../shared/sql/ask-lines.ts';
import { isOfSystem } from './complete.ts';

type Row = readonly string[];

/** Prints all tables, optionally with system tables; `pattern` has * and ?. */
export async function describeTables(
  ask: AskLine,
  out: Output,
  pattern: string | undefined,
  withSystem: boolean,
): Promise<void> {
  const rows = await ask(
    `SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM INFORMATION_SCHEMA.TABLES ${whereLike('TABLE_NAME', pattern)} ORDER BY 1, 2`,
  );
  const shown = rows.filter(([schema = '']) => withSystem || !isOfSystem(schema));
  if (shown.length === 0)
    return out.note(
      pattern === undefined ? 'There are no tables.' : `No table is like [${pattern}].`,
    );
  await out.rows(shown, columnsNamed('schema', 'name', 'type'));
}

/** Prints the columns of a table; its name may have a schema and quotes. */
export async function describeTable(ask: AskLine, out: Output, table: string): Promise<void> {
  const [, schema, name = ''] =
    /^(?:("[^"]+"|[^".]+)\.)?("[^"]+"|.+)$/s
      .exec(table)
      ?.map((part) => part?.replace(/^"(.*)"$/s, '$1')) ?? [];
  const ofSchema =
    schema === undefined ? '' : ` AND UPPER(TABLE_SCHEMA) = ${quotedText(schema.toUpperCase())}`;
  const rows = await ask(
    `SELECT COLUMN_NAME, DATA_TYPE, IS_NULLABLE FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = ${quotedText(name)}${ofSchema} ORDER BY ORDINAL_POSITION`,
  );
  if (rows.length === 0)
    throw new CommandError('notFound', `Table [${table}] does not exist`, '\\d lists the tables');
  await out.rows(rows, columnsNamed('column', 'type', 'nullable'));
}

/** Prints the functions with their signatures. */
export async function describeFunctions(
  ask: AskLine,
  out: Output,
  pattern: string | undefined,
): Promise<void> {
  const rows = await ask(
    `SELECT ROUTINE_NAME, IS_AGGREGATOR, SIGNATURES FROM INFORMATION_SCHEMA.ROUTINES ${whereLike('ROUTINE_NAME', pattern)} ORDER BY 1`,
  );
  if (rows.length === 0) return out.note(`No function is like [${pattern}].`);
  const shown = rows.map(([name = '', isAggregate, signatures = '']) => [
    name,
    isAggregate === 'YES' ? 'aggregate' : 'scalar',
    signatures === 'null' ? '' : signatures.replace(/^'|'$/g, '').replace(/'\n'/g, ', '),
  ]);
  await out.rows(shown, columnsNamed('name', 'kind', 'signatures'));
}

const columnsNamed = (...names: readonly string[]): Columns<Row> =>
  columnsOf<Row>(Object.fromEntries(names.map((name, at) => [name, (row: Row) => row[at]])));

// Names match in any case, and by their beginning.
function whereLike(column: string, pattern: string | undefined): string {
  if (pattern === undefined) return '';
  const like = pattern
    .toUpperCase()
    .replace(/[!%_]/g, '!$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_');
  return `WHERE UPPER(${column}) LIKE ${quotedText(/[*?]/.test(pattern) ? like : `${like}%`)} ESCAPE '!'`;
}
