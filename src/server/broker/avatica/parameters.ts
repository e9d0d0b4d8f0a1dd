// Parameters (`?`) of a prepared statement: their types, and the values that drivers send for them.
import { formatInstant, instantOf } from '../../../model/instant.ts';
import type { Expression, Query } from '../../../sql/ast.ts';
import type { Catalog, TableColumn } from '../../../sql/catalog.ts';
import { typeOfName } from '../../../sql/expressions/type-name.ts';
import { parseStatements } from '../../../sql/parse/parse.ts';
import {
  bigint,
  boolean,
  date,
  decimal,
  double,
  integer,
  leastRestrictive,
  type SqlType,
  sqlTypeOfNative,
  timestamp,
  varchar,
} from '../../../sql/types.ts';
import { badParameter, longStatement, unreadable, unsupportedParameter } from './refusals.ts';
import { representations } from './representations.ts';
import type { GivenValue } from './requests.ts';

/** A parameter in the form of a SQL request. */
type BoundValue = { readonly type: string; readonly value: unknown };

// ── Types ────────────────────────────────────────────────────────────────────────────────────────

/**
 * The types of a statement's parameters, inferred from the neighbouring operands (Calcite:
 * InferTypes.FIRST_KNOWN); VARCHAR by default. Throws SqlError for a text that is not a statement.
 */
export function parameterTypesOf(text: string, catalog: Catalog): readonly SqlType[] {
  if (!text.includes('?')) return [];
  if (text.length > longest) throw longStatement(text.length, longest);
  const { statement, parameterCount } = parseStatements(text);
  const columns = new Map<string, SqlType>();
  visitNodes(statement, (node) => {
    if (node.kind === 'table') noteColumns(node.names as readonly string[], catalog, columns);
  });
  const found = new Map<number, SqlType>();
  visitNodes(statement, (node) => {
    const group = operandsOfOneType(node);
    const type =
      group.type ??
      leastRestrictive(group.operands.flatMap((operand) => typeOf(operand, columns) ?? []));
    if (!type || type.name === 'NULL') return;
    for (const operand of group.operands)
      if (operand.kind === 'parameter' && !found.has(operand.index)) found.set(operand.index, type);
  });
  return Array.from({ length: parameterCount }, (_, index) => found.get(index) ?? varchar);
}

/**
 * Placeholder values of these types, for planning a statement before its parameter values are
 * known.
 */
export const anyValues = (types: readonly SqlType[]): BoundValue[] =>
  types.map(({ name }) => ({ type: name, value: anyValue[name] ?? null }));

const anyValue: { readonly [Name in SqlType['name']]?: unknown } = {
  TINYINT: 1,
  SMALLINT: 1,
  INTEGER: 1,
  BIGINT: 1,
  DECIMAL: 1,
  FLOAT: 1,
  REAL: 1,
  DOUBLE: 1,
  BOOLEAN: true,
  TIMESTAMP: '1970-01-01 00:00:00',
};

// In characters, because the statement is parsed in one turn.
const longest = 64 * 1024;

type Node = Readonly<Record<string, unknown>>;

function visitNodes(node: unknown, visit: (node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) visit(node as Node);
  for (const part of Object.values(node)) visitNodes(part, visit);
}

function noteColumns(
  names: readonly string[],
  catalog: Catalog,
  columns: Map<string, SqlType>,
): void {
  const table = catalog.findTable(names.at(-2), names.at(-1) ?? '');
  for (const column of table?.columns ?? [])
    if (!columns.has(column.name)) columns.set(column.name, columnType(column));
}

const columnType = ({ type, sqlType }: TableColumn): SqlType =>
  sqlType === 'TIMESTAMP'
    ? timestamp
    : sqlType === 'BOOLEAN'
      ? boolean
      : (sqlTypeOfNative(type) ?? varchar);

interface Group {
  readonly operands: readonly Expression[];
  readonly type?: SqlType; // where the operands do not determine it
}

function operandsOfOneType(given: Node): Group {
  const node = given as unknown as Expression | Query;
  switch (node.kind) {
    case 'binary':
      if (node.operator === 'AND' || node.operator === 'OR')
        return { operands: [node.left, node.right], type: boolean };
      return {
        operands: [node.left, node.right],
        ...(node.operator === '||' && { type: varchar }),
      };
    case 'between':
      return { operands: [node.operand, node.low, node.high] };
    case 'in':
      return { operands: [node.operand, ...('kind' in node.among ? [] : node.among)] };
    case 'like':
      return {
        operands: [node.operand, node.pattern, ...(node.escape ? [node.escape] : [])],
        type: varchar,
      };
    case 'cast':
      return { operands: [node.operand], type: typeOfName(node.type) };
    case 'case':
      return {
        operands: [
          ...node.whens.map(({ then }) => then),
          ...(node.otherwise ? [node.otherwise] : []),
        ],
      };
    case 'query':
      return { operands: [node.limit, node.offset].flatMap((count) => count ?? []), type: integer };
    default:
      return { operands: [] };
  }
}

