// Computed fields and row filters (Druid: ingestion/ingestion-spec, transformSpec).

import { formatJson } from '../../model/json.ts';
import { resolveFilter } from '../../sql/native/filter.ts';
import { columnsOf } from '../../sql/native/native-expression.ts';
import { parseNativeExpression } from '../../sql/native/parse-expression.ts';
import { SqlError } from '../../sql/sql-error.ts';
import { varchar } from '../../sql/types.ts';
import { isObject, type SpecFields } from '../checks/spec-fields.ts';
import type { Session } from '../engine/session.ts';
import { typesOf } from './field-types.ts';
import type { RawField, RawRows } from './raw-rows.ts';
import { fieldScope, type RowFields, rowScope } from './row-scope.ts';
import { millisSqlOf, rowTimeSql, type TimestampSpec } from './timestamps.ts';
import {
  parseTransformExpression,
  type TransformExpression,
  transformSql,
} from './transform-expression.ts';

export interface TransformSpec {
  readonly transforms: readonly Transform[];
  readonly filter: Readonly<Record<string, unknown>> | undefined;
}

export interface Transform {
  readonly name: string;
  readonly expression: TransformExpression;
}

/**
 * Reads a transformSpec; throws a Refusal for unknown types, duplicate names, invalid expressions
 * and malformed filters.
 */
export function parseTransformSpec(fields: SpecFields | undefined): TransformSpec {
  const transforms = (fields?.objects('transforms') ?? []).map((transform): Transform => {
    transform.type('Transform', ['expression']);
    return {
      name: transform.text('name'),
      expression: parseTransformExpression(transform.text('expression'), transform),
    };
  });
  const known = new Set<string>();
  const twice = transforms.find(({ name }) => known.size === known.add(name).size);
  if (twice) fields?.refuse(`Transform name [${twice.name}] cannot be used twice`);
  return { transforms, filter: filterIn(fields) };
}

/**
 * The filter of a transformSpec. Throws a Refusal for one that is malformed; what depends on the
 * columns, and whatever a large one has, fails when rows are read.
 */
export function filterIn(fields: SpecFields | undefined): TransformSpec['filter'] {
  const filter = fields?.optionalObject('filter')?.values;
  if (filter === undefined || formatJson(filter).length > mostChecked) return filter;
  try {
    resolveFilter(
      filter,
      fieldScope(0, (_, at) => ({ type: varchar, sql: 'NULL::VARCHAR', at })),
    );
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    if (error.category === 'INVALID_INPUT') fields?.refuse(`[filter]: ${error.message}`);
  }
  return filter;
}

const mostChecked = 64 * 1024; // characters, within milliseconds

/** Whether a transform changes the time of a row: its input is the time from the timestampSpec. */
export const movesTime = ({ transformSpec }: { readonly transformSpec: TransformSpec }): boolean =>
  transformSpec.transforms.some(({ name }) => name === '__time');

/** The fields that transforms and filter read. */
export const fieldsOfTransforms = ({ transforms, filter }: TransformSpec): readonly string[] => [
  ...transforms.flatMap(({ expression }) => expression.columns),
  ...(filter ? filterColumns(filter) : []),
];

/**
 * The raw fields and the results of transforms. Each transform sees only the fields of the files,
 * never another transform.
 */
export async function applyTransforms(
  session: Session,
  raw: RawRows,
  spec: TransformSpec,
  rows: RowContext,
): Promise<ReadonlyMap<string, RawField>> {
  const { fields, added } = await transformedFields(session, raw, spec, rows);
  if (added.length > 0)
    await session.run(
      `CREATE TEMP TABLE transformed_rows AS SELECT *, ${added.join(', ')} FROM ${raw.table}; DROP TABLE ${raw.table}; ALTER TABLE transformed_rows RENAME TO ${raw.table}`,
    );
  return fields;
}

