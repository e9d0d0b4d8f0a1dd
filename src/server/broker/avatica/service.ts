// JDBC service: runs requests of drivers like SQL over HTTP, with the permissions of the
// connection's user (Druid: DruidMeta).
import { isSecretName } from '../../../model/secrets.ts';
import type { Catalog } from '../../../sql/catalog.ts';
import type { SqlType } from '../../../sql/types.ts';
import { checkNameLength } from '../../checks/name-length.ts';
import { Refusal } from '../../checks/refusals.ts';
import type { Caller, RequestContext } from '../../handlers/routes.ts';
import type { Guard } from '../../http/guard.ts';
import type { OpensQueries } from '../../statements/open-query.ts';
import {
  Connections,
  closeResult,
  type JdbcConnection,
  type JdbcStatement,
  type Opened,
} from './connections.ts';
import { Cursor } from './cursor.ts';
import {
  catalogsSql,
  columnsSql,
  type MetadataQuery,
  schemasSql,
  tablesSql,
  tableTypesSql,
} from './metadata-sql.ts';
import { anyValues, boundValues, parameterTypesOf } from './parameters.ts';
import type { AvaticaReply } from './protocol.ts';
import {
  noBatches,
  noResultSet,
  noSuchStatement,
  noTypeInfo,
  notKnown,
  otherOffset,
  severalFrames,
  unreadable,
} from './refusals.ts';
import type { AvaticaRequest, GivenValue } from './requests.ts';
import type { AvaticaSettings } from './settings.ts';
import { signatureOf } from './signature.ts';
import type { WireMessage } from './wire.ts';

export interface AvaticaParts {
  readonly settings: AvaticaSettings;
  readonly queries: OpensQueries;
  readonly guard: Pick<Guard, 'logIn'>;
  readonly serverAddress: () => string; // of the Broker
  /** The data that a caller may read. */
  catalog(caller: Caller): Catalog;
}

type Asking = Pick<RequestContext, 'caller' | 'role' | 'signal'>;

export class Avatica {
  readonly #parts: AvaticaParts;
  readonly #connections: Connections;

  constructor(parts: AvaticaParts) {
    this.#parts = parts;
    this.#connections = new Connections(parts.settings);
  }

  /** Executes a request. Refuses invalid and unsupported ones. */
  async answer({ name, fields }: AvaticaRequest, asking: Asking): Promise<AvaticaReply> {
    if (name === 'commit' || name === 'rollback') return { response: name }; // JDBC is read-only, so there is nothing to do
    const reply = await this.#answer({ name, fields }, asking);
    return { ...reply, rpcMetadata: this.rpcMetadata() };
  }

