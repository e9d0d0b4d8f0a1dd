// Members of a native query's JSON: reading, and errors that name the member.
import type { Position } from '../ast.ts';
import { SqlError } from '../sql-error.ts';

/** An object of a native query. */
export type Node = Readonly<Record<string, unknown>>;

/** Whether a value is an object. */
export const isNode = (given: unknown): given is Node =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

/** Placeholder position: parts of a JSON query have no position in a text. */
export const NOWHERE: Position = { line: 1, column: 1, endLine: 1, endColumn: 1 };

/**
 * The fault of a malformed query: an object that cannot be built, a text that cannot be
 * read as its type, a value that fails while it is read, a value of another type, or an unknown
 * name of a type.
 */
export type ParseFault =
  | 'construction'
  | 'definition'
  | 'format'
  | 'mapping'
  | 'mismatch'
  | 'typeId';

/** The refusal of a query that is malformed. */
export const malformed = (message: string, fault: ParseFault = 'construction'): SqlError =>
  new SqlError(message, fault === 'construction' ? {} : { code: fault });

/** The fault of a malformed query. */
export const parseFaultOf = ({ code }: SqlError): ParseFault =>
  code === 'definition' ||
  code === 'format' ||
  code === 'mapping' ||
  code === 'mismatch' ||
  code === 'typeId'
    ? code
    : 'construction';

// The fault of a value that cannot be read as a scalar.
const faultOf = (value: unknown): ParseFault => (typeof value === 'string' ? 'format' : 'mismatch');

/** The refusal of an engine feature that this service does not support. */
export const notSupported = (message: string): SqlError =>
  new SqlError(message, { category: 'UNSUPPORTED', code: 'general', persona: 'OPERATOR' });

/**
 * The refusal of a valid query that the engine fails to run. `javaClass` is the class of the
 * engine's exception, if it is known.
 */
export const cannotRun = (message: string, javaClass?: string): SqlError =>
  new SqlError(message, {
    category: 'RUNTIME_FAILURE',
    ...(javaClass !== undefined && { code: javaClass }),
  });

/** Classes of the engine's exceptions. */
export const javaClasses = {
  argument: 'org.apache.druid.java.util.common.IAE',
  javaArgument: 'java.lang.IllegalArgumentException',
  javaState: 'java.lang.IllegalStateException',
  state: 'org.apache.druid.java.util.common.ISE',
} as const;

/** The class of the engine's exception of a query that it fails to run. */
export const javaClassOfFailure = ({ code }: SqlError): string | undefined =>
  Object.values<string>(javaClasses).find((known) => known === code);

/** Whether the engine refuses a call only when it runs the query, such as one of no lookup. */
export const isFailureOfRun = ({ category, code }: SqlError): boolean =>
  category === 'UNCATEGORIZED' && code === 'legacyQueryException';

/** The refusal of an operation that the engine does not have for some types (Druid: UOE). */
export const unsupportedOperation = (message: string): SqlError =>
  new SqlError(message, { category: 'RUNTIME_FAILURE', code: operationCode });

/** The code of such a refusal. */
export const operationCode = 'Unsupported operation';

/**
 * The result of `read`. The engine parses some expressions only when it runs the query, so that an
 * invalid one is a failure then.
 * Throws SqlError.
 */
export function failingLate<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof SqlError && error.category === 'INVALID_INPUT')
      throw cannotRun(error.message);
    throw error;
  }
}

/** The value as an object. `what` names it in the error message. Throws SqlError. */
export function nodeOf(given: unknown, what: string): Node {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const found = Array.isArray(given)
      ? 'a list'
      : given === undefined
        ? 'nothing'
        : JSON.stringify(given, withDigits);
    throw malformed(`[${what}] must be an object, but is [${found}]`, faultOfNode(given, what));
  }
  return Object.fromEntries(Object.entries(given));
}

/**
 * The fault of a value other than an object. The parser seeks the name of a type, also as the first
 * item of a list. Parts that also have a short form are built from any value.
 */
export function faultOfNode(given: unknown, what: string): ParseFault {
  if (given === undefined || given === null || shortForms.has(what)) return 'construction';
  if (untyped.has(what)) return 'mismatch';
  return Array.isArray(given) && typeof given[0] !== 'string' ? 'mismatch' : 'typeId';
}

const shortForms: ReadonlySet<string> = new Set(['dimension', 'dimensions', 'intervals', 'metric']);

// Objects of a single type, or with a type by default.
const untyped: ReadonlySet<string> = new Set([
  'columns',
  'dataSource',
  'limitSpec',
  'map',
  'orderBy',
  'sort',
]);

