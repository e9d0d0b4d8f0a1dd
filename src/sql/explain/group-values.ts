// Values of groups as aggregations and post-aggregations of a native query.
import type { Call, Expression } from '../ast.ts';
import { fingerprint, walk } from '../expressions/rewrite.ts';
import { isPlainAggregate } from '../functions/call-kinds.ts';
import { withColumnOfCast, withFilterOfCase } from '../resolution/aggregate-call.ts';
import { type GroupedRows, identifyIn } from '../resolution/group.ts';
import type { NativeJson, NativePlan } from '../resolution/native-plan.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import type { QueryScope } from '../resolution/scope.ts';
import type { OrderPart } from '../resolution/select-items.ts';
import { nativeAggregation } from './native-aggregation.ts';
import {
  type FilterNames,
  type NativeNames,
  NotNative,
  nativeText,
  type TimeFloor,
} from './native-expression.ts';
import { type PlannedClauses, type PlannedRows, typeOf } from './planned-rows.ts';

/** A SELECT with groups after its keys were marked in its expressions. */
export interface PlannedGroups {
  readonly groups: GroupedRows;
  readonly scope: QueryScope;
  readonly items: readonly Expression[];
  readonly order: readonly OrderPart[];
  readonly having: Expression | undefined;
  readonly isTopN: boolean;
}

/** A key of groups as a dimension, or as the bucket of a time. */
export interface PlannedDimension {
  readonly expression: Expression;
  readonly outputName: string;
  readonly outputType: string;
  readonly floor?: TimeFloor;
}

/** The values of groups: dimensions, aggregations and post-aggregations. */
export class GroupValues {
  readonly aggregators: NativeJson[] = [];
  readonly postAggregations: NativeJson[] = [];
  readonly results: FilterNames;
  readonly #types = new Map<string, string>();
  readonly #named = new Map<string, string>(); // by the print of an expression or aggregate
  readonly #planned: PlannedGroups;
  readonly #rows: PlannedRows;
  readonly #dimensions: readonly string[];
  readonly #print: (expression: Expression) => string;

  constructor(
    clauses: PlannedClauses,
    planned: PlannedGroups,
    rows: PlannedRows,
    dimensions: readonly string[],
  ) {
    this.#planned = planned;
    this.#rows = rows;
    this.#dimensions = dimensions;
    const identify = identifyIn(clauses.source);
    this.#print = (expression) => fingerprint(expression, identify);
    const all = [
      ...planned.items,
      ...planned.order.map(({ expression }) => expression),
      ...(planned.having ? [planned.having] : []),
    ];
    for (const expression of all) this.#collect(expression);
    const names: NativeNames = {
      timeZone: rows.timeZone,
      resolve: (expression) => resolveExpression(expression, planned.scope),
      column: (expression) => this.#column(expression),
    };
    this.results = {
      ...names,
      columnFor: (expression) => {
        const column = this.#column(expression);
        if (column === undefined) throw new NotNative();
        return column;
      },
    };
  }

  /**
   * The result column with the value of an expression; a post-aggregation if it must be computed.
   */
  columnFor(expression: Expression): string {
    const column = this.#column(expression);
    if (column !== undefined) return column;
    const print = this.#print(expression);
    const known = this.#named.get(print);
    if (known !== undefined) return known;
    const name = this.#rows.reserveName(
      `p${this.postAggregations.filter(({ type }) => type === 'expression').length}`,
    );
    const outputType = typeOf(this.results.resolve(expression));
    this.postAggregations.push({
      type: 'expression',
      name,
      expression: nativeText(expression, this.results),
      outputType,
    });
    this.#named.set(print, name);
    this.#types.set(name, outputType);
    return name;
  }

  signature(
    outputs: readonly string[],
    dimensions: readonly PlannedDimension[],
  ): NativePlan['signature'] {
    const types = new Map([
      ...dimensions.map(({ outputName, outputType }) => [outputName, outputType] as const),
      ...this.#types,
    ]);
    return [...new Set(outputs)].map((name) => ({ name, type: types.get(name) ?? 'STRING' }));
  }

  #column(expression: Expression): string | undefined {
    const key = this.#planned.groups.keyOf(expression);
    if (key) return this.#dimensions[this.#planned.groups.keys.indexOf(key)];
    return isPlainAggregate(expression) ? this.#named.get(this.#print(expression)) : undefined;
  }

  #collect(expression: Expression): void {
    walk(expression, (part) => {
      if (!isPlainAggregate(part)) return true;
      this.#aggregate(part as Call);
      return false;
    });
  }

  // A sketch that an earlier aggregate of the same column has built.
  #sameSketch(sketch: NativeJson): NativeJson | undefined {
    const printOf = ({ name: _, ...rest }: NativeJson) => JSON.stringify(rest);
    return this.aggregators.find(
      (known) => String(known.name).endsWith(':agg') && printOf(known) === printOf(sketch),
    );
  }

  #aggregate(call: Call): void {
    const print = this.#print(call);
    if (this.#named.has(print)) return;
    const name = this.#rows.reserveName(`a${this.#named.size}`);
    this.#named.set(print, name);
    const type = typeOf(resolveExpression(call, this.#planned.scope));
    this.#types.set(name, type);
    const filtered = withColumnOfCast(withFilterOfCase(call, this.#rows.scope), this.#rows.scope);
    const { aggregators, after, ofSketch } = nativeAggregation(filtered, name, type, this.#rows);
    const [sketch] = aggregators;
    const shared = ofSketch && sketch && this.#sameSketch(sketch);
    if (!shared) this.aggregators.push(...aggregators);
    if (after) this.postAggregations.push(after);
    if (ofSketch && sketch) this.postAggregations.push(ofSketch(String((shared ?? sketch).name)));
  }
}
