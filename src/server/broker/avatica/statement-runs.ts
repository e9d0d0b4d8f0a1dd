// Statements of drivers: they run like SQL over HTTP, and their rows are fetched in frames.
import type { Catalog } from '../../../sql/catalog.ts';
import type { SqlType } from '../../../sql/types.ts';
import type { Caller, RequestContext } from '../../handlers/routes.ts';
import type { OpensQueries } from '../../statements/open-query.ts';
import {
  closeResult,
  type JdbcConnection,
  type JdbcStatement,
  type Opened,
} from './connections.ts';
import { Cursor } from './cursor.ts';
import type { MetadataQuery } from './metadata-sql.ts';
import { anyValues, boundValues, parameterTypesOf } from './parameters.ts';
import type { AvaticaReply } from './protocol.ts';
import { noResultSet, noSuchStatement, otherOffset, severalFrames } from './refusals.ts';
import { mostRowsOf, numberOf, sqlOf } from './request-fields.ts';
import type { GivenValue } from './requests.ts';
import type { AvaticaSettings } from './settings.ts';
import { signatureOf } from './signature.ts';
import type { WireMessage } from './wire.ts';

export interface StatementRunsParts {
  readonly settings: AvaticaSettings;
  readonly queries: OpensQueries;
  /** The data that a caller may read. */
  catalog(caller: Caller): Catalog;
  /** Authenticates the user of a connection. Refuses an unknown one. */
  logIn(opened: Opened, caller: Caller): Promise<Caller>;
  /** The address of the service, part of every reply. */
  rpcMetadata(): object;
}

/** The caller of a request, and the signal of its disconnection. */
export type Asking = Pick<RequestContext, 'caller' | 'role' | 'signal'>;

interface Run {
  readonly sql: string;
  readonly mostRows: number;
  readonly parameterTypes: readonly SqlType[];
  readonly values: readonly (GivenValue | null)[];
}

export class StatementRuns {
  readonly #parts: StatementRunsParts;

  constructor(parts: StatementRunsParts) {
    this.#parts = parts;
  }

  async prepare(
    connection: JdbcConnection,
    fields: WireMessage,
    { caller: asking, role, signal }: Asking,
  ): Promise<AvaticaReply> {
    const sql = sqlOf(fields);
    const caller = await this.#parts.logIn(connection.opened, asking);
    connection.checkRoom();
    const { queries, catalog } = this.#parts;
    const parameterTypes = parameterTypesOf(sql, catalog(caller));
    const request = {
      query: sql,
      context: connection.opened.context,
      parameters: anyValues(parameterTypes),
    };
    const columns = await queries.columns(request, { caller, role, signal });
    const signature = signatureOf({ sql, columns, parameters: parameterTypes, style: 'ARRAY' });
    const { id } = connection.create({ sql, mostRows: mostRowsOf(fields), parameterTypes });
    return { response: 'prepare', statement: { connectionId: connection.id, id, signature } };
  }

