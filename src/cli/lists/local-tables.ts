// In-memory SQL tables for joins over lists of several services. Adapter for SQLite, which is
// optional.

import { nearest } from '../../model/nearest.ts';
import { CommandError, UsageError } from '../process/errors.ts';
import { type Cell, type Column, type Columns, formatValue, timeIn } from './columns.ts';

export interface LocalTables {
  /**
   * The tables that a statement reads. Throws UsageError unless it is a single SELECT over these
   * tables.
   */
  readBy(statement: string): readonly string[];
  insert<T>(table: string, profile: string, rows: readonly T[], columns: Columns<T>): void;
  /** The rows of a statement, as lists, and its columns. Throws UsageError. */
  select(
    statement: string,
    parameters: readonly Cell[],
  ): { columns: Columns<readonly Cell[]>; rows: (readonly Cell[])[] };
  close(): void;
}

/**
 * Creates empty tables for lists: [profile], then the columns of the list. Throws CommandError when
 * SQLite is not installed.
 */
export async function localTables(
  lists: Readonly<Record<string, Columns<never>>>,
): Promise<LocalTables> {
  const { DatabaseSync, constants } = await import('@photostructure/sqlite').catch(() => {
    throw new CommandError(
      'failed',
      'SQL over the control plane needs the optional package [@photostructure/sqlite], which is not installed here',
      'npm install -g svcctl installs it if it supports this machine; --profile a,b combines lists without it',
    );
  });
  const database = new DatabaseSync(':memory:');
  for (const [table, columns] of Object.entries(lists)) {
    const names = ['profile', ...columns.map(({ name }) => name)].map(quote);
    database.exec(`CREATE TABLE ${quote(table)} (${names.join(', ')})`);
  }
  const truths = new Set<string>(); // boolean columns, a type that SQLite lacks
  const placeOf = (table: string | null, column: string | null) => `${table}.${column}`;
  let read = new Set<string>();
  const { SQLITE_READ, SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE, SQLITE_OK, SQLITE_DENY } =
    constants;
  const allowed = [SQLITE_READ, SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE];

  function prepare(statement: string) {
    refuseSeveral(statement);
    read = new Set();
    database.setAuthorizer((action, table) => {
      if (action === SQLITE_READ && table !== null && table in lists) read.add(table);
      return allowed.includes(action) ? SQLITE_OK : SQLITE_DENY;
    });
    try {
      return database.prepare(statement);
    } catch (error) {
      throw refusal(error as Error, Object.keys(lists));
    } finally {
      database.setAuthorizer(null);
    }
  }

  return {
    readBy(statement) {
      prepare(statement);
      return [...read];
    },
    insert(table, profile, rows, columns) {
      const names = ['profile', ...columns.map(({ name }) => name)].map(quote).join(', ');
      const insert = database.prepare(
        `INSERT INTO ${quote(table)} (${names}) VALUES (?${', ?'.repeat(columns.length)})`,
      );
      database.exec('BEGIN');
      for (const row of rows)
        insert.run(
          profile,
          ...columns.map((column) =>
            toSqlValue(column, column.value(row), () => truths.add(placeOf(table, column.name))),
          ),
        );
      database.exec('COMMIT');
    },
    select(statement, parameters) {
      const select = prepare(statement);
      select.setReturnArrays(true);
      select.setReadBigInts(true);
      const found = select.columns();
      const isTruth = found.map(({ table, column }) => truths.has(placeOf(table, column)));
      const columns = found.map(
        ({ name }, at): Column<readonly Cell[]> => ({
          name,
          value: (row) => row[at],
          isVerbatim: true,
          show: formatValue,
        }),
      );
      try {
        const rows = select.all(
          ...parameters.map((value) => sqliteValueOf(value)),
        ) as unknown as Cell[][];
        return {
          columns,
          rows: rows.map((row) => row.map((cell, at) => toCell(cell, isTruth[at] === true))),
        };
      } catch (error) {
        throw refusal(error as Error, Object.keys(lists));
      }
    },
    close: () => database.close(),
  };
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

// Times are stored as ISO texts: they sort correctly, and SQLite's time functions read them.
function toSqlValue(
  { kind }: { readonly kind?: Column<never>['kind'] },
  cell: Cell,
  truth: () => void,
) {
  if (typeof cell === 'boolean') truth();
  const time =
    kind === 'time' && cell !== null && cell !== undefined && cell !== ''
      ? timeIn(cell)
      : undefined;
  return time === undefined ? sqliteValueOf(cell) : new Date(time).toISOString();
}

const sqliteValueOf = (cell: Cell) => (typeof cell === 'boolean' ? Number(cell) : (cell ?? null));

function toCell(cell: Cell, isTruth: boolean): Cell {
  if (typeof cell !== 'bigint') return cell;
  if (isTruth) return cell !== 0n;
  return cell >= Number.MIN_SAFE_INTEGER && cell <= Number.MAX_SAFE_INTEGER ? Number(cell) : cell;
}

// SQLite would run only the first of several statements, without an error.
function refuseSeveral(statement: string) {
  const bare = statement.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
  if (/;\s*\S/.test(bare))
    throw new UsageError('The text has more than one statement', 'run one after the other');
}

function refusal({ message }: Error, tables: readonly string[]): UsageError {
  const [, unknown] = /^no such table: (.*)$/.exec(message) ?? [];
  if (unknown !== undefined) {
    const near = nearest(unknown, tables);
    return new UsageError(
      `Table [${unknown}] does not exist: there are ${[...tables].sort().join(', ')}`,
      near && `did you mean ${near}?`,
    );
  }
  if (/not authorized/i.test(message))
    return new UsageError('SQL over the control plane only reads: use SELECT');
  return new UsageError(
    `The statement cannot be read: ${message}`,
    'it is read here, by SQLite: https://www.sqlite.org/lang_select.html',
  );
}
