// Requests and replies of Avatica as data, for both serializations: names are from its JSON,
// numbers from its .proto files.
import { representations } from './representations.ts';
import { writeRows } from './rows.ts';
import type { Enumeration, Field, MessageType, OwnType, Scalar, WireFields } from './wire.ts';

/**
 * A request or a reply: its class in the real engine, which a WireMessage names, and its fields.
 */
export interface Declared {
  readonly className: string;
  readonly fields: WireFields;
}

const field = (number: number, type: Field['type']): Field => ({ number, type });
const text = (number: number, has?: number): Field => ({
  number,
  type: 'string',
  ...(has !== undefined && { has }),
});
const many = (number: number, type: Field['type'], has?: number): Field => ({
  number,
  type,
  list: true,
  ...(has !== undefined && { has }),
});
const message = (fields: () => WireFields): MessageType => ({ kind: 'message', fields });
const flag = (number: number): Field => field(number, 'bool');
const count = (number: number, type: Scalar = 'uint32'): Field => field(number, type);
const ignoreField = (number: number): Field => field(number, 'bytes');
const onlyJson = field(0, 'string');

export const typedValue: MessageType = message(() => ({
  type: field(1, representations),
  bool: flag(2),
  string: text(3),
  number: count(4, 'sint64'),
  bytes: field(5, 'bytes'),
  double: field(6, 'double'),
  null: flag(7),
  array: many(8, typedValue),
  componentType: field(9, representations),
  implicitlyNull: flag(10),
}));

const connectionProperties = message(() => ({
  connProps: onlyJson,
  dirty: flag(1),
  autoCommit: { ...flag(2), has: 7 },
  readOnly: { ...flag(3), has: 8 },
  transactionIsolation: count(4),
  catalog: text(5),
  schema: text(6),
}));

const avaticaType: MessageType = message(() => ({
  id: count(1),
  name: text(2),
  rep: field(3, representations),
  component: field(5, avaticaType),
}));

const columnMetaData = message(() => ({
  ordinal: count(1),
  autoIncrement: flag(2),
  caseSensitive: flag(3),
  searchable: flag(4),
  currency: flag(5),
  nullable: count(6),
  signed: flag(7),
  displaySize: count(8),
  label: text(9),
  columnName: text(10),
  schemaName: text(11),
  precision: count(12),
  scale: count(13),
  tableName: text(14),
  catalogName: text(15),
  readOnly: flag(16),
  writable: flag(17),
  definitelyWritable: flag(18),
  columnClassName: text(19),
  type: field(20, avaticaType),
}));

const avaticaParameter = message(() => ({
  signed: flag(1),
  precision: count(2),
  scale: count(3),
  parameterType: count(4),
  typeName: text(5),
  className: text(6),
  name: text(7),
}));

const cursorStyles: Enumeration = {
  kind: 'enum',
  numbers: { OBJECT: 0, RECORD: 1, RECORD_PROJECTION: 2, ARRAY: 3, LIST: 4, MAP: 5 },
};
const severities: Enumeration = {
  kind: 'enum',
  numbers: { UNKNOWN: 0, FATAL: 1, ERROR: 2, WARNING: 3 },
};

const signature = message(() => ({
  columns: many(1, columnMetaData),
  sql: text(2),
  parameters: many(3, avaticaParameter),
  cursorFactory: field(
    4,
    message(() => ({ style: field(1, cursorStyles) })),
  ),
}));

const statementHandle = message(() => ({
  connectionId: text(1),
  id: count(2),
  signature: field(3, signature),
}));
const givenHandle = message(() => ({
  connectionId: text(1),
  id: count(2),
  signature: ignoreField(3),
}));

const rows: OwnType = { kind: 'own', write: writeRows };
const frame = message(() => ({ offset: count(1, 'uint64'), done: flag(2), rows: field(3, rows) }));

const rpc = (number: number): Field =>
  field(
    number,
    message(() => ({ serverAddress: text(1) })),
  );

const resultSet = message(() => ({
  connectionId: text(1),
  statementId: count(2),
  ownStatement: flag(3),
  signature: field(4, signature),
  firstFrame: field(5, frame),
  updateCount: count(6, 'uint64'),
  rpcMetadata: rpc(7),
}));

const connectionId = { connectionId: text(1) };

/**
 * Requests, by their names in JSON. Some fields have an older form, with a number of its own, that
 * is used in their absence.
 */
