// Error replies of JDBC, with Druid's exception classes, which clients match on (Druid: DruidMeta,
// ErrorHandler).
import type { Refusal } from '../../checks/refusals.ts';
import type { AvaticaReply } from './protocol.ts';

const druid = (name: string) => `org.apache.druid.java.util.common.${name}`;

/** A refusal of the protocol itself, with the real engine's exception class. */
export class AvaticaRefusal extends Error {
  readonly className: string;
  readonly isWrapped: boolean; // in a QueryInterruptedException
  constructor(className: string, message: string, isWrapped = false) {
    super(message);
    this.className = className;
    this.isWrapped = isWrapped;
  }
}

/** The connection is not open, or has expired: a driver then opens it again. */
export class NoSuchConnection extends Error {}

export const alreadyOpen = (id: string) =>
  new AvaticaRefusal(druid('ISE'), `Connection [${id}] already open.`);
export const tooManyConnections = (most: number, property: string) =>
  new AvaticaRefusal(
    druid('ISE'),
    `Too many connections, limit is ${most}: close one, or raise property [${property}]`,
  );
export const tooManyStatements = (most: number) =>
  new AvaticaRefusal(druid('ISE'), `Too many open statements, limit is ${most}`);
export const noResultSet = (statementId: number) =>
  new AvaticaRefusal(druid('ISE'), `No result set open for statement [${statementId}]`);
export const otherOffset = (offset: number, current: number) =>
  new AvaticaRefusal(
    druid('ISE'),
    `Requested offset ${offset} does not match currentOffset ${current}`,
  );
export const notForward = (offset: number, current: number) =>
  new AvaticaRefusal(
    druid('IAE'),
    `Druid can only fetch forward. Requested offset of ${offset} != current offset ${current}`,
    true,
  );
export const severalFrames = (most: number) =>
  new AvaticaRefusal(
    druid('ISE'),
    `Expected all results to be in a single frame: narrow the patterns to fewer than ${most} rows`,
  );
export const noBatches = () => new AvaticaRefusal(druid('UOE'), 'Batch statements not supported');
export const noTypeInfo = () => new AvaticaRefusal(druid('UOE'), 'Type information not supported');
export const noRepresentation = (type: string) =>
  new AvaticaRefusal(druid('ISE'), `No rep for SQL type [${type}]`);
export const notKnown = () =>
  new AvaticaRefusal(
    'org.apache.druid.server.security.ForbiddenException',
    'Authentication failed.',
  );
export const noSuchStatement = (connectionId: string, statementId: number) =>
  new AvaticaRefusal(
    'org.apache.calcite.avatica.NoSuchStatementException',
    `Statement [${statementId}] of connection [${connectionId}] is not open`,
    true,
  );
export const unsupportedParameter = (type: string) =>
  new AvaticaRefusal(
    'org.apache.druid.error.DruidException',
    `Cannot handle literal of unsupported type [${type}].`,
    true,
  );
export const badParameter = (type: string) =>
  new AvaticaRefusal(
    'java.lang.IllegalArgumentException',
    `The value of a parameter does not fit its type [${type}]`,
  );
export const longStatement = (length: number, most: number) =>
  new AvaticaRefusal(
    'java.lang.IllegalArgumentException',
    `A statement with parameters has at most [${most}] characters, but this one has [${length}]. Run it without parameters, or over HTTP`,
  );
export const unreadable = (reason: string) =>
  new AvaticaRefusal('java.lang.IllegalArgumentException', `The request cannot be read: ${reason}`);

/** The reply to a refusal of the service; it contains `message`, never a stack trace. */
export function errorOf(error: AvaticaRefusal | NoSuchConnection | Refusal): AvaticaReply {
  if (error instanceof NoSuchConnection) {
    const exceptions = ['org.apache.calcite.avatica.NoSuchConnectionException\n'];
    return {
      response: 'error',
      exceptions,
      errorMessage: null,
      errorCode: noSuchConnectionCode,
      sqlState: '00000',
      severity: 'ERROR',
    };
  }
  const { className, text, isWrapped } = sayingOf(error);
  const short = className.slice(className.lastIndexOf('.') + 1);
  const plain = `${className}: ${text}\n`;
  const wrapped = `QueryInterruptedException{msg=${text}, code=Unknown exception, class=${className}, host=null}\nCaused by: ${plain}`;
  return {
    response: 'error',
    exceptions: [isWrapped ? wrapped : plain],
    errorMessage: isWrapped
      ? `QueryInterruptedException: ${text} -> ${short}: ${text}`
      : `${short}: ${text}`,
    errorCode: -1,
    sqlState: '00000',
    severity: 'UNKNOWN',
  };
}

// A driver opens the connection again on this code (Avatica:
// ErrorResponse.MISSING_CONNECTION_ERROR_CODE).
const noSuchConnectionCode = 1;

function sayingOf(error: AvaticaRefusal | Refusal): {
  readonly className: string;
  readonly text: string;
  readonly isWrapped: boolean;
} {
  if (error instanceof AvaticaRefusal)
    return { className: error.className, text: error.message, isWrapped: error.isWrapped };
  const { category, details, message: text } = error;
  if (category === 'forbidden')
    return {
      className: 'org.apache.druid.server.security.ForbiddenException',
      text,
      isWrapped: false,
    };
  const className = details.legacy?.errorClass;
  return className === undefined
    ? { className: 'org.apache.druid.error.DruidException', text, isWrapped: true }
    : { className, text, isWrapped: false };
}
