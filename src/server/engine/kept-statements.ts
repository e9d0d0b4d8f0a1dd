// Prepared statements of one instance that wait for the next request with the same text: planning
// takes DuckDB longer than a small query itself. Each has a connection of its own.
import type { Bindings, DuckDbConnection, PreparedStatement } from './bindings.ts';

export interface PreparedText {
  readonly text: string;
  readonly statement: PreparedStatement;
}

/** A prepared statement and the connection that belongs to it alone. */
export interface KeptStatement extends PreparedText {
  readonly connection: DuckDbConnection;
}

/** A statement that was executed. */
export interface FinishedStatement extends KeptStatement {
  readonly tookMs: number; // without its planning
}

/**
 * Keeps statements whose text was asked before and whose execution was short. A statement holds the
 * memory of its last execution, so there are few of them.
 */
export class KeptStatements {
  readonly #duckdb: Bindings;
  readonly #most: number;
  readonly #idle = new Map<string, KeptStatement[]>(); // least recently used first
  readonly #asked = new RecentTexts();
  #count = 0;
  #revision = 0;

  constructor(duckdb: Bindings, most: number) {
    this.#duckdb = duckdb;
    this.#most = most;
  }

  /** Of the attached tables that the statements read. */
  get revision(): number {
    return this.#revision;
  }

  /** Closes the statements that read tables of another revision. */
  useTables(revision: number): void {
    if (revision !== this.#revision) this.clear();
    this.#revision = revision;
  }

  /** A statement with this text, for the caller alone. */
  take(text: string): KeptStatement | undefined {
    const idle = this.#idle.get(text);
    const found = idle?.pop();
    if (!found) return undefined;
    this.#count--;
    if (idle?.length === 0) this.#idle.delete(text);
    return found;
  }

  /** Keeps or closes a statement that was prepared for tables of this revision. */
  giveBack(finished: FinishedStatement, revision: number): void {
    const { text, statement, connection, tookMs } = finished;
    const kept = { text, statement, connection };
    const isKept = this.#asked.has(text) && tookMs <= longestMs && revision === this.#revision;
    this.#asked.add(text);
    if (!isKept) {
      this.#close(kept);
      return;
    }
    const idle = this.#idle.get(text) ?? [];
    this.#idle.delete(text);
    this.#idle.set(text, [...idle, kept]);
    this.#count++;
    if (this.#count > this.#most) this.#closeOldest();
  }

  clear(): void {
    while (this.#count > 0) this.#closeOldest();
  }

  #closeOldest(): void {
    for (const [text, idle] of this.#idle) {
      const oldest = idle.shift();
      if (idle.length === 0) this.#idle.delete(text);
      if (!oldest) continue;
      this.#count--;
      this.#close(oldest);
      return;
    }
  }

  #close({ connection, statement }: KeptStatement): void {
    this.#duckdb.destroy_prepare_sync(statement);
    this.#duckdb.disconnect_sync(connection);
  }
}

/** The last short texts of statements, as many as a dashboard has. */
export class RecentTexts {
  readonly #texts = new Set<string>();

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(text: string): void {
    if (text.length > mostLength) return;
    this.#texts.delete(text);
    this.#texts.add(text);
    const [oldest] = this.#texts;
    if (this.#texts.size > mostTexts && oldest !== undefined) this.#texts.delete(oldest);
  }
}

/** The most memory of one kept statement, in bytes: it retains that of its last execution. */
export const mostKeptBytes = 16 * 1024 ** 2;

const longestMs = 20;
const mostTexts = 200;
const mostLength = 16 * 1024;
