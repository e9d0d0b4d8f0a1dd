// Names where a row of a source is looked at: virtual columns first, then the source's own; an
// unknown name is null (Druid: ColumnSelectorFactory).
import type { Interval } from '../../model/interval.ts';
import type { Expression, Position } from '../ast.ts';
import { castTo } from '../expressions/casts.ts';
import { identifiersOf } from '../expressions/column-names.ts';
import type { Environment, Scope, Typed } from '../expressions/typed.ts';
import { checkLimit } from '../limits.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { bigint, isTime, varchar } from '../types.ts';
import { has, malformed, type Node, textIn } from './members.ts';
import type { NativeSource } from './source.ts';
import { virtualColumnIn } from './virtual-columns.ts';

export class RowScope implements Scope {
  readonly environment: Environment;
  readonly source: NativeSource;
  readonly #virtual: ReadonlyMap<string, Node>;
  readonly #text: (name: string) => string;
  readonly #used = new Set<string>();
  readonly #resolving = new Set<string>();
  readonly #values = new Map<string, Typed>();
  #hidden = 0; // how often a name meant the source's column because it is being defined

  /** `text` says how DuckDB names a column of the source. */
  constructor(
    source: NativeSource,
    environment: Environment,
    virtualColumns: readonly Node[] = [],
    text: (name: string) => string = (name) => `${rowAlias}.${identifiersOf(source.columns)(name)}`,
  ) {
    this.#text = text;
    this.source = source;
    this.environment = environment;
    this.#virtual = virtualColumnIn.byName(virtualColumns);
  }

  /** Names of the virtual columns. */
  get virtualColumns(): readonly string[] {
    return [...this.#virtual.keys()];
  }

  /** The native type that a virtual column says it has. */
  declaredType(name: string): string | undefined {
    const node = this.#virtual.get(name);
    return node?.type === 'expression' && has(node, 'outputType')
      ? textIn(node, 'outputType').toUpperCase()
      : undefined;
  }

  /** The columns of the source that were named. */
  get used(): readonly string[] {
    return [...this.#used];
  }

  column(names: readonly string[], at: Position): Typed {
    const name = names.at(-1) ?? '';
    const virtual = this.#virtual.get(name);
    // Inside of its own definition a name is the source's.
    if (virtual && !this.#resolving.has(name)) return { ...this.#virtualValue(name, virtual), at };
    if (virtual) this.#hidden++;
    const found = this.source.columns.find((column) => column.name === name);
    // Every source has a time: rows without one are of 1970 (Druid: RowBasedColumnSelectorFactory).
    if (!found)
      return name === '__time'
        ? { type: bigint, sql: '0::BIGINT', at }
        : { type: varchar, sql: 'NULL::VARCHAR', at, nullable: true };
    this.#used.add(name);
    // Times are numbers of milliseconds in native queries.
    return {
      type: isTime(found.type) ? bigint : found.type,
      sql: this.#text(name),
      at,
      isRepeatable: true,
    };
  }

  /** Whether a name means anything here. */
  has(name: string): boolean {
    return this.#virtual.has(name) || this.source.columns.some((column) => column.name === name);
  }

  /** The value of an expression; a condition is 1 or 0. */
  value(expression: Expression): Typed {
    const typed = resolveExpression(expression, this);
    return typed.type.name === 'BOOLEAN' ? castTo(typed, bigint, this.environment.timeZone) : typed;
  }

  /** What follows FROM. Asked for last: it reads the columns that were named. */
  text(intervals: readonly Interval[]): string {
    return `${this.source.scan([...this.#used], intervals)} AS ${rowAlias}`;
  }

  // Kept, unless a name in it meant something else because of the definition around it: columns
  // that name others twice would be resolved again and again.
  #virtualValue(name: string, node: Node): Typed {
    const known = this.#values.get(name);
    if (known) return known;
    const hidden = this.#hidden;
    this.#resolving.add(name);
    try {
      const value = virtualColumnIn.value(node, this);
      checkLimit('expansion', value.sql.length);
      if (this.#hidden === hidden) this.#values.set(name, value);
      return value;
    } finally {
      this.#resolving.delete(name);
    }
  }

  subquery(): never {
    throw noQuery();
  }
  exists(): never {
    throw noQuery();
  }
  inQuery(): never {
    throw noQuery();
  }
  quantified(): never {
    throw noQuery();
  }
  aggregate(): never {
    throw malformed('An aggregate function cannot stand in a native expression');
  }
}

/** How DuckDB names the rows. */
export const rowAlias = '"row"';

const noQuery = () => malformed('A query cannot stand in a native expression');
