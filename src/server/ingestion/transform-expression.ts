// Expressions of transforms (Druid: querying/math-expr). Functions on nested data are evaluated by
// the values of each row, because the fields of a file have no declared types. Other functions use
// the types of the field's values.
import { itemType } from '../../model/column-types.ts';
import { bindOnce } from '../../sql/expressions/bind-once.ts';
import { columnsOf, type NativeExpression, partsOf } from '../../sql/native/native-expression.ts';
import { parseNativeExpression } from '../../sql/native/parse-expression.ts';
import { resolveNativeExpression } from '../../sql/native/resolve.ts';
import { failureSql } from '../../sql/runtime/own-words.ts';
import { SqlError } from '../../sql/sql-error.ts';
import type { SpecFields } from '../checks/spec-fields.ts';
import { quote } from '../engine/sql-text.ts';
import { longestRead } from './json-lines.ts';
import { duckdbPath, parseJsonPath } from './json-path.ts';
import type { RawField } from './raw-rows.ts';
import {
  type RowFields,
  type RowShape,
  type RowTypes,
  rowScope,
  rowShapesOf,
  withLongs,
} from './row-scope.ts';

export interface TransformExpression {
  readonly text: string;
  readonly columns: readonly string[];
  readonly dynamic: boolean; // values of any type, evaluated row by row
  readonly mapsLists?: true; // of a metric: see RowFields
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
export function transformSql(
  { text, columns, dynamic, mapsLists }: TransformExpression,
  fields: RowFields,
): string {
  if (dynamic)
    return dynamicSql(parseNativeExpression(text), (name) => fields.raw.fields.get(name));
  const isFlat = !readsNested(parseNativeExpression(text));
  const resolve = (rowTypes: RowTypes): string => {
    const { type, sql } = resolveNativeExpression(
      text,
      rowScope({ ...fields, isFlat, mapsLists, rowTypes }),
    );
    if (type.name === 'OTHER') return sql;
    if (type.multiValue) return oneOrSeveral(sql);
    return type.name === 'BOOLEAN' ? `to_json((${sql})::BIGINT)` : `to_json(${sql})`;
  };
  const shaped = columns.map((name) => ({ name, shapes: rowShapesOf(fields, name, isFlat) }));
  const most = Math.min(mostVariants, Math.floor(mostText / text.length));
  const varying = varyingAmong(shaped, most);
  const uniform = shaped.flatMap((field) => {
    const [first, ...others] = varying.includes(field) ? [] : field.shapes;
    // A field with lists has lists of one value in other rows.
    const isUniform = first && (others.length === 0 || itemType(first.native));
    return isUniform ? [[field.name, first.native] as const] : [];
  });
  return sqlOfRows(new Map(uniform), varying, resolve);
}

const mostVariants = 4; // of an expression: DuckDB takes a tenth of a second to plan each
const mostText = 64 * 1024; // characters of all variants, which are read within milliseconds

// The first fields of several types, as far as their combinations are few. Others have one type for
// all rows.
function varyingAmong(fields: readonly ShapedField[], most: number): readonly ShapedField[] {
  let count = 1;
  return fields.filter(({ shapes: { length } }) => {
    const varies = length > 1 && count * length <= most;
    if (varies) count *= length;
    return varies;
  });
}

const oneOrSeveral = (list: string) =>
  bindOnce(
    [list],
    ([x = '']) => `CASE len(${x}) WHEN 1 THEN to_json(${x}[1]) ELSE to_json(${x}) END`,
  );

interface ShapedField {
  readonly name: string;
  readonly shapes: readonly RowShape[];
}

// An expression reads each row by itself, with the type that a field has there. For rows to which
// it does not apply, it fails (Druid: ExpressionTransform).
function sqlOfRows(
  uniform: RowTypes,
  varying: readonly ShapedField[],
  resolve: (rowTypes: RowTypes) => string,
): string {
  const refusals: SqlError[] = [];
  let numResolved = 0;
  const variants = ([field, ...others]: readonly ShapedField[], known: RowTypes): string => {
    if (field) {
      const { name, shapes } = field;
      const cases = shapes.map(({ condition, native }, index) => {
        const sql = variants(others, new Map([...known, [name, native]]));
        return index === shapes.length - 1 ? `ELSE ${sql}` : `WHEN ${condition} THEN ${sql}`;
      });
      return `CASE ${cases.join(' ')} END`;
    }
    try {
      const sql = resolve(known);
      numResolved++;
      return sql;
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      refusals.push(error);
      return `to_json(${failureSql(quote(error.message))})`;
    }
  };
  const sql = variants(varying, uniform);
  if (refusals[0] && numResolved === 0) throw refusals[0];
  return sql;
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
  isSearched = false, // by a path: truths stay what they are
): string {
  if (expression.kind === 'literal') return `to_json(${quote(expression.text)})`;
  if (expression.kind === 'name') {
    const field = fieldOf(expression.name);
    if (!field) return 'NULL::JSON';
    if (field.kind === 'text') return `to_json(${field.sql})`;
    return isSearched ? field.sql : withLongs(field.sql);
  }
  if (expression.kind !== 'call')
    throw new TypeError(`An expression of kind [${expression.kind}] has no dynamic value`);
  const { name, args } = expression;
  const known = functions[name];
  const values = args.map((arg) => dynamicSql(arg, fieldOf, known?.path !== undefined));
  return known?.sql(values, args) ?? 'NULL::JSON';
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
  parse_json: {
    sql: ([value = '']) =>
      parsed(value, 'druid_parse_json', (fault) =>
        failureSql(`'Function[parse_json] ${fault} [' || left(${value}::VARCHAR, 100) || ']'`),
      ),
  },
  try_parse_json: {
    sql: ([value = '']) => parsed(value, 'druid_try_parse_json', () => 'NULL::JSON'),
  },
  to_json_string: { sql: ([value = '']) => `to_json(${value}::VARCHAR)` },
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

// Only a text is read as JSON. DuckDB reads NaN, too, and no text behind a value: of long texts,
// what it reads counts.
function parsed(value: string, parser: string, refused: (fault: string) => string): string {
  const given = text(value);
  const isLong = `length(${given}) > ${longestRead}`;
  const cases = [
    `WHEN ${value} IS NULL THEN NULL`,
    `WHEN json_type(${value}) <> 'VARCHAR' THEN ${refused('invalid input expected STRING but got')}`,
    `WHEN json_valid(${given}) AND (${isLong} OR NOT regexp_matches(${given}, 'NaN|Infinity')) THEN ${given}::JSON`,
    `WHEN ${isLong} THEN ${refused('bad string input')}`,
  ];
  return `CASE ${cases.join(' ')} ELSE ${parser}(${given})::JSON END`;
}