export const requests = {
  openConnection: {
    className: 'OpenConnectionRequest',
    fields: { ...connectionId, info: { ...text(2), map: true } },
  },
  closeConnection: { className: 'CloseConnectionRequest', fields: connectionId },
  connectionSync: {
    className: 'ConnectionSyncRequest',
    fields: { ...connectionId, connProps: field(2, connectionProperties) },
  },
  createStatement: { className: 'CreateStatementRequest', fields: connectionId },
  closeStatement: {
    className: 'CloseStatementRequest',
    fields: { ...connectionId, statementId: count(2) },
  },
  prepare: {
    className: 'PrepareRequest',
    fields: {
      ...connectionId,
      sql: text(2),
      maxRowCount: count(3, 'int64'),
      maxRowsTotal: count(4, 'int64'),
    },
  },
  prepareAndExecute: {
    className: 'PrepareAndExecuteRequest',
    fields: {
      ...connectionId,
      sql: text(2),
      maxRowCount: count(3, 'int64'),
      statementId: count(4),
      maxRowsTotal: count(5, 'int64'),
      maxRowsInFirstFrame: count(6, 'int32'),
    },
  },
  execute: {
    className: 'ExecuteRequest',
    fields: {
      statementHandle: field(1, givenHandle),
      parameterValues: many(2, typedValue, 4),
      deprecatedFirstFrameMaxSize: count(3, 'int64'),
      maxRowCount: count(5, 'int32'),
    },
  },
  fetch: {
    className: 'FetchRequest',
    fields: {
      ...connectionId,
      statementId: count(2),
      offset: count(3, 'int64'),
      fetchMaxRowCount: count(4, 'int32'),
      frameMaxSize: count(5, 'int32'),
    },
  },
  syncResults: {
    className: 'SyncResultsRequest',
    fields: {
      ...connectionId,
      statementId: count(2),
      state: ignoreField(3),
      offset: count(4, 'int64'),
    },
  },
  getCatalogs: { className: 'CatalogsRequest', fields: connectionId },
  getSchemas: {
    className: 'SchemasRequest',
    fields: { catalog: text(1, 4), schemaPattern: text(2, 5), connectionId: text(3) },
  },
  getTables: {
    className: 'TablesRequest',
    fields: {
      catalog: text(1, 8),
      schemaPattern: text(2, 9),
      tableNamePattern: text(3, 10),
      typeList: many(4, 'string', 6),
      connectionId: text(7),
    },
  },
  getTableTypes: { className: 'TableTypesRequest', fields: connectionId },
  getColumns: {
    className: 'ColumnsRequest',
    fields: {
      catalog: text(1, 6),
      schemaPattern: text(2, 7),
      tableNamePattern: text(3, 8),
      columnNamePattern: text(4, 9),
      connectionId: text(5),
    },
  },
  getTypeInfo: { className: 'TypeInfoRequest', fields: connectionId },
  databaseProperties: { className: 'DatabasePropertyRequest', fields: connectionId },
  commit: { className: 'CommitRequest', fields: connectionId },
  rollback: { className: 'RollbackRequest', fields: connectionId },
  prepareAndExecuteBatch: {
    className: 'PrepareAndExecuteBatchRequest',
    fields: { ...connectionId, statementId: count(2), sqlCommands: many(3, 'string') },
  },
  executeBatch: {
    className: 'ExecuteBatchRequest',
    fields: { ...connectionId, statementId: count(2), parameterValues: many(3, 'bytes') },
  },
} as const satisfies Readonly<Record<string, Declared>>;

export type RequestName = keyof typeof requests;

/** Replies, by their names in JSON. */
export const replies = {
  openConnection: { className: 'OpenConnectionResponse', fields: { rpcMetadata: rpc(1) } },
  closeConnection: { className: 'CloseConnectionResponse', fields: { rpcMetadata: rpc(1) } },
  connectionSync: {
    className: 'ConnectionSyncResponse',
    fields: { connProps: field(1, connectionProperties), rpcMetadata: rpc(2) },
  },
  createStatement: {
    className: 'CreateStatementResponse',
    fields: { connectionId: text(1), statementId: count(2), rpcMetadata: rpc(3) },
  },
  closeStatement: { className: 'CloseStatementResponse', fields: { rpcMetadata: rpc(1) } },
  prepare: {
    className: 'PrepareResponse',
    fields: { statement: field(1, statementHandle), rpcMetadata: rpc(2) },
  },
  executeResults: {
    className: 'ExecuteResponse',
    fields: { results: many(1, resultSet), missingStatement: flag(2), rpcMetadata: rpc(3) },
  },
  fetch: {
    className: 'FetchResponse',
    fields: {
      frame: field(1, frame),
      missingStatement: flag(2),
      missingResults: flag(3),
      rpcMetadata: rpc(4),
    },
  },
  resultSet: { className: 'ResultSetResponse', fields: resultSet.fields() },
  syncResults: {
    className: 'SyncResultsResponse',
    fields: { missingStatement: flag(1), moreResults: flag(2), rpcMetadata: rpc(3) },
  },
  databaseProperties: { className: 'DatabasePropertyResponse', fields: { rpcMetadata: rpc(2) } },
  commit: { className: 'CommitResponse', fields: {} },
  rollback: { className: 'RollbackResponse', fields: {} },
  error: {
    className: 'ErrorResponse',
    fields: {
      exceptions: many(1, 'string', 7),
      errorMessage: text(2),
      severity: field(3, severities),
      errorCode: count(4),
      sqlState: text(5),
      rpcMetadata: rpc(6),
    },
  },
} as const satisfies Readonly<Record<string, Declared>>;

export type ReplyName = keyof typeof replies;

/** A reply, by its name; its fields are declared above. */
export interface AvaticaReply {
  readonly response: ReplyName;
  readonly [field: string]: unknown;
}

/** The wrapper of a Protocol Buffers message: class and bytes. */
export const wireMessage = message(() => ({ name: text(1), wrapped: field(2, 'bytes') }));