function typeOf(
  expression: Expression,
  columns: ReadonlyMap<string, SqlType>,
): SqlType | undefined {
  switch (expression.kind) {
    case 'literal':
      return literalTypes[expression.type];
    case 'identifier':
      return columns.get(expression.names.at(-1) ?? '');
    case 'cast':
      return typeOfName(expression.type);
    case 'unary':
      return expression.operator === 'NOT' ? boolean : typeOf(expression.operand, columns);
    case 'binary':
      return leastRestrictive(
        [expression.left, expression.right].flatMap((side) => typeOf(side, columns) ?? []),
      );
    case 'call': {
      const { name, args } = expression;
      if (counts.has(name)) return bigint;
      return firstArgument.has(name) && args[0] ? typeOf(args[0], columns) : resultTypes[name];
    }
    default:
      return undefined;
  }
}

const literalTypes: {
  readonly [Type in Extract<Expression, { kind: 'literal' }>['type']]?: SqlType;
} = {
  string: varchar,
  integer,
  decimal,
  double,
  boolean,
  timestamp,
  date,
};

const counts: ReadonlySet<string> = new Set([
  'COUNT',
  'APPROX_COUNT_DISTINCT',
  'LENGTH',
  'CHAR_LENGTH',
  'STRLEN',
  'TIMESTAMP_TO_MILLIS',
  'EXTRACT',
]);
const firstArgument: ReadonlySet<string> = new Set([
  'SUM',
  'MIN',
  'MAX',
  'AVG',
  'LATEST',
  'EARLIEST',
  'ANY_VALUE',
  'ABS',
  'FLOOR',
  'CEIL',
  'COALESCE',
  'NVL',
]);
const resultTypes: Readonly<Record<string, SqlType>> = {
  UPPER: varchar,
  LOWER: varchar,
  SUBSTRING: varchar,
  CONCAT: varchar,
  TIME_FLOOR: timestamp,
  TIME_SHIFT: timestamp,
  TIME_PARSE: timestamp,
  MILLIS_TO_TIMESTAMP: timestamp,
  CURRENT_TIMESTAMP: timestamp,
  CURRENT_DATE: date,
};

// ── Values ───────────────────────────────────────────────────────────────────────────────────────

/**
 * The values that a driver sends for this many parameters; null stands for an unset one. Throws a
 * refusal for an unsupported type, and for a value that does not fit its type.
 */
export const boundValues = (
  given: readonly (GivenValue | null)[],
  count: number,
): (BoundValue | null)[] =>
  Array.from({ length: Math.max(given.length, count) }, (_, at) =>
    given[at] ? bindValue(given[at]) : null,
  );

function bindValue({ type, value }: GivenValue): BoundValue {
  if (!(type in representations.numbers)) throw unreadable(`parameter type [${type}] is unknown`);
  if (value === null || value === undefined) return { type: 'VARCHAR', value: null };
  switch (type.replace('PRIMITIVE_', '')) {
    case 'BOOLEAN':
      if (typeof value !== 'boolean') throw badParameter(type);
      return { type: 'BOOLEAN', value };
    case 'BYTE':
    case 'SHORT':
    case 'INT':
    case 'INTEGER':
    case 'LONG':
      return { type: 'BIGINT', value: whole(type, value) };
    case 'FLOAT':
    case 'DOUBLE':
      return { type: 'DOUBLE', value: finite(type, value) };
    case 'NUMBER':
    case 'BIG_DECIMAL':
    case 'BIG_INTEGER':
      return typeof value === 'bigint' || Number.isSafeInteger(value)
        ? { type: 'BIGINT', value: whole(type, value) }
        : {
            type: 'DECIMAL',
            value: finite(type, typeof value === 'string' ? Number(value || 'x') : value),
          };
    case 'CHAR':
    case 'CHARACTER':
    case 'STRING':
      if (typeof value !== 'string') throw badParameter(type);
      return { type: 'VARCHAR', value };
    case 'JAVA_SQL_DATE':
      return { type: 'DATE', value: Number(whole(type, value)) };
    // A wall-clock time, represented as UTC: it is the local time in the connection's zone.
    case 'JAVA_SQL_TIMESTAMP':
    case 'JAVA_UTIL_DATE':
      return { type: 'TIMESTAMP', value: wallClock(type, value) };
    case 'ARRAY':
      if (!Array.isArray(value)) throw badParameter(type);
      return { type: 'ARRAY', value };
    default:
      throw unsupportedParameter(type);
  }
}

function whole(type: string, value: unknown): number | bigint {
  const isWhole =
    typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isInteger(value);
  if (!isWhole) throw badParameter(type);
  return value as number | bigint;
}

function finite(type: string, value: unknown): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw badParameter(type);
  return number;
}

function wallClock(type: string, value: unknown): string {
  const ms = Number(whole(type, value));
  if (Math.abs(ms) > farthestMs) throw badParameter(type);
  return formatInstant(instantOf(ms)).replace('T', ' ').replace('Z', '');
}

const farthestMs = 8_640_000_000_000_000 / 40; // some 6,800 years: the range of a literal