export interface TransformedFields {
  readonly fields: ReadonlyMap<string, RawField>; // raw fields and results of transforms
  readonly added: readonly string[]; // SQL of the columns that the raw rows lack
}

/** The fields of `applyTransforms`, without a change of the raw rows. */
export async function transformedFields(
  session: Session,
  raw: RawRows,
  { transforms }: TransformSpec,
  rows: RowContext,
): Promise<TransformedFields> {
  const fields = new Map(raw.fields);
  if (transforms.length === 0) return { fields, added: [] };
  const typed = transforms
    .filter(({ expression }) => !expression.dynamic)
    .flatMap(({ expression }) => expression.columns);
  const known = await rowFields(session, raw, typed, rows);
  const added: string[] = [];
  for (const [index, { name, expression }] of transforms.entries()) {
    const column = `x${index}`;
    added.push(`nullif(${transformSql(expression, known)}, 'null'::JSON) AS ${column}`);
    fields.set(name, { name, sql: column, kind: 'json' });
  }
  return { fields, added };
}

export interface RowContext {
  readonly timestampSpec: TimestampSpec;
  readonly nowMs: number;
}

/**
 * The filter as a condition on the raw rows and the results of transforms. Throws SqlError for an
 * invalid filter.
 */
export async function filterSql(
  session: Session,
  raw: RawRows,
  fields: ReadonlyMap<string, RawField>,
  spec: TransformSpec,
  rows: RowContext,
): Promise<string> {
  const { filter } = spec;
  if (!filter) return 'true';
  const known = await rowFields(session, { ...raw, fields }, filterColumns(filter), rows);
  const inExpressions = new Set(columnsOfFilter(filter).inExpressions);
  const seen = {
    ...known,
    ...(movesTime({ transformSpec: spec }) && { timeSql: millisSqlOf(fields.get('__time')) }),
    asTexts: new Set([...known.types.keys()].filter((name) => !inExpressions.has(name))),
  };
  return `coalesce(${resolveFilter(filter, rowScope(seen)).sql}, false)`;
}

async function rowFields(
  session: Session,
  raw: RawRows,
  names: readonly string[],
  { timestampSpec, nowMs }: RowContext,
): Promise<RowFields> {
  const fields = [...new Set(names)].flatMap((name) => raw.fields.get(name) ?? []);
  return {
    raw,
    types: await typesOf(session, raw, fields),
    timeSql: rowTimeSql(timestampSpec, raw),
    nowMs,
  };
}

/** Column names in a filter, on all its levels. */
export function filterColumns(filter: unknown): readonly string[] {
  const { named, inExpressions } = columnsOfFilter(filter);
  return [...named, ...inExpressions];
}

interface FilterColumns {
  readonly named: readonly string[];
  readonly inExpressions: readonly string[];
}

function columnsOfFilter(filter: unknown): FilterColumns {
  if (Array.isArray(filter)) return joined(filter.map(columnsOfFilter));
  if (!isObject(filter)) return joined([]);
  return joined(
    Object.entries(filter).map(([key, value]) => {
      if (typeof value !== 'string')
        return key === 'dimensions' && Array.isArray(value)
          ? joined([
              namedOnly(value.filter((item) => typeof item === 'string')),
              columnsOfFilter(value),
            ])
          : columnsOfFilter(value);
      if (key === 'dimension' || key === 'column') return namedOnly([value]);
      return { named: [], inExpressions: key === 'expression' ? expressionColumns(value) : [] };
    }),
  );
}

const namedOnly = (named: readonly string[]): FilterColumns => ({ named, inExpressions: [] });

const joined = (lists: readonly FilterColumns[]): FilterColumns => ({
  named: lists.flatMap(({ named }) => named),
  inExpressions: lists.flatMap(({ inExpressions }) => inExpressions),
});

function expressionColumns(text: string): readonly string[] {
  try {
    return [...columnsOf(parseNativeExpression(text))];
  } catch {
    return []; // refused when the filter is translated
  }
}
