// UNNEST: a row for each element of an array.
import type { Expression, Unnest } from '../ast.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import { isCoalesce, mapOperands, walk } from '../expressions/rewrite.ts';
import { type Typed, withText } from '../expressions/typed.ts';
import { quote } from '../runtime/quoted.ts';
import { invalidSql, unplannable } from '../sql-error.ts';
import { bigint, boolean, type SqlType, typeText, varchar } from '../types.ts';
import { columnText, type RelationColumn, type Source } from './relation.ts';
import { resolveExpression } from './resolve-expression.ts';
import type { QueryScope } from './scope.ts';
import type { Translation } from './translation.ts';

/**
 * The rows of UNNEST. Its argument may use the items on its left in FROM. `row` is the DuckDB name
 * of the rows beside the values, if they are crossed with rows of one name. Refuses arguments that
 * are not arrays.
 */
export function unnestSource(
  unnest: Unnest,
  translation: Translation,
  scope: QueryScope,
  row?: string,
): Source {
  refuseOwnColumns(unnest);
  if (unnest.args.length > 1) throw unplannable(); // which the engine reads
  const arrays = unnest.args.map((argument) =>
    arrayOf(argument, resolveExpression(withKnownColumns(argument), scope), unnest),
  );
  const alias = translation.alias(unnest.alias?.name ?? 'unnested');
  const elements = arrays.map(({ type }) => type.element ?? varchar);
  const types = unnest.ordinality ? [...elements, bigint] : elements;
  const names = columnNames(unnest, types.length);
  const labels = types.map(
    (_, index) =>
      `${row === undefined ? '' : ownLabel(alias)}value${types.length === 1 ? '' : index + 1}`,
  );
  const columns = types.map((type, index): RelationColumn => {
    const text = columnText(row ?? alias, labels[index] ?? '');
    const name = names[index] ?? '';
    if (type.isTruth) return unnestedColumn(name, boolean, `(${text})::BOOLEAN`);
    const column = unnestedColumn(name, type, text);
    return isOfMultiValue(unnest.args[index]) ? { ...column, isOfDictionary: true } : column;
  });
  const call = `unnest(${arrays.map(({ sql }) => sql).join(', ')})${unnest.ordinality ? ' WITH ORDINALITY' : ''}`;
  return {
    kind: 'unnest',
    relations: [{ ...(unnest.alias && { name: unnest.alias.name }), columns }],
    shared: [],
    order: [],
    plan: { type: 'expression', name: 'j0.unnest', outputType: 'STRING' },
    restrict: () => {},
    files: () => [],
    text: () => `${call} AS ${identifier(alias)}(${labels.map(identifier).join(', ')})`,
    ...(row !== undefined && {
      beside: (from: string) =>
        withUnnested(
          from,
          row,
          arrays.map(({ sql }, index) => ({ list: sql, label: labels[index] ?? '' })),
        ),
    }),
  };
}

/** A list whose items become rows, and the label of the items. */
export interface UnnestedList {
  readonly list: string;
  readonly label: string;
}

/** A label for values beside the columns of a row; no column has it. */
export const ownLabel = (alias: string): string => `\u0001${alias}.`;

/**
 * FROM with a row for each item of the lists, side by side. As a column of its row, an item is
 * found directly and in list order; as a relation, DuckDB would join it with all rows that have the
 * same list.
 */
export function withUnnested(from: string, row: string, lists: readonly UnnestedList[]): string {
  const items = lists.map(({ list, label }) => `unnest(${list}) AS ${identifier(label)}`);
  return `(SELECT *, ${items.join(', ')} FROM ${from}) AS ${identifier(row)}`;
}

/** A list of values for grouping: one null if it has none. */
export const valuesOrNull = (list: string): string => `druid_values(${list})`;

/**
 * The values of a dimension (`name`) for grouping: one null if there is none. The query fails for
 * several values unless it takes them apart (Druid: groupByEnableMultiValueUnnesting).
 */
export const valuesToGroup = (list: string, name: string, takesApart: boolean): string =>
  takesApart ? valuesOrNull(list) : `druid_only_value(${list}, ${quote(name)})`;

const unnestedColumn = (name: string, type: SqlType, text: string): RelationColumn => ({
  name,
  type,
  nullable: true,
  text: () => text,
});

// A single column without a name of its own is named after its table (Calcite: AliasNamespace).
function columnNames(unnest: Unnest, width: number): readonly string[] {
  const given = unnest.alias?.columns;
  if (given && given.length !== width) {
    throw invalidSql(
      `List of column aliases must have same degree as table; table has ${width} columns, whereas alias list has ${given.length} columns`,
      unnest.at,
    );
  }
  if (given) return given;
  if (width === 1 && unnest.alias) return [unnest.alias.name];
  return Array.from({ length: width }, (_, index) =>
    unnest.ordinality && index === width - 1 ? 'ORDINALITY' : `EXPR$${index}`,
  );
}

// The planner takes a column of the rows beside UNNEST for one that is never null.
function withKnownColumns(expression: Expression): Expression {
  const { at } = expression;
  if (expression.kind === 'is' && expression.what === 'NULL') {
    const text = expression.negated ? 'TRUE' : 'FALSE';
    if (expression.operand.kind === 'identifier')
      return { kind: 'literal', type: 'boolean', text, at };
  }
  if (expression.kind === 'call' && isCoalesce(expression)) {
    const known = expression.args.findIndex(({ kind }) => kind === 'identifier');
    const [first] = expression.args;
    if (known === 0 && first) return first;
    if (known > 0) return { ...expression, args: expression.args.slice(0, known + 1) };
  }
  return mapOperands(expression, withKnownColumns);
}

// The argument may not use the columns that UNNEST itself defines.
function refuseOwnColumns({ args, alias }: Unnest): void {
  for (const argument of args) {
    walk(argument, (part) => {
      const name =
        part.kind === 'identifier' && part.names.length === 1 ? part.names[0] : undefined;
      if (name !== undefined && alias?.columns?.includes(name))
        throw invalidSql(`Column '${name}' is ambiguous`, part.at);
      return true;
    });
  }
}

const isOfMultiValue = (argument: Expression | undefined): boolean =>
  argument?.kind === 'call' &&
  argument.name === 'MV_TO_ARRAY' &&
  argument.args[0]?.kind === 'identifier';

function arrayOf(argument: Expression, value: Typed, { at }: Unnest): Typed {
  // The engine unnests the multi-value string itself, with one null for no values.
  if (isOfMultiValue(argument)) return withText(value, valuesOrNull(value.sql));
  if (value.type.name === 'ARRAY') return value;
  const forms = ['MULTISET', 'ARRAY', 'MAP'];
  const quotedForms = forms.map((form) => `'UNNEST(<${form}>)'`).join('\n');
  const plainForms = forms.map((form) => `UNNEST(<${form}>)`).join('\n');
  throw invalidSql(
    `Cannot apply 'UNNEST' to arguments of type 'UNNEST(<${typeText(value.type)}>)'. Supported form(s): ${quotedForms}\n${plainForms}`,
    at,
  );
}
