// PIVOT and UNPIVOT: rows to columns and columns to rows.
import type {
  Expression,
  Grouping,
  Identifier,
  Literal,
  Pivot,
  Position,
  Query,
  Select,
  SelectItem,
  Unpivot,
} from '../ast.ts';
import { castTo, constantOf } from '../expressions/casts.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import { walk } from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';
import {
  allColumns,
  columnText,
  type RelationColumn,
  type Source,
} from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import type { QueryContext, Translation } from '../resolution/translation.ts';
import { invalidSql } from '../sql-error.ts';
import { leastRestrictive, type SqlType, varchar } from '../types.ts';
import { scopeOver } from './from-scope.ts';

/**
 * PIVOT as the equivalent grouping: columns that it does not mention are the keys, and each value
 * becomes a filter of each aggregate (Calcite: SqlPivot).
 */
export function pivotQuery(pivot: Pivot, columns: readonly RelationColumn[]): Query {
  const mentioned = new Set<string>();
  for (const expression of [...pivot.axes, ...pivot.aggregates.map((item) => item.expression)]) {
    walk(expression, (part) => {
      if (part.kind === 'identifier') mentioned.add(part.names.at(-1) ?? '');
      return true;
    });
  }
  const keys = columns
    .filter(({ name }) => !mentioned.has(name))
    .map(({ name }) => nameAt(name, pivot.at));
  const aggregates = pivot.values.flatMap((value): SelectItem[] =>
    pivot.aggregates.map((aggregate) => {
      const alias = [value.alias ?? value.items.map(writtenValue).join('_'), aggregate.alias]
        .filter((part) => part !== undefined)
        .join('_');
      return {
        at: pivot.at,
        alias,
        expression: filterFor(aggregate.expression, pivot, value.items),
      };
    }),
  );
  const groupBy = keys.map(
    (expression): Grouping => ({ kind: 'expression', expression, at: pivot.at }),
  );
  const select: Select = {
    kind: 'select',
    at: pivot.at,
    distinct: false,
    items: [...keys.map((expression) => ({ at: pivot.at, expression })), ...aggregates],
    from: pivot.source,
    groupBy: groupBy.length > 0 ? groupBy : [{ kind: 'empty', at: pivot.at }],
    windows: [],
  };
  return { kind: 'query', at: pivot.at, with: [], body: select, orderBy: [] };
}

function filterFor(aggregate: Expression, pivot: Pivot, values: readonly Expression[]): Expression {
  if (aggregate.kind !== 'call' || aggregate.filter)
    throw invalidSql('Measure expression in PIVOT must use aggregate function', aggregate.at);
  const { at } = pivot;
  const equalities = pivot.axes.map((axis, index): Expression => {
    const value = values[index];
    return value ? { kind: 'binary', operator: '=', left: axis, right: value, at } : axis;
  });
  const filter = equalities.reduce(
    (left, right): Expression => ({ kind: 'binary', operator: 'AND', left, right, at }),
  );
  return { ...aggregate, filter };
}

// A value without an alias names its column by its written text.
function writtenValue(value: Expression): string {
  if (value.kind !== 'literal') return 'value';
  if (value.type === 'string') return `'${value.text}'`;
  return isTimeLiteral(value) ? `${value.type.toUpperCase()} '${value.text}'` : value.text;
}

const isTimeLiteral = ({ type }: Literal): boolean => type === 'timestamp' || type === 'date';

const nameAt = (name: string, at: Position): Identifier => ({
  kind: 'identifier',
  names: [name],
  quoted: [true],
  at,
});

/**
 * UNPIVOT as an unnesting of parallel lists for each row: one of labels and one for each measure.
 */
export function unpivotSource(
  unpivot: Unpivot,
  source: Source,
  translation: Translation,
  context: QueryContext,
): Source {
  const available = allColumns(source);
  const find = (name: Identifier): RelationColumn => {
    const column = available.find((candidate) => candidate.name === name.names.at(-1));
    if (!column) throw invalidSql(`Column '${name.names.at(-1)}' not found in any table`, name.at);
    return column;
  };
  const groups = unpivot.values.map((value) => ({
    columns: value.columns.map(find),
    labels: value.labels,
  }));
  const consumed = new Set(groups.flatMap(({ columns }) => columns));
  const kept = available.filter((column) => !consumed.has(column));
  const measures = unpivot.measures.map((name, index) => {
    const parts = groups.flatMap(({ columns }) => columns[index] ?? []);
    const type = leastRestrictive(parts.map((part) => part.type));
    if (!type)
      throw invalidSql(
        `In UNPIVOT, cannot derive type for measure '${name}' because source columns have different data types`,
        unpivot.at,
      );
    return { name, type, list: `[${parts.map((part) => asOne(part, type)).join(', ')}]` };
  });
  const scope = scopeOver(translation, context, undefined);
  const { timeZone } = translation.environment;
  const axes = unpivot.axes.map(({ name, at }, index) => {
    const labels = groups.map((group) => {
      const written = group.labels?.[index];
      return written ? resolveExpression(asLiteral(written), scope) : namesOf(group.columns, at);
    });
    const type = leastRestrictive(labels.map((label) => label.type));
    if (!type) throw invalidSql(`In UNPIVOT, cannot derive type for axis '${name}'`, at);
    const inType = (label: Typed) => castTo(label, type, timeZone).sql;
    return { name, type, list: `[${labels.map(inType).join(', ')}]` };
  });
  const alias = translation.alias(unpivot.alias?.name ?? 'unpivoted');
  const made = [...axes, ...measures];
  const labelled = [
    ...kept.map((column) => ({ name: column.name, type: column.type, text: column.text() })),
    ...made.map(({ name, type, list }) => ({ name, type, text: `unnest(${list})` })),
  ];
  const items = labelled.map(({ text }, index) => `${text} AS ${identifier(`column${index + 1}`)}`);
  const labels = (names: readonly string[]) =>
    labelled.flatMap(({ name }, index) =>
      names.includes(name) ? [identifier(`column${index + 1}`)] : [],
    );
  const noNulls = labels(unpivot.measures).map((label) => `${label} IS NOT NULL`);
  const where = unpivot.includeNulls ? '' : ` WHERE ${noNulls.join(' OR ')}`;
  return {
    kind: 'query',
    relations: [
      {
        ...(unpivot.alias && { name: unpivot.alias.name }),
        columns: labelled.map(({ name, type }, index) =>
          columnFor(name, type, columnText(alias, `column${index + 1}`)),
        ),
      },
    ],
    shared: [],
    order: [],
    plan: source.plan,
    restrict: () => {},
    files: () => source.files(),
    text: () =>
      `(SELECT * FROM (SELECT ${items.join(', ')} FROM ${source.text()})${where}) AS ${identifier(alias)}`,
  };
}

// Beside a multi-value string, a text is a list of one.
const asOne = (part: RelationColumn, { multiValue }: SqlType): string =>
  multiValue && !part.type.multiValue ? `druid_list(${part.text()})` : part.text();

const columnFor = (name: string, type: SqlType, text: string): RelationColumn => ({
  name,
  type,
  nullable: true,
  text: () => text,
});

// Label of columns without a written one.
const namesOf = (columns: readonly RelationColumn[], at: Position): Typed =>
  constantOf(columns.map(({ name }) => name).join('_'), varchar, at);

function asLiteral(label: Expression): Expression {
  const value = label.kind === 'unary' ? label.operand : label;
  if (value.kind === 'literal') return label;
  throw invalidSql('A label in UNPIVOT must be a literal', label.at);
}
