// Expressions of transforms (Druid: querying/math-expr). The fields of a file have no types yet, so values are JSON, and functions look at what they get.
import { quoted } from '../engine/sql-text.ts';
import { duckdbPath, parseJsonPath } from './json-path.ts';
import type { RawField } from './raw-rows.ts';
import type { SpecFields } from './spec-fields.ts';

type FieldOf = (name: string) => RawField | undefined;

export interface Expression {
  readonly columns: readonly string[];
  /** DuckDB's expression, of type JSON. */
  readonly sql: (fieldOf: FieldOf) => string;
}

/** Reads an expression; refuses, in the name of the transform, what is no expression and functions that are not known here. */
export function parseExpression(text: string, transform: SpecFields): Expression {
  const tokens = tokensOf(text);
  let position = 0;
  const refuse = (problem: string): never => transform.refuse(`expression [${text}] ${problem}`);
  const whole = operand();
  if (position < tokens.length) refuse(`has an unexpected [${tokens[position]?.text}]`);
  return whole;

  function operand(): Expression {
    const token = tokens[position++] ?? refuse('ends too early');
    if (token.kind === 'text') return literal(`to_json(${quoted(token.text)})`);
    if (token.kind === 'number') return literal(`${quoted(token.text)}::JSON`);
    if (token.kind === 'name' && tokens[position]?.text === '(') return call(token.text.toLowerCase());
    if (token.kind === 'name' || token.kind === 'quotedName') return column(token.text);
    return refuse(`has an unexpected [${token.text}]`);
  }

  function call(name: string): Expression {
    position++;
    const given: Expression[] = [];
    const constants: (string | undefined)[] = [];
    while (tokens[position]?.text !== ')') {
      if (given.length > 0 && tokens[position++]?.text !== ',') refuse('has an unexpected token between arguments');
      constants.push(tokens[position]?.kind === 'text' ? tokens[position]?.text : undefined);
      given.push(operand());
    }
    position++;
    const make = functions[name] ?? refuse(`calls the function [${name}], which is not known in transforms`);
    const columns = given.flatMap((argument) => argument.columns);
    if (!make.accepts(given.length)) refuse(`calls [${name}] with [${given.length}] arguments`);
    if (make.path !== undefined && pathIn(constants[make.path]) === undefined)
      refuse(`calls [${name}] with a path that is not a plain text of names and indexes`);
    return {
      columns,
      sql: (fieldOf) =>
        make.sql(
          given.map((argument) => argument.sql(fieldOf)),
          constants,
        ),
    };
  }
}

interface Token {
  readonly kind: 'text' | 'number' | 'name' | 'quotedName' | 'sign';
  readonly text: string;
}

function tokensOf(text: string): Token[] {
  const token = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([A-Za-z_$][\w$.]*)|(\S))/g;
  return [...text.trim().matchAll(token)].map(([, string, quotedName, number, name, sign]): Token => {
    if (string !== undefined) return { kind: 'text', text: string.replace(/\\(.)/g, '$1') };
    if (quotedName !== undefined) return { kind: 'quotedName', text: quotedName.replace(/\\(.)/g, '$1') };
    if (number !== undefined) return { kind: 'number', text: number };
    return name === undefined ? { kind: 'sign', text: sign ?? '' } : { kind: 'name', text: name };
  });
}

const literal = (sql: string): Expression => ({ columns: [], sql: () => sql });

const column = (name: string): Expression => ({
  columns: [name],
  sql(fieldOf) {
    const field = fieldOf(name);
    if (!field) return 'NULL::JSON';
    return field.kind === 'json' ? field.sql : `to_json(${field.sql})`;
  },
});

interface JsonFunction {
  readonly accepts: (count: number) => boolean;
  readonly path?: number; // which argument must be a JSON path
  readonly sql: (values: readonly string[], constants: readonly (string | undefined)[]) => string;
}

const exactly =
  (...counts: readonly number[]) =>
  (count: number) =>
    counts.includes(count);
const any = () => true;
const text = (value: string) => `(${value} ->> '$')`;

const functions: Readonly<Record<string, JsonFunction | undefined>> = {
  json_query: { accepts: exactly(2), path: 1, sql: ([value = ''], [, path]) => extracted(value, path) },
  json_value: {
    accepts: exactly(2, 3),
    path: 1,
    sql: ([value = ''], [, path]) =>
      `CASE WHEN json_type(${extracted(value, path)}) NOT IN ('ARRAY', 'OBJECT') THEN ${extracted(value, path)} END`,
  },
  parse_json: { accepts: exactly(1), sql: ([value = '']) => parsed(value) },
  try_parse_json: { accepts: exactly(1), sql: ([value = '']) => parsed(value) },
  to_json_string: { accepts: exactly(1), sql: ([value = '']) => `to_json(coalesce(${value}, 'null'::JSON)::VARCHAR)` },
  json_object: {
    accepts: (count) => count % 2 === 0,
    sql: (values) => `json_object(${values.map((value, index) => (index % 2 === 0 ? text(value) : value)).join(', ')})`,
  },
  json_keys: { accepts: exactly(2), path: 1, sql: ([value = ''], [, path]) => `to_json(json_keys(${extracted(value, path)}))` },
  concat: { accepts: any, sql: (values) => `to_json(${values.map(text).join(' || ')})` },
  nvl: { accepts: exactly(2), sql: (values) => `coalesce(${values.map((value) => `nullif(${value}, 'null'::JSON)`).join(', ')})` },
  upper: { accepts: exactly(1), sql: ([value = '']) => `to_json(upper(${text(value)}))` },
  lower: { accepts: exactly(1), sql: ([value = '']) => `to_json(lower(${text(value)}))` },
  trim: { accepts: exactly(1), sql: ([value = '']) => `to_json(trim(${text(value)}))` },
};

const extracted = (value: string, path: string | undefined) => {
  const duckdb = duckdbPath(pathIn(path) ?? []);
  return duckdb === '$' ? value : `json_extract(${value}, ${quoted(duckdb)})`;
};

// `$.` is the root too.
const pathIn = (path: string | undefined) => (path === undefined ? undefined : parseJsonPath(path === '$.' ? '$' : path));

// A text is read as JSON, anything else is JSON already.
const parsed = (value: string) => `CASE WHEN json_type(${value}) = 'VARCHAR' THEN TRY_CAST(${text(value)} AS JSON) ELSE ${value} END`;
