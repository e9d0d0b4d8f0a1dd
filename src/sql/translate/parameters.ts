// Inputs of a request besides its text: values for `?`, and the settings of SET (Druid: "SQL query
// request").

import { InvalidTime, parseFarInstant } from '../../model/instant.ts';
import { formatJson } from '../../model/json.ts';
import { instantOfLocal } from '../../model/period.ts';
import { timeZoneOf } from '../../model/time-zone.ts';
import type { Literal, Parameter, Position, StatementList } from '../ast.ts';
import { constantOf } from '../expressions/casts.ts';
import { parseTimeLiteral, sqlDateText } from '../expressions/time-text.ts';
import type { Constant, Typed } from '../expressions/typed.ts';
import { invalidSql, SqlError } from '../sql-error.ts';
import {
  arrayOf,
  bigint,
  boolean,
  date,
  decimal,
  double,
  integer,
  leastRestrictive,
  nullType,
  type SqlType,
  timestamp,
  varchar,
} from '../types.ts';

export interface BoundParameter {
  readonly type: string; // an SQL type in capitals
  readonly value: unknown;
}

/**
 * The values of the statement's `?`. Extra values are ignored. Throws SqlError for a missing value
 * and for a value that does not fit its type.
 */
export function bindParameters(
  { parameterCount }: StatementList,
  parameters: readonly (BoundParameter | null)[],
  timeZone: string,
): readonly Typed[] {
  return parameters.slice(0, parameterCount).map((parameter, index) => {
    if (parameter === null)
      throw new SqlError(`No value bound for parameter (position [${index + 1}])`, {
        context: { sourceType: 'sql' },
      });
    return bind(parameter, timeZone);
  });
}

/**
 * Throws SqlError for a `?` without a value, at its position. Also for a `?` with a DATE if no
 * neighbour determines its type: the engine does not make a literal of a DATE, and infers the type
 * of other expressions only from their neighbours (Druid: SqlParameterizerShuttle; Calcite:
 * InferTypes.FIRST_KNOWN).
 */
export function refuseUnbound(
  { statement, parameterCount }: StatementList,
  parameters: readonly (BoundParameter | null)[],
): void {
  if (parameterCount === 0) return;
  const isOpen = ({ index }: Parameter) =>
    parameters[index]?.type === 'DATE' && (parameters[index]?.value ?? null) !== null;
  const typed = new Set<number>();
  const found = new Map<number, Parameter>();
  visitNodes(statement, (node) => {
    if (isParameter(node)) found.set(node.index, node);
    const operands = operandsOfOneType(node);
    if (operands.every((operand) => isParameter(operand) && isOpen(operand))) return;
    for (const operand of operands) if (isParameter(operand)) typed.add(operand.index);
  });
  for (let index = 0; index < parameterCount; index++) {
    if (parameters.length > 0 && parameters[index] === undefined)
      throw new SqlError(`No value bound for parameter (position [${index + 1}])`, {
        context: { sourceType: 'sql' },
      });
    const parameter = found.get(index);
    if (parameters[index] === undefined || (parameter && isOpen(parameter) && !typed.has(index)))
      throw invalidSql('Illegal use of dynamic parameter', parameter?.at ?? statement.at);
  }
}

/**
 * The statements with one index for all `?` of the same value: the engine compares them as the
 * literals that they become, in GROUP BY and in the items that it groups.
 */
export function withSharedParameters(
  list: StatementList,
  parameters: readonly (BoundParameter | null)[],
): StatementList {
  if (list.parameterCount < 2) return list;
  const firsts = new Map<string, number>();
  const shared = parameters.map((parameter, index) => {
    const print = formatJson([parameter?.type ?? null, parameter?.value ?? null]);
    const first = firsts.get(print) ?? index;
    firsts.set(print, first);
    return first;
  });
  const isOwn = shared.every((first, index) => first === index);
  return isOwn ? list : { ...list, statement: mapParameters(list.statement, shared) };
}

function mapParameters<Node>(node: Node, shared: readonly number[]): Node {
  if (typeof node !== 'object' || node === null) return node;
  if (isParameter(node)) return { ...node, index: shared[node.index] ?? node.index };
  if (Array.isArray(node)) return node.map((part) => mapParameters(part, shared)) as Node;
  return Object.fromEntries(
    Object.entries(node).map(([key, part]) => [key, mapParameters(part, shared)]),
  ) as Node;
}

// The operands of a node that must have one type, so that one determines the type of the others.
function operandsOfOneType(node: Readonly<Record<string, unknown>>): readonly unknown[] {
  switch (node.kind) {
    case 'binary':
      return comparisons.has(String(node.operator)) ? [node.left, node.right] : [];
    case 'between':
      return [node.operand, node.low, node.high];
    case 'in':
      return [node.operand, ...(Array.isArray(node.among) ? node.among : [node.among])];
    case 'cast':
      return [node.operand, node.type];
    default:
      return [];
  }
}

const comparisons: ReadonlySet<string> = new Set([
  '=',
  '<>',
  '<',
  '<=',
  '>',
  '>=',
  'IS DISTINCT FROM',
  'IS NOT DISTINCT FROM',
]);

function visitNodes(node: unknown, visit: (node: Readonly<Record<string, unknown>>) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) visit({ ...node });
  for (const part of Object.values(node)) visitNodes(part, visit);
}

const isParameter = (node: unknown): node is Parameter =>
  typeof node === 'object' && node !== null && 'kind' in node && node.kind === 'parameter';

