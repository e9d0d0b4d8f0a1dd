// Metadata store: the state of the service, durable before it is acknowledged. The only file that
// uses SQLite.

import { basename } from 'node:path';
import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementSyncInstance,
} from '@photostructure/sqlite';
import { formatJson, parseJson } from '../../model/json.ts';
import { lacksRoom, withPlace } from '../checks/disk-full.ts';
import { migrations } from './migrations/index.ts';
import { makePrivate } from './private-files.ts';

export type SqlValue = null | number | string | Uint8Array;

/**
 * Reads and writes of one unit. All of them throw DiskFull when there is no room for their writes.
 * `Row` is the type of the statement's columns: SQLite refuses integers beyond 2^53 and does not
 * round them.
 */
export interface Transaction {
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  /**
   * Columns of very many rows, each as a list; `from` is the text after FROM. Integers must be
   * safe, and blobs are not supported. The result is one JSON text, because passing each value from
   * SQLite separately costs more than finding it.
   */
  lists<Row extends readonly unknown[]>(
    columns: readonly string[],
    from: string,
    ...values: SqlValue[]
  ): Row[];
  /** Returns how many rows changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /**
   * Inserts a row; its values have the order of `columns`. `onConflict` is the clause of this name.
   * Returns how many rows changed.
   */
  insert(
    table: string,
    columns: readonly string[],
    row: readonly SqlValue[],
    onConflict?: string,
  ): number;
}

/** Outside `transaction`, each statement is its own transaction. */
export interface Metadata extends Transaction {
  /**
   * Runs `work` as one transaction: all of it is on disk when this returns, none of it when it
   * throws. `work` is synchronous, so that transactions do not interleave.
   */
  transaction<Result>(
    work: (tx: Transaction) => Result extends Promise<unknown> ? never : Result,
  ): Result;
  close(): void;
}

/** The store cannot be opened; the message tells the operator why. */
export class CannotOpen extends Error {}

/**
 * Opens the store at a path (`:memory:` keeps it in memory) and migrates it to the current format.
 * Throws CannotOpen for a format newer than this program.
 */
export function openMetadata(path: string): Metadata {
  if (path !== ':memory:') protect(path, [`${path}-wal`, `${path}-shm`, `${path}-journal`]);
  const database = new DatabaseSync(path);
  try {
    // The changes of one transaction usually fit into the cache (in KB) and are written once.
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -32000',
    );
    migrate(database, path);
  } catch (error) {
    database.close();
    throw error;
  }
  return new SqliteMetadata(database, basename(path));
}

/**
 * Takes a lock that only one process can hold, and returns a function that releases it; undefined
 * when it is already held, by this process or another. It is the operating system's lock on
 * SQLite's file, so a killed process leaves none behind. The file must not be opened elsewhere in
 * this process: closing it would drop the lock.
 */
export function takeLock(path: string): (() => void) | undefined {
  protect(path, [`${path}-journal`]); // a process that can read it can lock it
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Only `exec`: the package finalizes prepared statements during garbage collection, and the
    // lock would last until then.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return () => database.close();
}

function protect(path: string, beside: readonly string[]): void {
  try {
    makePrivate(path, beside);
  } catch (error) {
    throw new CannotOpen(
      `File [${path}] cannot be written, or its access mode cannot be set: ${(error as Error).message}`,
    );
  }
}

/** JSON for a column; absent stays NULL. 64-bit integers stay exact. */
export const jsonText = (value: unknown): string | null =>
  value === undefined || value === null ? null : formatJson(value);

/** The value of a JSON column. The caller names its type, because only this program writes it. */
export const jsonValue = <Value>(text: string): Value => parseJson(text) as Value;

class SqliteMetadata implements Metadata {
  readonly #database: DatabaseSyncInstance;
  readonly #file: string; // file name, for messages
  readonly #statements = new Map<string, StatementSyncInstance>();

  constructor(database: DatabaseSyncInstance, file: string) {
    this.#database = database;
    this.#file = file;
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#run(() => this.#statement(sql).all(...values)) as Row[];
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#run(() => this.#statement(sql).get(...values)) as Row | undefined;
  }

  lists<Row extends readonly unknown[]>(
    columns: readonly string[],
    from: string,
    ...values: SqlValue[]
  ): Row[] {
    const inner = `SELECT ${columns.join(', ')} FROM ${from}`;
    const row = this.get<{ rows: string }>(
      `SELECT json_group_array(json_array(${columns.join(', ')})) AS rows FROM (${inner})`,
      ...values,
    );
    return JSON.parse(row?.rows ?? '[]') as Row[];
  }

  run(sql: string, ...values: SqlValue[]): number {
    return Number(this.#run(() => this.#statement(sql).run(...values)).changes);
  }

  insert(
    table: string,
    columns: readonly string[],
    row: readonly SqlValue[],
    onConflict = '',
  ): number {
    const marks = columns.map(() => '?').join(', ');
    return this.run(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks}) ${onConflict}`,
      ...row,
    );
  }

  transaction<Result>(
    work: (tx: Transaction) => Result extends Promise<unknown> ? never : Result,
  ): Result {
    this.run('BEGIN IMMEDIATE');
    try {
      const result = work(this);
      this.run('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.run('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)'); // closing omits it while statements await garbage collection
    } catch (error) {
      // The write-ahead log stays, and the next start reads it
      if (!lacksRoom(error)) throw error;
    }
    this.#database.close();
  }

  #run<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw withPlace(error, this.#file);
    }
  }

  #statement(sql: string): StatementSyncInstance {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    // The number of statements with inlined lists is unlimited
    if (this.#statements.size < 500) this.#statements.set(sql, statement);
    return statement;
  }
}

function migrate(database: DatabaseSyncInstance, path: string): void {
  const { user_version: format } = database.prepare('PRAGMA user_version').get() as {
    user_version: number;
  };
  if (format > migrations.length) {
    throw new CannotOpen(
      `The metadata store [${path}] has format [${format}], written by a newer version; this version reads up to [${migrations.length}]. Use the newer version, or another data folder.`,
    );
  }
  if (format === migrations.length) return;
  database.exec(
    [
      'BEGIN EXCLUSIVE',
      ...migrations.slice(format),
      `PRAGMA user_version = ${migrations.length}`,
      'COMMIT',
    ].join(';\n'),
  );
}

const isBusy = (error: unknown) =>
  error instanceof Error &&
  'sqliteCode' in error &&
  (error.sqliteCode === 5 || error.sqliteCode === 6);