  /** The address of the service, part of every reply. */
  rpcMetadata(): object {
    return { response: 'rpcMetadata', serverAddress: this.#parts.serverAddress() };
  }

  /** Closes all connections and ends their queries. */
  close(): Promise<void> {
    return this.#connections.closeAll();
  }

  #answer({ name, fields }: AvaticaRequest, asking: Asking): AvaticaReply | Promise<AvaticaReply> {
    const { catalog, schemaPattern, tableNamePattern, columnNamePattern, typeList } =
      fields as Patterns;
    const metadata = (query: MetadataQuery) =>
      this.#use(fields, (connection) => this.#metadata(connection, query, asking));
    switch (name) {
      case 'openConnection':
        return this.#open(fields, asking);
      case 'closeConnection':
        return this.#close(fields);
      case 'connectionSync':
        return this.#use(fields, async () => ({
          response: name,
          connProps: fields.connProps ?? null,
        }));
      case 'createStatement':
        return this.#use(fields, async (connection) => ({
          response: name,
          connectionId: connection.id,
          statementId: connection.create().id,
        }));
      case 'closeStatement':
        return this.#closeStatement(fields);
      case 'prepare':
        return this.#use(fields, (connection) => this.#prepare(connection, fields, asking));
      case 'prepareAndExecute':
        return this.#use(fields, (connection) =>
          this.#prepareAndExecute(connection, fields, asking),
        );
      case 'execute': {
        const handle = (fields.statementHandle ?? {}) as WireMessage;
        return this.#use(handle, (connection) => this.#execute(connection, handle, fields, asking));
      }
      case 'fetch':
        return this.#use(fields, (connection) => this.#fetch(connection, fields, asking));
      case 'syncResults':
        return this.#use(fields, async (connection) => this.#sync(connection, fields));
      case 'getCatalogs':
        return metadata(catalogsSql());
      case 'getSchemas':
        return metadata(schemasSql(catalog, schemaPattern));
      case 'getTables':
        return metadata(tablesSql(catalog, schemaPattern, tableNamePattern, typeList));
      case 'getTableTypes':
        return metadata(tableTypesSql());
      case 'getColumns':
        return metadata(columnsSql(catalog, schemaPattern, tableNamePattern, columnNamePattern));
      case 'databaseProperties':
        return { response: name, map: {} };
      case 'getTypeInfo':
        throw noTypeInfo();
      case 'prepareAndExecuteBatch':
      case 'executeBatch':
        throw noBatches();
      case 'commit':
      case 'rollback':
        return { response: name };
    }
  }

  // ── Connections ────────────────────────────────────────────────────────────────────────────────

  // An unauthenticated user cannot open a connection. The real engine authenticates only when the
  // first statement is prepared.
  async #open(fields: WireMessage, { caller }: Asking): Promise<AvaticaReply> {
    const id = idOf(fields);
    checkNameLength(id, 'connectionId');
    const { user, password, ...info } = (fields.info ?? {}) as Readonly<Record<string, string>>;
    const shown = Object.entries(info).filter(([name]) => !isSecretName(name));
    const opened: Opened = {
      user,
      password,
      context: { ...Object.fromEntries(shown), sqlStringifyArrays: false },
    };
    await this.#logIn(opened, caller);
    this.#connections.open(id, opened);
    return { response: 'openConnection' };
  }

  async #close(fields: WireMessage): Promise<AvaticaReply> {
    await this.#connections.close(idOf(fields));
    return { response: 'closeConnection' };
  }

  async #closeStatement(fields: WireMessage): Promise<AvaticaReply> {
    await this.#connections.find(idOf(fields))?.closeStatement(numberOf(fields.statementId));
    return { response: 'closeStatement' };
  }

  #use(
    fields: WireMessage,
    work: (connection: JdbcConnection) => Promise<AvaticaReply>,
  ): Promise<AvaticaReply> {
    return this.#connections.use(idOf(fields), (connection) =>
      connection.inTurn(() => work(connection)),
    );
  }

  // Each statement authenticates again: a user may have been deleted or lost permissions.
  async #logIn({ user, password }: Opened, { ip }: Caller): Promise<Caller> {
    try {
      return await this.#parts.guard.logIn({ user, password, ip });
    } catch (error) {
      throw error instanceof Refusal && error.category === 'unauthorized' ? notKnown() : error;
    }
  }

  // ── Statements ─────────────────────────────────────────────────────────────────────────────────

  async #prepare(
    connection: JdbcConnection,
    fields: WireMessage,
    { caller: asking, role, signal }: Asking,
  ): Promise<AvaticaReply> {
    const sql = sqlOf(fields);
    const caller = await this.#logIn(connection.opened, asking);
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

  async #prepareAndExecute(
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

  async #execute(
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
    const caller = await this.#logIn(connection.opened, asking.caller);
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
          rpcMetadata: this.rpcMetadata(),
        };
      } catch (error) {
        await cursor.close();
        throw error;
      }
    });
  }

  async #fetch(
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

  #sync(connection: JdbcConnection, { statementId, offset }: WireMessage): AvaticaReply {
    const { id, cursor } = connection.statement(numberOf(statementId));
    if (!cursor) throw noResultSet(id);
    if (cursor.offset !== numberOf(offset)) throw otherOffset(numberOf(offset), cursor.offset);
    return { response: 'syncResults', moreResults: true, missingStatement: false };
  }

  // ── Metadata ───────────────────────────────────────────────────────────────────────────────────

  async #metadata(
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

interface Patterns {
  readonly catalog?: string | null;
  readonly schemaPattern?: string | null;
  readonly tableNamePattern?: string | null;
  readonly columnNamePattern?: string | null;
  readonly typeList?: readonly string[] | null;
}

interface Run {
  readonly sql: string;
  readonly mostRows: number;
  readonly parameterTypes: readonly SqlType[];
  readonly values: readonly (GivenValue | null)[];
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

function idOf({ connectionId }: WireMessage): string {
  if (typeof connectionId !== 'string') throw unreadable('field [connectionId] is missing');
  return connectionId;
}

function sqlOf({ sql }: WireMessage): string {
  if (typeof sql !== 'string') throw unreadable('field [sql] is missing');
  return sql;
}

const numberOf = (value: unknown): number =>
  value === undefined || value === null ? 0 : Number(value);

// JDBC: Statement.setMaxRows, where 0 means no limit; drivers send -1 instead.
function mostRowsOf({ maxRowsTotal, maxRowCount }: WireMessage): number {
  const most = numberOf(maxRowsTotal ?? maxRowCount);
  return most > 0 ? most : Number.POSITIVE_INFINITY;
}
