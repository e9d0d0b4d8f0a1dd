// Connections of drivers and their statements, with limits on their number and idle time (Druid:
// DruidMeta, DruidConnection).
import { longestTimerMs } from '../../../model/longest-timer.ts';
import type { SqlType } from '../../../sql/types.ts';

import type { Cursor } from './cursor.ts';
import {
  alreadyOpen,
  NoSuchConnection,
  noSuchStatement,
  tooManyConnections,
  tooManyStatements,
} from './refusals.ts';
import type { AvaticaSettings } from './settings.ts';

/** A statement that can run repeatedly and has at most one result at a time. */
export interface JdbcStatement {
  readonly id: number;
  readonly prepared?: Prepared; // a plain statement gets its text when it runs
  cursor?: Cursor | undefined;
}

export interface Prepared {
  readonly sql: string;
  readonly mostRows: number;
  readonly parameterTypes: readonly SqlType[];
}

/**
 * Data from a driver's request to open a connection: user, password, and the context of its
 * queries.
 */
export interface Opened {
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly context: Readonly<Record<string, unknown>>;
}

export class JdbcConnection {
  readonly id: string;
  readonly opened: Opened;
  readonly #statements = new Map<number, JdbcStatement>();
  readonly #mostStatements: number;
  #lastId = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(id: string, opened: Opened, mostStatements: number) {
    this.id = id;
    this.opened = opened;
    this.#mostStatements = mostStatements;
  }

  get isEmpty(): boolean {
    return this.#statements.size === 0;
  }

  /** Refuses a statement beyond the limit. */
  checkRoom(): void {
    if (this.#statements.size >= this.#mostStatements)
      throw tooManyStatements(this.#mostStatements);
  }

  /** Creates a statement. Refuses one beyond the limit. */
  create(prepared?: Prepared): JdbcStatement {
    this.checkRoom();
    const statement: JdbcStatement = { id: ++this.#lastId, ...(prepared && { prepared }) };
    this.#statements.set(statement.id, statement);
    return statement;
  }

  /** Refuses an id without an open statement. */
  statement(id: number): JdbcStatement {
    const found = this.#statements.get(id);
    if (!found) throw noSuchStatement(this.id, id);
    return found;
  }

  /** Closes a statement and ends its query; an unknown statement is ignored. */
  async closeStatement(id: number): Promise<void> {
    const found = this.#statements.get(id);
    this.#statements.delete(id);
    await closeResult(found);
  }

  async close(): Promise<void> {
    const open = [...this.#statements.values()];
    this.#statements.clear();
    await Promise.all(open.map(closeResult));
  }

  /**
   * Runs `work` after all earlier requests of this connection: JDBC runs one request at a time per
   * connection.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** Ends the query of a statement's result, if there is one. */
export async function closeResult(statement: JdbcStatement | undefined): Promise<void> {
  const cursor = statement?.cursor;
  if (!statement || !cursor) return;
  statement.cursor = undefined;
  await cursor.close();
}

export class Connections {
  readonly #open = new Map<
    string,
    { readonly connection: JdbcConnection; readonly timer: NodeJS.Timeout; uses: number }
  >();
  readonly #settings: AvaticaSettings;

  constructor(settings: AvaticaSettings) {
    this.#settings = settings;
  }

  /**
   * Opens a connection. At the limit, a connection without statements is closed to make room.
   * Refuses a connection beyond the limit, and an id that is taken.
   */
  open(id: string, opened: Opened): void {
    const { maxConnections, maxStatementsPerConnection, idleMs, maxConnectionsProperty } =
      this.#settings;
    if (this.#open.has(id)) throw alreadyOpen(id);
    if (this.#open.size >= maxConnections) {
      const empty = [...this.#open.values()].find(
        ({ connection, uses }) => connection.isEmpty && uses === 0,
      );
      if (!empty) throw tooManyConnections(maxConnections, maxConnectionsProperty);
      void this.close(empty.connection.id);
    }
    const expire = () => {
      const used = this.#open.get(id);
      if (used && used.uses > 0) used.timer.refresh();
      else void this.close(id);
    };
    const timer = setTimeout(expire, Math.min(idleMs, longestTimerMs)).unref();
    this.#open.set(id, {
      connection: new JdbcConnection(id, opened, maxStatementsPerConnection),
      timer,
      uses: 0,
    });
  }

  /**
   * Runs `work` with a connection, which does not expire meanwhile. Refuses a connection that is
   * not open.
   */
  async use<T>(id: string, work: (connection: JdbcConnection) => Promise<T>): Promise<T> {
    const used = this.#open.get(id);
    if (!used) throw new NoSuchConnection();
    used.uses++;
    try {
      return await work(used.connection);
    } finally {
      used.uses--;
      used.timer.refresh();
      if (this.#open.get(id) !== used) clearTimeout(used.timer);
    }
  }

  /** The open connection with this id. */
  find(id: string): JdbcConnection | undefined {
    return this.#open.get(id)?.connection;
  }

  /** Closes a connection and ends its queries; a connection that is not open is ignored. */
  async close(id: string): Promise<void> {
    const found = this.#open.get(id);
    if (!found) return;
    this.#open.delete(id);
    clearTimeout(found.timer);
    await found.connection.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.close(id)));
  }
}
