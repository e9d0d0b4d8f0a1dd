// Expressions of transforms (Druid: querying/math-expr). Functions on nested data are evaluated by
// the values of each row, because the fields of a file have no declared types. Other functions use
// the types of the field's values.
import { columnsOf, type NativeExpression, partsOf } from '../../sql/native/native-expression.ts';
import { parseNativeExpression } from '../../sql/native/parse-expression.ts';
import { resolveNativeExpression } from '../../sql/native/resolve.ts';
import { SqlError } from '../../sql/sql-error.ts';
import type { SpecFields } from '../checks/spec-fields.ts';
import { quote } from '../engine/sql-text.ts';
import { duckdbPath, parseJsonPath } from './json-path.ts';
import type { RawField } from './raw-rows.ts';
import { type RowFields, rowScope } from './row-scope.ts';

export interface TransformExpression {
  readonly text: string;
  readonly columns: readonly string[];
  readonly dynamic: boolean; // values of any type, evaluated row by row
}

/** Parses an expression; refuses an invalid one, with the transform's name. */
export function parseTransformExpression(text: string, transform: SpecFields): TransformExpression {
  try {
    const expression = parseNativeExpression(text);
    return { text, columns: [...columnsOf(expression)], dynamic: isDynamic(expression) };
  } catch (error) {
    if (error instanceof SqlError)
      return transform.refuse(`expression [${text}] cannot be read: ${error.message}`);
    throw error;
  }
}

/**
 * DuckDB's expression for a transform's value, of type JSON. Throws SqlError for an expression that
 * does not fit the types of the fields.
 */
export function transformSql({ text, dynamic }: TransformExpression, fields: RowFields): string {
  if (dynamic)
    return dynamicSql(parseNativeExpression(text), (name) => fields.raw.fields.get(name));
  const isFlat = !readsNested(parseNativeExpression(text));
  const { type, sql } = resolveNativeExpression(text, rowScope({ ...fields, isFlat }));
  if (type.name === 'OTHER') return sql;
  return type.name === 'BOOLEAN' ? `to_json((${sql})::BIGINT)` : `to_json(${sql})`;
}

const readsNested = (expression: NativeExpression): boolean =>
  (expression.kind === 'call' && expression.name.includes('json')) ||
  partsOf(expression).some(readsNested);

function isDynamic(expression: NativeExpression): boolean {
  switch (expression.kind) {
    case 'literal':
      return expression.type === 'string';
    case 'name':
      return true;
    case 'call': {
      const known = functions[expression.name];
      if (
        !known ||
        (known.path !== undefined && expression.args.length > known.path + 1) ||
        !expression.args.every(isDynamic)
      )
        return false;
      return known.path === undefined || pathIn(expression.args[known.path]) !== undefined;
    }
    default:
      return false;
  }
}

function dynamicSql(
  expression: NativeExpression,
  fieldOf: (name: string) => RawField | undefined,
): string {
  if (expression.kind === 'literal') return `to_json(${quote(expression.text)})`;
  if (expression.kind === 'name') {
    const field = fieldOf(expression.name);
    if (!field) return 'NULL::JSON';
    return field.kind === 'json' ? field.sql : `to_json(${field.sql})`;
  }
  if (expression.kind !== 'call')
    throw new TypeError(`An expression of kind [${expression.kind}] has no dynamic value`);
  const { name, args } = expression;
  const values = args.map((arg) => dynamicSql(arg, fieldOf));
  return functions[name]?.sql(values, args) ?? 'NULL::JSON';
}

interface JsonFunction {
  readonly path?: number; // index of the argument that must be a constant path
  readonly sql: (values: readonly string[], args: readonly NativeExpression[]) => string;
}

const text = (value: string) => `(${value} ->> '$')`;

const functions: Readonly<Record<string, JsonFunction | undefined>> = {
  json_query: { path: 1, sql: ([value = ''], [, path]) => extract(value, path) },
  // A boolean becomes its text, as in the real engine.
  json_value: {
    path: 1,
    sql([value = ''], [, path]) {
      const found = extract(value, path);
      return `CASE json_type(${found}) WHEN 'ARRAY' THEN NULL WHEN 'OBJECT' THEN NULL WHEN 'BOOLEAN' THEN to_json(${found} ->> '$') ELSE ${found} END`;
    },
  },
  parse_json: { sql: ([value = '']) => parseOrNull(value) },
  try_parse_json: { sql: ([value = '']) => parseOrNull(value) },
  to_json_string: { sql: ([value = '']) => `to_json(coalesce(${value}, 'null'::JSON)::VARCHAR)` },
  json_object: {
    sql: (values) =>
      `json_object(${values.map((value, index) => (index % 2 === 0 ? text(value) : value)).join(', ')})`,
  },
};

function extract(value: string, path: NativeExpression | undefined): string {
  const duckdb = duckdbPath(pathIn(path) ?? []);
  return duckdb === '$' ? value : `json_extract(${value}, ${quote(duckdb)})`;
}

// `$.` also means the root.
const pathIn = (path: NativeExpression | undefined) =>
  path?.kind === 'literal' && path.type === 'string'
    ? parseJsonPath(path.text === '$.' ? '$' : path.text)
    : undefined;

// A text is parsed as JSON; other values are JSON already.
const parseOrNull = (value: string) =>
  `CASE WHEN json_type(${value}) = 'VARCHAR' THEN TRY_CAST(${text(value)} AS JSON) ELSE ${value} END`;
