// Groups of GROUP BY: keys, grouping sets, aggregates, and the meaning of columns above them.

import type { Call, Expression, Grouping, Identifier, Position } from '../ast.ts';
import { mapList, shortDoubleOf } from '../expressions/casts.ts';
import { nameFor } from '../expressions/column-names.ts';
import { castOfText } from '../expressions/compared-truth.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import { singleValued } from '../expressions/multi-value.ts';
import { fingerprint, mapOperands } from '../expressions/rewrite.ts';
import { groupableText, groupedText } from '../expressions/signed-zero.ts';
import { type Typed, withText } from '../expressions/typed.ts';
import { isGroupingCall } from '../functions/call-kinds.ts';
import { invalidSql } from '../sql-error.ts';
import { bigint, isFractional, isText } from '../types.ts';
import { dimensionValues } from './dimension-values.ts';
import {
  columnText,
  findColumn,
  type RelationColumn,
  type Source,
  STAR_COLUMN,
  typedColumn,
} from './relation.ts';
import { ownLabel, type UnnestedList } from './unnest.ts';

export interface GroupKey {
  readonly expression: Expression;
  readonly typed: Typed; // over the rows being grouped
  readonly grouped: string; // DuckDB text of the grouping
  readonly label: string;
  readonly print: string; // equal for equal expressions
  // The values of a multi-value string, unnested into one row each; empty without a value
  readonly unnested?: UnnestedList & { readonly alias: string };
  readonly isColumn: boolean; // its text may stand anywhere above GROUP BY
  readonly isTruthOfLong?: true; // a condition, grouped by the number that it tests
}

/**
 * The grouping of one SELECT: its keys, the sets of key indexes, and the aggregates, which are
 * added as they are resolved.
 */
export class GroupedRows {
  readonly alias: string; // of the layer of groups, when there is one
  readonly keys: readonly GroupKey[];
  readonly sets: readonly (readonly number[])[] | undefined;
  readonly #aggregates = new Map<string, { readonly label: string; readonly typed: Typed }>();
  readonly #groupings: Call[] = [];
  #ungrouped: { readonly shown: string; readonly at: Position } | undefined;
  readonly #identify: (identifier: Identifier) => string;
  /**
   * `layered`: the groups are a query of their own, with labels. Otherwise all texts belong to the
   * SELECT that has the GROUP BY.
   */
  layered = false;
  /** A topN has no group of the rows without a value. */
  isTopN = false;

  constructor(
    keys: readonly GroupKey[],
    sets: readonly (readonly number[])[] | undefined,
    identify: (identifier: Identifier) => string,
    alias: string,
  ) {
    this.alias = alias;
    this.keys = keys;
    this.sets = sets;
    this.#identify = identify;
  }

