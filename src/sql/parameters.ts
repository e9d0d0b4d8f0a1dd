// What comes with a request besides its text: the values for `?`, and the settings of SET (Druid: "SQL query request").
import type { Literal, Position, StatementList } from './ast.ts';
import { constantOf } from './casts.ts';
import { invalidSql, SqlError } from './sql-error.ts';
import { parseTimeLiteral } from './time-text.ts';
import type { Constant, Typed } from './typed.ts';
import {
  arrayOf,
  bigint,
  boolean,
  decimal,
  double,
  integer,
  leastRestrictive,
  nullType,
  type SqlType,
  timestamp,
  varchar,
} from './types.ts';

export interface BoundParameter {
  readonly type: string; // an SQL type in capitals
  readonly value: unknown;
}

/**
 * The values of the statement's `?`. More than there are `?` are ignored.
 * Throws SqlError for a missing one, for DATE, which cannot be bound, and for a value that does not fit its type.
 */
export function bindParameters(
  { parameterCount }: StatementList,
  parameters: readonly (BoundParameter | null)[],
  timeZone: string,
): readonly Typed[] {
  return parameters.slice(0, parameterCount).map((parameter, index) => {
    if (parameter === null) throw new SqlError(`No value bound for parameter (position [${index + 1}])`);
    return bind(parameter, timeZone);
  });
}

/** `?` without a value, where it stands. */
export const unboundParameter = (at: Position) => invalidSql('Illegal use of dynamic parameter', at);

/** The request's context with what SET adds: text, number, boolean. */
export function contextWith(
  context: Readonly<Record<string, unknown>>,
  settings: StatementList['settings'],
): Readonly<Record<string, unknown>> {
  return { ...context, ...Object.fromEntries(settings.map(({ name, value }) => [name, settingValue(value)])) };
}

function settingValue({ type, text }: Literal): unknown {
  if (type === 'boolean') return text === 'TRUE';
  if (type === 'null') return null;
  if (type === 'integer' && Number.isSafeInteger(Number(text))) return Number(text);
  if (type === 'decimal' || type === 'double') return Number(text);
  return text;
}

// Where a bound value stands nobody knows but the `?` that takes it.
const nowhere: Position = { line: 1, column: 1, endLine: 1, endColumn: 1 };

function bind({ type, value }: BoundParameter, timeZone: string): Typed {
  if (value === null || value === undefined) return constantOf(null, nullType, nowhere);
  switch (type) {
    case 'VARCHAR':
    case 'CHAR':
      return constantOf(textOf(value), { name: 'CHAR', precision: textOf(value).length }, nowhere);
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT': {
      const number = wholeOf(value);
      return constantOf(number, number >= -(2n ** 31n) && number < 2n ** 31n ? integer : bigint, nowhere);
    }
    case 'DECIMAL':
      return constantOf(numberOf(value), decimal, nowhere);
    case 'DOUBLE':
    case 'FLOAT':
    case 'REAL':
      return constantOf(numberOf(value), double, nowhere);
    case 'BOOLEAN':
      if (typeof value !== 'boolean') throw unfit();
      return constantOf(value, boolean, nowhere);
    case 'TIMESTAMP':
      return constantOf(timeOf(value, timeZone), timestamp, nowhere);
    case 'ARRAY':
      return arrayConstant(value);
    default:
      return constantOf(textOf(value), varchar, nowhere);
  }
}

const unfit = () => new SqlError('Cannot handle query', { category: 'UNCATEGORIZED', code: 'general', persona: 'OPERATOR' });

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function wholeOf(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return BigInt(Math.trunc(value));
  throw unfit();
}

function numberOf(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  throw unfit();
}

function timeOf(value: unknown, timeZone: string): bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return wholeOf(value);
  if (typeof value !== 'string') throw unfit();
  const iso = /T/.test(value) ? Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`) : Number.NaN;
  const millis = Number.isNaN(iso) ? parseTimeLiteral(value, timeZone) : BigInt(iso);
  if (millis === null) throw unfit();
  return millis;
}

function arrayConstant(value: unknown): Typed {
  if (!Array.isArray(value)) throw unfit();
  const items = value.map((item: unknown): { readonly constant: Constant; readonly type: SqlType } => {
    if (typeof item === 'string') return { constant: item, type: varchar };
    if (typeof item === 'boolean') return { constant: item, type: boolean };
    if (typeof item === 'bigint') return { constant: item, type: bigint };
    if (typeof item === 'number')
      return Number.isInteger(item) ? { constant: BigInt(item), type: bigint } : { constant: item, type: double };
    throw new SqlError('parameter [1]: Array elements cannot be null');
  });
  const element = leastRestrictive(items.map(({ type }) => type)) ?? varchar;
  const isFraction = element.name === 'DOUBLE';
  return constantOf(
    items.map(({ constant }) => (isFraction ? Number(constant) : constant)),
    arrayOf(element),
    nowhere,
  );
}
