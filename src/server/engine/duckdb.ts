// DuckDB in this process, locked down; the only file that loads it. The low-level package loads
// three times faster than the high-level one, and can read whole columns.
import type { Bindings, DuckDbConnection } from './bindings.ts';
import { type RegisteredFunction, registerScalarFunction } from './scalar-functions.ts';
import { quote } from './sql-text.ts';
import { groupTableSetting } from './uncounted-memory.ts';

export interface DatabaseSettings {
  // absolute; queries and COPY can access only these
  readonly allowedFolders: readonly string[];
  readonly spillFolder: string;
  readonly maxSpillBytes: number;
  readonly memoryLimitBytes: number;
  readonly threads: number;
  readonly macros: readonly string[]; // CREATE MACRO statements
  readonly scalarFunctions: readonly RegisteredFunction[];
  readonly isLocked?: boolean; // SQL cannot change the configuration, not even the memory limit
}

/** An open instance. Its SQL can access only files in its folders. */
export interface Database {
  readonly duckdb: Bindings;
  /** Temporary tables and views live as long as their connection. */
  connect(): Promise<DuckDbConnection>;
  close(): void;
}

/** Loads DuckDB and opens an instance in memory. Rejects with DuckDB's error. */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const { default: duckdb } = await import('@duckdb/node-bindings');
  const database = await duckdb.open(':memory:');
  const connection = await duckdb.connect(database);
  for (const scalarFunction of settings.scalarFunctions)
    registerScalarFunction(duckdb, connection, scalarFunction);
  await duckdb.query(
    connection,
    [...settings.macros.map(withoutSemicolon), ...configuration(settings)].join(';\n'),
  );
  duckdb.disconnect_sync(connection);
  return {
    duckdb,
    connect: () => duckdb.connect(database),
    close: () => duckdb.close_sync(database),
  };
}

/** The statement that sets the memory limit of an instance with an unlocked configuration. */
export const memoryLimit = (bytes: number): string => `SET memory_limit = '${Math.floor(bytes)}B'`;

const withoutSemicolon = (statement: string) => statement.trim().replace(/;$/, '');

const configuration = ({
  allowedFolders,
  spillFolder,
  maxSpillBytes,
  memoryLimitBytes,
  threads,
  isLocked = false,
}: DatabaseSettings) => [
  `SET threads = ${threads}`,
  memoryLimit(memoryLimitBytes),
  `SET temp_directory = ${quote(spillFolder)}`,
  `SET max_temp_directory_size = '${maxSpillBytes}B'`,
  `SET TimeZone = 'UTC'`,
  // Nulls are the lowest values: first when ascending, last when descending.
  `SET default_null_order = 'nulls_first_on_asc_last_on_desc'`,
  'SET preserve_insertion_order = true',
  // Freed memory goes back to the operating system during a statement, not only after it.
  'SET allocator_background_threads = true',
  // It may return parts of an earlier file of the same path, and the operating system has a cache.
  'SET enable_external_file_cache = false',
  'SET autoinstall_known_extensions = false',
  'SET autoload_known_extensions = false',
  `SET allowed_directories = [${allowedFolders.map(quote).join(', ')}]`,
  'SET enable_external_access = false',
  ...(isLocked
    ? [`SET allowed_configs = ['${groupTableSetting}']`, 'SET lock_configuration = true']
    : []),
];