  get aggregates(): readonly { readonly label: string; readonly typed: Typed }[] {
    return [...this.#aggregates.values()];
  }

  /**
   * Replaces each key in the expression by a mark that `marked` resolves. Calls that `isAggregate`
   * accepts read the rows below and stay unchanged, and so do keys that `isKept` accepts.
   */
  rewrite(
    expression: Expression,
    isAggregate: (call: Call) => boolean,
    isKept: (key: GroupKey) => boolean = () => false,
  ): Expression {
    if (expression.kind === 'call' && isGroupingCall(expression.name)) {
      return {
        kind: 'identifier',
        names: [GROUPING_MARK, String(this.#groupings.push(expression) - 1)],
        quoted: [true, true],
        at: expression.at,
      };
    }
    const key = this.#findKey(expression);
    if (key && isKept(key)) return expression;
    if (key && expression.kind !== 'identifier')
      return markOf(this.keys.indexOf(key), expression.at);
    if (expression.kind === 'call' && isAggregate(expression) && !expression.over)
      return expression;
    return mapOperands(expression, (operand) => this.rewrite(operand, isAggregate, isKept));
  }

  /** The value of a mark. */
  marked(names: readonly string[], at: Position): Typed | undefined {
    const grouping = names[0] === GROUPING_MARK ? this.#groupings[Number(names[1])] : undefined;
    if (grouping) return this.#grouping(grouping);
    const key = names[0] === MARK ? this.keys[Number(names[1])] : undefined;
    return key && this.#keyValue(key, at);
  }

  /** The grouped value of a column. Another one has the value of a row, and is refused later. */
  column(column: RelationColumn, names: readonly string[], at: Position): Typed {
    const key = this.#findKey({ kind: 'identifier', names, quoted: names.map(() => false), at });
    if (key) return this.#keyValue(key, at);
    const [first = ''] = names;
    this.#ungrouped ??= { shown: first.startsWith('\0') ? column.name : names.join('.'), at };
    return typedColumn(column, at);
  }

  /**
   * Refuses the first column that was neither a key nor in an aggregate. Calcite looks for it when
   * the types of all items are known. `expected` says what the column is not.
   */
  refuseUngrouped(expected = 'being grouped'): void {
    const { shown, at } = this.#ungrouped ?? {};
    if (at) throw invalidSql(`Expression '${shown}' is not ${expected}`, at);
  }

  /** Starts over, for a clause that Calcite checks before the one that was refused. */
  forgetUngrouped(): void {
    this.#ungrouped = undefined;
  }

  /** An aggregate of the group; equal calls are computed once. */
  aggregate(call: Call, resolve: () => Typed): Typed {
    const print = fingerprint(call, this.#identify);
    const known = this.#aggregates.get(print);
    const entry = known ?? { label: `aggregate_${this.#aggregates.size + 1}`, typed: resolve() };
    this.#aggregates.set(print, entry);
    return this.layered
      ? { ...withText(entry.typed, this.#groupText(entry.label)), isRepeatable: true, at: call.at }
      : { ...entry.typed, at: call.at };
  }

  /** `GROUPING(a, b)`: a bit for each key, set where the row's grouping set leaves it out. */
  #grouping(call: Call): Typed {
    if (call.args.length === 0)
      throw invalidSql(
        "Invalid number of arguments to function 'GROUPING'. Was expecting 1 arguments",
        call.at,
      );
    return this.aggregate(call, () => {
      const keys = call.args.map((argument) => {
        const key = this.#findKey(argument);
        if (!key)
          throw invalidSql(
            'Argument to GROUPING operator must be a grouped expression',
            argument.at,
          );
        return key;
      });
      const sql = this.sets
        ? `grouping(${keys.map(({ grouped }) => grouped).join(', ')})::BIGINT`
        : '0::BIGINT';
      return { type: bigint, sql, at: call.at, nullable: false };
    });
  }

  /** The key that the expression is equal to. */
  keyOf(expression: Expression): GroupKey | undefined {
    return this.#findKey(expression);
  }

  /** The text of a key above the grouping, by which groups are sorted. */
  textOf(key: GroupKey): string {
    if (this.layered) return this.#groupText(key.label);
    return key.isTruthOfLong ? key.grouped : key.typed.sql;
  }

  #groupText(label: string): string {
    return `${identifier(this.alias)}.${identifier(label)}`;
  }

  #findKey(expression: Expression): GroupKey | undefined {
    if (expression.kind === 'identifier' && expression.names[0] === MARK)
      return this.keys[Number(expression.names[1])];
    const print = fingerprint(expression, this.#identify);
    return this.keys.find((key) => key.print === print);
  }

  #keyValue(key: GroupKey, at: Position): Typed {
    const isOptional = this.sets !== undefined || key.unnested !== undefined;
    const nullable = isOptional || key.typed.nullable !== false;
    const { constant } = key.typed;
    const known = constant === undefined || this.sets ? {} : { constant };
    const group = this.#groupText(key.label);
    const shown = key.isTruthOfLong ? isAboveZero(group) : groupedText(group, key.typed.type);
    const value: Typed = this.layered
      ? { ...withText(key.typed, shown), isRepeatable: true }
      : key.typed;
    return { ...value, ...known, nullable, at };
  }
}

const MARK = '\0key';
const GROUPING_MARK = '\0grouping';

const markOf = (index: number, at: Position): Identifier => ({
  kind: 'identifier',
  names: [MARK, String(index)],
  quoted: [true, true],
  at,
});

/**
 * The keys of GROUP BY and the sets of their indexes. `resolve` returns values over the rows, and
 * `row` is the DuckDB name of those rows.
 */
export function groupKeys(
  grouping: readonly Grouping[],
  identify: (identifier: Identifier) => string,
  resolve: (expression: Expression) => Typed,
  unnestAlias: () => string,
  row?: string,
  resolveValues: (expression: Expression) => Typed = resolve,
): {
  readonly keys: readonly GroupKey[];
  readonly sets: readonly (readonly number[])[] | undefined;
} {
  const keys: GroupKey[] = [];
  const indexOf = (expression: Expression): number => {
    const print = fingerprint(expression, identify);
    const known = keys.findIndex((key) => key.print === print);
    if (known >= 0) return known;
    const typed = resolve(expression);
    const label = labelOf(expression, keys);
    keys.push(
      truthKey(expression, print, typed, label, unnestAlias, row, resolve) ??
        keyOf(expression, print, typed, label, unnestAlias, row, resolveValues),
    );
    return keys.length - 1;
  };
  const parts = grouping.map((part) => groupingSets(part, indexOf));
  const sets = parts.reduce(
    (left, right) => left.flatMap((a) => right.map((b) => [...new Set([...a, ...b])])),
    [[]] as readonly (readonly number[])[],
  );
  const isPlain = grouping.every(
    (part) => part.kind === 'expression' || part.kind === 'empty' || part.kind === 'set',
  );
  // Listed sets keep their duplicates. ROLLUP, CUBE and products yield distinct sets.
  const isListed = grouping.length === 1 && grouping[0]?.kind === 'sets';
  return { keys, sets: isPlain ? undefined : isListed ? sets : differentSets(sets) };
}

/** The sets without duplicates. */
export function differentSets(
  sets: readonly (readonly number[])[],
): readonly (readonly number[])[] {
  const prints = new Set<string>();
  return sets.filter((set) => {
    const print = [...set].sort((a, b) => a - b).join();
    const isNew = !prints.has(print);
    prints.add(print);
    return isNew;
  });
}

// A column keeps its name unless another column in the layer of groups has it.
function labelOf(expression: Expression, keys: readonly GroupKey[]): string {
  const name = expression.kind === 'identifier' ? expression.names.at(-1) : undefined;
  const isFree =
    name !== undefined &&
    expression.kind === 'identifier' &&
    expression.names[0] !== STAR_COLUMN &&
    nameFor(name, '') === name &&
    name !== '' &&
    !/^(set|(aggregate|key)_\d+)$/i.test(name) &&
    keys.every(({ label }) => label.toLowerCase() !== name.toLowerCase());
  return isFree ? name : `key_${keys.length + 1}`;
}

// The engine groups CAST(x AS BOOLEAN) by x as a long, so that equal conditions may be several
// groups.
function truthKey(
  written: Expression,
  print: string,
  { type, constant, at }: Typed,
  label: string,
  unnestAlias: () => string,
  row: string | undefined,
  resolve: (expression: Expression) => Typed,
): GroupKey | undefined {
  const expression =
    written.kind === 'binary' ? (castOfText(written, resolve) ?? written) : written;
  if (expression.kind !== 'cast' || type.name !== 'BOOLEAN' || constant !== undefined)
    return undefined;
  const operand = resolve(expression.operand);
  const isConverted =
    isText(operand.type) || (isFractional(operand.type) && operand.type.name !== 'DECIMAL');
  if (!isConverted) return undefined;
  const long = resolve({ ...expression, type: { ...expression.type, name: 'BIGINT' } });
  const key = keyOf(written, print, long, label, unnestAlias, row, resolve);
  const typed = { type: singleValued(type), sql: isAboveZero(key.grouped), at };
  return { ...key, typed, isColumn: false, isTruthOfLong: true };
}

const isAboveZero = (long: string) => `(${long} > 0)`;

function keyOf(
  expression: Expression,
  print: string,
  typed: Typed,
  label: string,
  unnestAlias: () => string,
  row: string | undefined,
  resolveValues: (expression: Expression) => Typed,
): GroupKey {
  if (!typed.type.multiValue || typed.type.name === 'BOOLEAN') {
    // DuckDB would take each equal constant of the statement for the key, even where only a
    // constant is allowed.
    if (typed.constant !== undefined) {
      const grouped = `ifnull(${typed.sql}, NULL)`;
      return {
        expression,
        typed: { ...typed, sql: grouped },
        grouped,
        label,
        print,
        isColumn: false,
      };
    }
    const isColumn = expression.kind === 'identifier';
    const key = typed.type.element?.name === 'FLOAT' && !isColumn ? ofFloats(typed) : typed;
    return {
      expression,
      typed: key,
      grouped: groupableText(key.sql, key.type),
      label,
      print,
      isColumn,
    };
  }
  const alias = unnestAlias();
  const unnested = {
    alias,
    list: dimensionValues(expression, typed, resolveValues),
    label: row === undefined ? 'value' : ownLabel(alias),
  };
  const grouped = columnText(row ?? alias, unnested.label);
  return {
    expression,
    typed: { type: singleValued(typed.type), sql: grouped, at: typed.at, nullable: true },
    grouped,
    label,
    print,
    unnested,
    isColumn: true,
  };
}

// Groups have the numbers of a computed array in 32 bits.
const ofFloats = (array: Typed): Typed => ({
  ...array,
  sql: mapList(array.sql, shortDoubleOf),
});

function groupingSets(
  part: Grouping,
  indexOf: (expression: Expression) => number,
): readonly (readonly number[])[] {
  switch (part.kind) {
    case 'expression':
      return [[indexOf(part.expression)]];
    case 'empty':
      return [[]];
    case 'set':
      return [part.items.map(indexOf)];
    case 'sets':
      return part.items.flatMap((item) => groupingSets(item, indexOf));
    case 'rollup': {
      const units = part.items.map((item) => groupingSets(item, indexOf)[0] ?? []);
      return Array.from({ length: units.length + 1 }, (_, left) =>
        units.slice(0, units.length - left).flat(),
      );
    }
    case 'cube': {
      const units = part.items.map((item) => groupingSets(item, indexOf)[0] ?? []);
      return Array.from({ length: 2 ** units.length }, (_, omitted) =>
        units.filter((__, index) => !(omitted & (1 << (units.length - 1 - index)))).flat(),
      );
    }
  }
}

/** Names by their meaning, so that `t.a` and `a` are the same. */
export function identifyIn(source: Source | undefined): (identifier: Identifier) => string {
  const numbers = new Map<RelationColumn, number>();
  return ({ names, at }) => {
    const column = source && findColumn(source, names, at);
    if (!column) return `?${names.join('.')}`;
    const number = numbers.get(column) ?? numbers.size;
    numbers.set(column, number);
    return `#${number}`;
  };
}