const withDigits = (_: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : value;

/** Whether a member is present. Null counts as absent. */
export const has = (node: Node, key: string): boolean =>
  node[key] !== undefined && node[key] !== null;

/** A required text. Throws SqlError. */
export function textIn(node: Node, key: string): string {
  const value = node[key];
  if (typeof value === 'string') return value;
  // Jackson accepts numbers and booleans as texts.
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  throw malformed(
    `Must have a valid, non-null [${key}]${of(node)}`,
    has(node, key) ? 'mismatch' : 'construction',
  );
}

/** An optional text. Throws SqlError. */
export const textOr = <Other>(node: Node, key: string, other: Other): string | Other =>
  has(node, key) ? textIn(node, key) : other;

/** An optional boolean, also accepted as text. Throws SqlError. */
export function truthOr(node: Node, key: string, other: boolean): boolean {
  const value = node[key];
  if (value === undefined || value === null || value === '') return other;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'bigint' || Number.isInteger(value)) return Number(value) !== 0;
  if (typeof value === 'string' && /^(true|false)$/i.test(value))
    return value.toLowerCase() === 'true';
  throw malformed(
    `[${key}]${of(node)} must be true or false, but is [${String(value)}]`,
    faultOf(value),
  );
}

/** A condition of a context: whether it is true, or a text that says so. */
export function contextTruth(context: Node, key: string, other: boolean): boolean {
  const value = context[key];
  if (value === undefined || value === null) return other;
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}

/** An optional whole number, also accepted as text. Throws SqlError. */
export function wholeOr<Other>(node: Node, key: string, other: Other): number | Other {
  const value = node[key];
  if (value === undefined || value === null || value === '') return other;
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return Math.trunc(number);
  throw malformed(
    `[${key}]${of(node)} must be a whole number, but is [${String(value)}]`,
    faultOf(value),
  );
}

/** An optional whole number of 32 bits. Throws SqlError. */
export function intOr<Other>(node: Node, key: string, other: Other): number | Other {
  const whole = wholeOr(node, key, other);
  if (typeof whole === 'number' && (whole > 2147483647 || whole < -2147483648))
    throw malformed(
      `Numeric value (${whole}) out of range of int (-2147483648 - 2147483647)`,
      'mapping',
    );
  return whole;
}

/** A required number. Throws SqlError. */
export function numberIn(node: Node, key: string): number {
  const value = node[key];
  const number =
    typeof value === 'string' ? Number(value) : typeof value === 'bigint' ? Number(value) : value;
  if (typeof number === 'number' && !Number.isNaN(number)) return number;
  throw malformed(
    `[${key}]${of(node)} must be a number`,
    has(node, key) ? faultOf(value) : 'construction',
  );
}

/** An optional number. Throws SqlError. */
export const numberOr = (node: Node, key: string, other: number): number =>
  has(node, key) ? numberIn(node, key) : other;

/** A number of standard deviations, 1 by default. Throws SqlError unless it is 1, 2 or 3. */
export function deviationsIn(node: Node, key: string): number {
  const deviations = wholeOr(node, key, 1);
  if (![1, 2, 3].includes(deviations))
    throw malformed(`[${key}] must be 1, 2 or 3, not [${deviations}]`);
  return deviations;
}

/** A required list, each item read by `item`. Throws SqlError. */
export function listIn<Item>(node: Node, key: string, item: (value: unknown) => Item): Item[] {
  const value = node[key];
  if (!Array.isArray(value))
    throw malformed(`[${key}]${of(node)} must be a list`, faultOfList(key, value));
  return value.map((each) => item(each));
}

function faultOfList(key: string, value: unknown): ParseFault {
  if (value === undefined || value === null) return 'construction';
  return typeof value === 'string' && arrays.has(key) ? 'definition' : 'mismatch';
}

// Lists that the engine reads as arrays of Java.
const arrays: ReadonlySet<string> = new Set(['extractionFns', 'fractions', 'splitPoints']);

/** An optional list, empty by default. Throws SqlError. */
export const listOr = <Item>(node: Node, key: string, item: (value: unknown) => Item): Item[] =>
  has(node, key) ? listIn(node, key, item) : [];

/** Reads a text, for `listIn`. Throws SqlError. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  throw malformed(`A text is expected, not [${String(value)}]`, 'mismatch');
}

/** The row of a table selected by the `type` of an object. Throws SqlError with all known names. */
export function kindOf<Kind>(
  table: Readonly<Record<string, Kind>>,
  node: Node,
  what: string,
): Kind {
  const { type } = node;
  const found = typeof type === 'string' && Object.hasOwn(table, type) ? table[type] : undefined;
  if (found !== undefined) return found;
  // An unknown type of these is read as their short form, and lacks its fields.
  const fault: ParseFault =
    what === 'DataSource' || what === 'TopNMetricSpec' ? 'construction' : 'typeId';
  if (type === undefined || type === null)
    throw malformed(`missing type id property 'type' of [${what}]`, fault);
  throw malformed(
    `Could not resolve type id '${String(type)}' as a subtype of [${what}]: known type ids = [${Object.keys(table).join(', ')}]`,
    fault,
  );
}

const of = ({ type, queryType }: Node) =>
  typeof (type ?? queryType) === 'string' ? ` of [${String(type ?? queryType)}]` : '';