/** The request's context with the values of SET: text, number, boolean. */
export function contextWith(
  context: Readonly<Record<string, unknown>>,
  settings: StatementList['settings'],
): Readonly<Record<string, unknown>> {
  return {
    ...context,
    ...Object.fromEntries(settings.map(({ name, value }) => [name, settingValue(value)])),
  };
}

function settingValue({ type, text }: Literal): unknown {
  if (type === 'boolean') return text === 'TRUE';
  if (type === 'null') return null;
  if (type === 'integer' && Number.isSafeInteger(Number(text))) return Number(text);
  if (type === 'decimal' || type === 'double') return Number(text);
  return text;
}

// A bound value has no position until its `?` is known.
const nowhere: Position = { line: 1, column: 1, endLine: 1, endColumn: 1 };

function bind({ type, value }: BoundParameter, timeZone: string): Typed {
  if (value === null || value === undefined) return constantOf(null, nullType, nowhere);
  switch (type) {
    case 'VARCHAR':
    case 'CHAR':
    case 'LONGVARCHAR':
    case 'NCHAR':
    case 'NVARCHAR':
      if (typeof value !== 'string') throw unfit();
      return constantOf(value, { name: 'CHAR', precision: value.length }, nowhere);
    case 'TINYINT':
      return wholeConstant(BigInt.asIntN(8, wholeOf(value)));
    case 'SMALLINT':
      return wholeConstant(BigInt.asIntN(16, wholeOf(value)));
    case 'INTEGER':
      return wholeConstant(BigInt.asIntN(32, wholeOf(value)));
    case 'BIGINT':
      return wholeConstant(BigInt.asIntN(64, wholeOf(value)));
    case 'DECIMAL':
    case 'NUMERIC':
      return isLong(numberOf(value))
        ? wholeConstant(wholeOf(value))
        : constantOf(numberOf(value), decimal, nowhere);
    case 'DOUBLE':
    case 'FLOAT':
    case 'REAL':
      return constantOf(numberOf(value), double, nowhere);
    case 'BIT':
    case 'BOOLEAN':
      if (typeof value !== 'boolean') throw unfit();
      return constantOf(value, boolean, nowhere);
    case 'TIMESTAMP':
      return constantOf(timeOf(value, timeZone), timestamp, nowhere);
    case 'DATE':
      return constantOf(dayOf(value, timeZone), date, nowhere);
    case 'ARRAY':
      return arrayConstant(value);
    default:
      throw unfit();
  }
}

const isLong = (number: number): boolean => Number.isInteger(number) && Math.abs(number) < 2 ** 63;

const wholeConstant = (number: bigint): Typed =>
  constantOf(number, number === BigInt.asIntN(32, number) ? integer : bigint, nowhere);

const unfit = () =>
  new SqlError('Cannot handle query', {
    category: 'UNCATEGORIZED',
    code: 'general',
    persona: 'OPERATOR',
  });

function wholeOf(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && isLong(Math.trunc(value))) return BigInt(Math.trunc(value));
  throw unfit();
}

function numberOf(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  throw unfit();
}

// A literal's text, ISO 8601, or milliseconds since 1970. The clock reading is one of the zone: an
// instant has its reading in UTC.
function timeOf(value: unknown, timeZone: string): bigint {
  const literal = typeof value === 'string' ? parseTimeLiteral(value, 'timestamp', timeZone) : null;
  if (literal !== null) return literal;
  const instant = typeof value === 'string' ? instantOf(value) : wholeOf(value);
  return timeZone === 'UTC'
    ? instant
    : BigInt(instantOfLocal(Number(instant), timeZoneOf(timeZone)));
}

function instantOf(text: string): bigint {
  if (/^-?\d{5,18}$/.test(text)) return BigInt(text);
  try {
    return parseFarInstant(text);
  } catch (error) {
    if (error instanceof InvalidTime) throw unfit();
    throw error;
  }
}

// `2024-02-29`, or a number of days since 1970. The day is a calendar day of the zone.
function dayOf(value: unknown, timeZone: string): bigint {
  const text = typeof value === 'string' ? value : sqlDateText(wholeOf(value) * 86_400_000n, 'UTC');
  const start = /^\d+-\d+-\d+$/.test(text) ? parseTimeLiteral(text, 'date', timeZone) : null;
  if (start === null) throw unfit();
  return start;
}

function arrayConstant(value: unknown): Typed {
  if (!Array.isArray(value)) throw unfit();
  if (value.length === 0) throw new SqlError('Require at least 1 argument');
  const items = value.map(
    (item: unknown): { readonly constant: Constant; readonly type: SqlType } => {
      if (typeof item === 'string') return { constant: item, type: varchar };
      if (typeof item === 'boolean') return { constant: item, type: boolean };
      if (typeof item === 'bigint') return { constant: item, type: bigint };
      if (typeof item === 'number')
        return Number.isInteger(item)
          ? { constant: BigInt(item), type: bigint }
          : { constant: item, type: double };
      if (item === null) return { constant: null, type: nullType };
      throw unfit();
    },
  );
  const element = leastRestrictive(items.map(({ type }) => type)) ?? varchar;
  const isFraction = element.name === 'DOUBLE';
  return constantOf(
    items.map(({ constant }) => (isFraction && constant !== null ? Number(constant) : constant)),
    arrayOf(element),
    nowhere,
  );
}
