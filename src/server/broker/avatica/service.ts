// JDBC service: runs requests of drivers like SQL over HTTP, with the permissions of the
// connection's user (Druid: DruidMeta).
import { isSecretName } from '../../../model/secrets.ts';
import { checkNameLength } from '../../checks/name-length.ts';
import { Refusal } from '../../checks/refusals.ts';
import type { Caller } from '../../handlers/routes.ts';
import type { Guard } from '../../http/guard.ts';
import { Connections, type JdbcConnection, type Opened } from './connections.ts';
import {
  catalogsSql,
  columnsSql,
  type MetadataQuery,
  schemasSql,
  tablesSql,
  tableTypesSql,
} from './metadata-sql.ts';
import type { AvaticaReply } from './protocol.ts';
import { noBatches, noTypeInfo, notKnown } from './refusals.ts';
import { idOf, numberOf } from './request-fields.ts';
import type { AvaticaRequest } from './requests.ts';
import { type Asking, StatementRuns, type StatementRunsParts } from './statement-runs.ts';
import type { WireMessage } from './wire.ts';

export interface AvaticaParts extends Omit<StatementRunsParts, 'logIn' | 'rpcMetadata'> {
  readonly guard: Pick<Guard, 'logIn'>;
  readonly serverAddress: () => string; // of the Broker
}

export class Avatica {
  readonly #parts: AvaticaParts;
  readonly #connections: Connections;
  readonly #runs: StatementRuns;

  constructor(parts: AvaticaParts) {
    this.#parts = parts;
    this.#connections = new Connections(parts.settings);
    this.#runs = new StatementRuns({
      ...parts,
      catalog: (caller) => parts.catalog(caller),
      logIn: (opened, caller) => this.#logIn(opened, caller),
      rpcMetadata: () => this.rpcMetadata(),
    });
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
      this.#use(fields, (connection) => this.#runs.metadata(connection, query, asking));
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
        return this.#use(fields, (connection) => this.#runs.prepare(connection, fields, asking));
      case 'prepareAndExecute':
        return this.#use(fields, (connection) =>
          this.#runs.prepareAndExecute(connection, fields, asking),
        );
      case 'execute': {
        const handle = (fields.statementHandle ?? {}) as WireMessage;
        return this.#use(handle, (connection) =>
          this.#runs.execute(connection, handle, fields, asking),
        );
      }
      case 'fetch':
        return this.#use(fields, (connection) => this.#runs.fetch(connection, fields, asking));
      case 'syncResults':
        return this.#use(fields, async (connection) => this.#runs.sync(connection, fields));
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
}

interface Patterns {
  readonly catalog?: string | null;
  readonly schemaPattern?: string | null;
  readonly tableNamePattern?: string | null;
  readonly columnNamePattern?: string | null;
  readonly typeList?: readonly string[] | null;
}
