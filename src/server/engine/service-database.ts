// Databases in the service's own process, which run short statements: opened on demand, with the
// attached tables and with prepared statements.
import { type AttachedTables, InstanceTables } from './attached-tables.ts';
import { DatabaseSession, type DatabaseSessionParts } from './database-session.ts';
import type { Database } from './duckdb.ts';
import { KeptStatements } from './kept-statements.ts';
import { isFatal, queryCancelled } from './refusals.ts';
import { allowGroupTable, type Grouping, uncountedMemory } from './uncounted-memory.ts';

/** The share of one database in the memory and threads of the service's process. */
export interface DatabaseShare {
  readonly memoryBytes: number;
  readonly threads: number;
  readonly statementBytes: number; // at most, of one prepared statement that is kept
}

export interface ServiceDatabaseSettings extends DatabaseShare {
  readonly tables: AttachedTables;
  readonly open: (share: DatabaseShare) => Promise<Database>;
}

export class ServiceDatabase {
  readonly #settings: ServiceDatabaseSettings;
  #tables = new InstanceTables();
  #kept: KeptStatements | undefined;
  #opening: Promise<Database> | undefined;
  readonly #broken = new WeakSet<Database>();
  #isRetired = false;

  /** Opens nothing: `ready` or the first session does. */
  constructor(settings: ServiceDatabaseSettings) {
    this.#settings = settings;
  }

  /** The limit on its memory. */
  get memoryBytes(): number {
    return this.#settings.memoryBytes;
  }

  /** Settles when the database is open and has all tables. */
  async ready(): Promise<Database> {
    const { tables, open } = this.#settings;
    this.#opening ??= open(this.#settings);
    const database = await this.#opening;
    this.#keptOf(database).useTables(tables.wanted.revision);
    tables.distrust(await this.#tables.update(database, tables.wanted));
    return database;
  }

  /** Begins a session for one statement, which may be prepared already. */
  async begin(
    sql: string,
    grouping: Grouping | undefined,
    parts: Pick<DatabaseSessionParts, 'signal' | 'translate' | 'aside'>,
  ): Promise<{ readonly session: DatabaseSession; end(): Promise<void> }> {
    const database = await this.ready();
    const { duckdb } = database;
    const kept = this.#keptOf(database);
    const { revision } = kept;
    const prepared = kept.take(sql);
    const connection = prepared?.connection ?? (await database.connect());
    const { threads, memoryBytes, statementBytes } = this.#settings;
    const { tableBits, bytes } = uncountedMemory(grouping, memoryBytes / 4, threads);
    if (tableBits !== undefined && !prepared)
      await duckdb.query(connection, allowGroupTable(tableBits));
    const translate = (error: unknown) => {
      if (isFatal(error)) this.#replace(database);
      return parts.translate(error);
    };
    const session = new DatabaseSession({ ...parts, translate, duckdb, connection, prepared });
    const isCurrent = () => this.#kept === kept;
    return {
      session,
      async end() {
        const finished = await session.end();
        if (finished && bytes <= statementBytes && isCurrent())
          return kept.giveBack(finished, revision);
        if (finished) duckdb.destroy_prepare_sync(finished.statement);
        duckdb.disconnect_sync(connection);
      },
    };
  }

  /**
   * Refuses later sessions with `Query cancelled`. The returned function releases the database.
   */
  retire(): () => Promise<void> {
    const opening = this.#opening;
    this.#isRetired = true;
    this.#opening = Promise.reject(queryCancelled());
    this.#opening.catch(() => undefined); // only a later query needs the error
    return async () => {
      const database = await opening;
      this.#kept?.clear();
      if (database && !this.#broken.has(database)) database.close();
    };
  }

  // After a failure of DuckDB's own, the database refuses everything: the next session opens
  // another. Its running sessions keep it open until they end.
  #replace(database: Database): void {
    if (this.#broken.has(database)) return;
    this.#broken.add(database);
    this.#kept?.clear();
    this.#kept = undefined;
    this.#tables = new InstanceTables();
    if (!this.#isRetired) this.#opening = undefined;
    database.close();
  }

  #keptOf({ duckdb }: Database): KeptStatements {
    const { memoryBytes, statementBytes } = this.#settings;
    const most = Math.min(mostKept, Math.floor(memoryBytes / statementBytes));
    this.#kept ??= new KeptStatements(duckdb, most);
    return this.#kept;
  }
}

const mostKept = 24;
