// Tables in database files that statements read by name. Each has a query over other files with the
// same rows, which an instance reads in place of a missing or damaged file.
import type { Database } from './duckdb.ts';
import { identifier, quote } from './sql-text.ts';

/**
 * A table that statements read as a view of the instance. The view changes, and not the database
 * behind a name, because a transaction may see one database for each name only.
 */
export interface AttachedTable {
  readonly name: string; // letters, digits and `_`
  readonly file: string; // absolute
  readonly content: string; // text in the table `content` of the file, which tells files apart
  readonly query: string; // gives the same rows, without the computed columns
  readonly computed: readonly ComputedColumn[]; // further columns
}

/** A column that is computed over others, maybe with a function that only query processes have. */
export interface ComputedColumn {
  readonly name: string;
  readonly sql: string;
}

/** The tables that an instance must have. */
export interface Attachments {
  readonly revision: number; // increases with each change
  readonly tables: readonly WantedTable[];
}

type WantedTable = AttachedTable & { readonly isTrusted: boolean };

/** The name of a table in FROM. */
export const tableIn = (name: string): string => `memory.main."${name}"`;

const rowsIn = (name: string) => `"${name}".main."rows"`;

/**
 * The statements that write the file of a table with about `rows` rows, in a database that has no
 * catalog `name`; the name of the table until `detach`, and that statement.
 */
export const tableWriter = (
  { name, file, content, query, computed }: AttachedTable,
  columns: string,
  rows: number,
) => ({
  statements: [
    `ATTACH ${quote(file)} AS "${name}" (STORAGE_VERSION 'latest', ROW_GROUP_SIZE ${rowGroupSize(rows)})`,
    `CREATE TABLE "${name}".main."content" AS SELECT ${quote(content)} AS "content"`,
    `CREATE TABLE ${rowsIn(name)} (${columns})`,
    `INSERT INTO ${rowsIn(name)} ${withComputed(query, computed)}`,
  ],
  table: rowsIn(name),
  detach: `DETACH "${name}"`,
});

const withComputed = (query: string, computed: readonly ComputedColumn[]) =>
  `SELECT ${['*', ...computed.map(({ name, sql }) => `${sql} AS ${identifier(name)}`)].join(', ')} FROM (${query})`;

const refused = `error('Only query processes compute this column')`;

// A row group is what a thread takes, and what a filter on a sorted column passes over: tables have
// 16 of them or more, and 2,048 rows (a vector) are the unit. A dictionary belongs to one group, so
// that smaller groups make files larger.
function rowGroupSize(rows: number): number {
  const vectors = Math.ceil(rows / 16 / vectorSize);
  return vectorSize * Math.min(15, Math.max(2, vectors));
}

const vectorSize = 2048;

/** The attached tables of all instances of an engine. */
export class AttachedTables {
  readonly #tables = new Map<string, WantedTable>();
  readonly #onDamage = new Set<(names: readonly string[]) => void>();
  #wanted: Attachments = { revision: 0, tables: [] };

  get wanted(): Attachments {
    return this.#wanted;
  }

  add(table: AttachedTable): void {
    this.#tables.set(table.name, { ...table, isTrusted: true });
    this.#change();
  }

  /** Statements that begin later do not find the table. */
  remove(name: string): void {
    if (this.#tables.delete(name)) this.#change();
  }

  /** Later statements read the queries of these tables, whose files are missing or damaged. */
  distrust(names: readonly string[] = [...this.#tables.keys()]): void {
    const damaged = names.flatMap((name) => this.#tables.get(name) ?? []);
    const trusted = damaged.filter(({ isTrusted }) => isTrusted);
    if (trusted.length === 0) return;
    for (const table of trusted) this.#tables.set(table.name, { ...table, isTrusted: false });
    this.#change();
    for (const report of this.#onDamage) report(trusted.map(({ name }) => name));
  }

  /** Calls `report` with the names of tables whose files are missing or damaged. */
  onDamage(report: (names: readonly string[]) => void): void {
    this.#onDamage.add(report);
  }

  #change(): void {
    this.#wanted = { revision: this.#wanted.revision + 1, tables: [...this.#tables.values()] };
  }
}

/** The attached tables of one instance. */
export class InstanceTables {
  readonly #attached = new Map<string, WantedTable>();
  #revision = 0;
  #updating: Promise<readonly string[]> = Promise.resolve([]);

  /**
   * Attaches and detaches tables until the instance has the wanted ones. Running statements keep
   * the tables that they read. Returns the names of tables whose files are missing or damaged;
   * their queries are read.
   */
  async update(database: Database, wanted: Attachments): Promise<readonly string[]> {
    if (this.#revision >= wanted.revision) return [];
    this.#updating = this.#updating
      .catch(() => [])
      .then(() => (this.#revision >= wanted.revision ? [] : this.#change(database, wanted)));
    return this.#updating;
  }

  async #change(database: Database, wanted: Attachments): Promise<readonly string[]> {
    const { duckdb } = database;
    const connection = await database.connect();
    const damaged: string[] = [];
    try {
      const run = (sql: string) => duckdb.query(connection, sql);
      const names = new Set(wanted.tables.map(({ name }) => name));
      for (const name of this.#attached.keys()) if (!names.has(name)) await this.#detach(run, name);
      for (const table of wanted.tables) {
        const before = this.#attached.get(table.name);
        if (before?.isTrusted === table.isTrusted) continue;
        const isRead = table.isTrusted && (await attachFile(run, table));
        if (table.isTrusted && !isRead) damaged.push(table.name);
        if (!isRead) await attachQuery(run, table);
        this.#attached.set(table.name, table);
      }
      this.#revision = wanted.revision;
      return damaged;
    } finally {
      duckdb.disconnect_sync(connection);
    }
  }

  async #detach(run: Run, name: string): Promise<void> {
    await run(`DROP VIEW IF EXISTS ${tableIn(name)}`);
    await run(`DETACH DATABASE IF EXISTS "${name}"`);
    this.#attached.delete(name);
  }
}

type Run = (sql: string) => Promise<unknown>;

// Returns false for a file that is missing or damaged, or has the content of another one.
async function attachFile(run: Run, { name, file, content }: AttachedTable): Promise<boolean> {
  try {
    await run(`ATTACH ${quote(file)} AS "${name}" (READ_ONLY)`);
    await run(
      `SELECT CASE WHEN max("content") = ${quote(content)} THEN 1 ELSE error('other content') END FROM "${name}".main."content"`,
    );
    await run(`CREATE OR REPLACE VIEW ${tableIn(name)} AS FROM ${rowsIn(name)}`);
    return true;
  } catch {
    await run(`DETACH DATABASE IF EXISTS "${name}"`);
    return false;
  }
}

// A query whose files are gone belongs to a table that is about to be removed. In the service's own
// process, a statement over a computed column ends at the first function that this process lacks.
async function attachQuery(run: Run, { name, query, computed }: AttachedTable): Promise<void> {
  const unknown = computed.map((column) => ({ ...column, sql: refused }));
  const viewOf = (columns: readonly ComputedColumn[]) =>
    run(`CREATE OR REPLACE VIEW ${tableIn(name)} AS ${withComputed(query, columns)}`);
  await viewOf(computed)
    .catch(() => viewOf(unknown))
    .catch(() => undefined);
  await run(`DETACH DATABASE IF EXISTS "${name}"`);
}
