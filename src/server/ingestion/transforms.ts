// Fields computed from fields, and rows left out (Druid: ingestion/ingestion-spec, transformSpec).
import type { Session } from '../engine/session.ts';
import type { RawField, RawRows } from './raw-rows.ts';
import { filterColumns, filterCondition } from './row-filter.ts';
import type { SpecFields } from './spec-fields.ts';
import { type Expression, parseExpression } from './transform-expression.ts';

export interface TransformSpec {
  readonly transforms: readonly Transform[];
  readonly filter: SpecFields | undefined;
}

export interface Transform {
  readonly name: string;
  readonly expression: Expression;
}

/** Reads a transformSpec; throws a Refusal for unknown types, for names given twice, and for expressions that cannot be read. */
export function parseTransformSpec(fields: SpecFields | undefined): TransformSpec {
  const transforms = (fields?.objects('transforms') ?? []).map((transform): Transform => {
    transform.type('Transform', ['expression']);
    const name = transform.text('name');
    return { name, expression: parseExpression(transform.text('expression'), transform) };
  });
  const twice = transforms.find(({ name }, index) => transforms.findIndex((other) => other.name === name) !== index);
  if (twice) fields?.refuse(`Transform name [${twice.name}] cannot be used twice`);
  const filter = fields?.optionalObject('filter');
  if (filter) filterColumns(filter);
  return { transforms, filter };
}

/** The fields that transforms and filter read. */
export const fieldsOfTransforms = ({ transforms, filter }: TransformSpec): readonly string[] => [
  ...transforms.flatMap(({ expression }) => expression.columns),
  ...(filter ? filterColumns(filter) : []),
];

/** The raw fields, with what transforms make of them: each sees the fields of the files only, never another transform. */
export async function applyTransforms(
  session: Session,
  raw: RawRows,
  { transforms }: TransformSpec,
): Promise<ReadonlyMap<string, RawField>> {
  const fields = new Map(raw.fields);
  if (transforms.length === 0) return fields;
  const added: string[] = [];
  for (const [index, { name, expression }] of transforms.entries()) {
    const column = `x${index}`;
    added.push(`nullif(${expression.sql((field) => raw.fields.get(field))}, 'null'::JSON) AS ${column}`);
    fields.set(name, { name, sql: column, kind: 'json' });
  }
  await session.run(
    `CREATE TEMP TABLE transformed_rows AS SELECT *, ${added.join(', ')} FROM ${raw.table}; DROP TABLE ${raw.table}; ALTER TABLE transformed_rows RENAME TO ${raw.table}`,
  );
  return fields;
}

/** A condition on the raw rows: which of them are wanted. */
export const filterSql = (fields: ReadonlyMap<string, RawField>, { filter }: TransformSpec): string =>
  filter ? `coalesce(${filterCondition(filter, (name) => fields.get(name))}, false)` : 'true';