  async prepareAndExecute(
    connection: JdbcConnection,
    fields: WireMessage,
    asking: Asking,
  ): Promise<AvaticaReply> {
    const statement = connection.statement(numberOf(fields.statementId));
    if (statement.prepared) throw noSuchStatement(connection.id, statement.id);
    const run = {
      sql: sqlOf(fields),
      mostRows: mostRowsOf(fields),
      parameterTypes: [],
      values: [],
    };
    return this.#replyOf(
      await this.#run(connection, statement, run, {
        frameRows: fields.maxRowsInFirstFrame,
        asking,
      }),
    );
  }

  async execute(
    connection: JdbcConnection,
    handle: WireMessage,
    { parameterValues, maxRowCount, deprecatedFirstFrameMaxSize }: WireMessage,
    asking: Asking,
  ) {
    const statement = connection.statement(numberOf(handle.id));
    if (!statement.prepared) throw noSuchStatement(connection.id, statement.id);
    const values = (parameterValues ?? []) as readonly (GivenValue | null)[];
    const frameRows = maxRowCount ?? deprecatedFirstFrameMaxSize;
    return this.#replyOf(
      await this.#run(
        connection,
        statement,
        { ...statement.prepared, values },
        { frameRows, asking },
      ),
    );
  }

  #replyOf(resultSet: AvaticaReply): AvaticaReply {
    return { response: 'executeResults', missingStatement: false, results: [resultSet] };
  }

  // Starts a query in place of the statement's previous one, and returns its first rows.
  async #run(
    connection: JdbcConnection,
    statement: JdbcStatement,
    { sql, mostRows, parameterTypes, values }: Run,
    {
      frameRows,
      asking,
      nullable,
    }: {
      readonly frameRows: unknown;
      readonly asking: Asking;
      readonly nullable?: readonly string[];
    },
  ): Promise<AvaticaReply> {
    await closeResult(statement);
    const caller = await this.#parts.logIn(connection.opened, asking.caller);
    const ending = new AbortController();
    const request = {
      query: sql,
      context: connection.opened.context,
      parameters: boundValues(values, parameterTypes.length),
    };
    return whileAsked(asking.signal, ending, async () => {
      const query = await this.#parts.queries.open(request, {
        caller,
        role: asking.role,
        signal: ending.signal,
      });
      const { fetchTimeoutMs } = this.#parts.settings;
      const cursor = new Cursor(query, { mostRows, fetchTimeoutMs, abort: () => ending.abort() });
      try {
        const isNullable = nullable && ((name: string) => nullable.includes(name));
        const { columns } = query;
        const signature = signatureOf({
          sql,
          columns,
          parameters: parameterTypes,
          style: 'LIST',
          ...(isNullable && { isNullable }),
        });
        const firstFrame = await cursor.frame(0, this.#rowsOf(frameRows));
        if (!firstFrame.done) statement.cursor = cursor;
        return {
          response: 'resultSet',
          connectionId: connection.id,
          statementId: statement.id,
          ownStatement: false,
          signature,
          firstFrame,
          updateCount: -1,
          rpcMetadata: this.#parts.rpcMetadata(),
        };
      } catch (error) {
        await cursor.close();
        throw error;
      }
    });
  }

  async fetch(
    connection: JdbcConnection,
    { statementId, offset, fetchMaxRowCount }: WireMessage,
    { signal }: Asking,
  ): Promise<AvaticaReply> {
    const statement = connection.statement(numberOf(statementId));
    const { cursor } = statement;
    if (!cursor) throw noResultSet(statement.id);
    const gone = new AbortController();
    gone.signal.addEventListener('abort', () => void closeResult(statement), { once: true });
    return whileAsked(signal, gone, async () => {
      const frame = await this.#frame(
        statement,
        cursor,
        numberOf(offset),
        this.#rowsOf(fetchMaxRowCount),
      );
      return { response: 'fetch', frame, missingStatement: false, missingResults: false };
    });
  }

  async #frame(statement: JdbcStatement, cursor: Cursor, offset: number, rows: number) {
    try {
      const frame = await cursor.frame(offset, rows);
      if (frame.done) statement.cursor = undefined;
      return frame;
    } catch (error) {
      if (cursor.isClosed) statement.cursor = undefined;
      throw error;
    }
  }

  sync(connection: JdbcConnection, { statementId, offset }: WireMessage): AvaticaReply {
    const { id, cursor } = connection.statement(numberOf(statementId));
    if (!cursor) throw noResultSet(id);
    if (cursor.offset !== numberOf(offset)) throw otherOffset(numberOf(offset), cursor.offset);
    return { response: 'syncResults', moreResults: true, missingStatement: false };
  }

  async metadata(
    connection: JdbcConnection,
    { sql, nullable }: MetadataQuery,
    asking: Asking,
  ): Promise<AvaticaReply> {
    const statement = connection.create();
    try {
      const run = { sql, mostRows: Number.POSITIVE_INFINITY, parameterTypes: [], values: [] };
      const reply = await this.#run(connection, statement, run, {
        frameRows: -1,
        asking,
        nullable,
      });
      if (statement.cursor) throw severalFrames(this.#rowsOf(-1));
      return reply;
    } finally {
      await connection.closeStatement(statement.id);
    }
  }

  // Number of rows per frame: the driver's wish, within the limits of the settings.
  #rowsOf(wanted: unknown): number {
    const { minRowsPerFrame, maxRowsPerFrame } = this.#parts.settings;
    const rows = numberOf(wanted);
    return Math.max(minRowsPerFrame, rows < 0 ? maxRowsPerFrame : Math.min(rows, maxRowsPerFrame));
  }
}

// A disconnected driver gets no frame: its rows are lost, and so are the remaining ones.
async function whileAsked<T>(
  signal: AbortSignal,
  ending: AbortController,
  work: () => Promise<T>,
): Promise<T> {
  const onDisconnect = () => ending.abort();
  if (signal.aborted) onDisconnect();
  signal.addEventListener('abort', onDisconnect, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', onDisconnect);
  }
}
