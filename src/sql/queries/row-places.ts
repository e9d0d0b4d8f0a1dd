// The places of the rows of FROM, for aggregates that take one of several rows.
import { identifier } from '../expressions/duckdb-text.ts';
import { columnText, type Source } from '../resolution/relation.ts';
import type { Clauses, OrderTerm } from '../resolution/select-text.ts';
import type { Translation } from '../resolution/translation.ts';

export class RowPlaces {
  readonly #source: Source | undefined;
  readonly #translation: Translation;
  #name: string | undefined; // of the column with the places, once one was requested

  constructor(source: Source | undefined, translation: Translation) {
    this.#source = source;
    this.#translation = translation;
  }

  /**
   * The place of a row among those that meet WHERE, as DuckDB text; undefined for rows of several
   * relations. DuckDB reads the rows of tables in their order, so that only the last of them needs
   * a place; groups are read in the order of their keys.
   */
  of(isLast: boolean): string | undefined {
    const { alias } = this.#source ?? {};
    if (alias === undefined || (!isLast && this.#groupOrder.length === 0)) return undefined;
    this.#name ??= this.#translation.alias('place');
    return columnText(alias, this.#name);
  }

  /** FROM and WHERE with the places of rows, if one was requested. */
  below(given: Pick<Clauses, 'from' | 'where'>): Pick<Clauses, 'from' | 'where'> {
    const alias = this.#source?.alias;
    if (this.#name === undefined || alias === undefined) return given;
    const rows = [given.from, ...(given.where ? [given.where] : [])].join(' WHERE ');
    return { from: withPlaces(rows, alias, this.#name, this.#groupOrder), where: undefined };
  }

  // The order of the rows, if they are the groups of a query.
  get #groupOrder(): readonly OrderTerm[] {
    const source = this.#source;
    return source?.kind === 'query' && !source.cut ? orderOfSource(source) : [];
  }
}

/** The order of the rows of FROM, as items of ORDER BY. */
export const orderOfSource = (source: Source | undefined): readonly OrderTerm[] =>
  (source?.order ?? []).map(({ column, descending }) => ({ sql: column.text(), descending }));

/** The rows with a column that numbers them, as one relation. */
export function withPlaces(
  rows: string,
  alias: string,
  place: string,
  order: readonly OrderTerm[] = [],
): string {
  const terms = order.map(({ sql, descending }) => `${sql}${descending ? ' DESC' : ''}`);
  const by = terms.length > 0 ? `ORDER BY ${terms.join(', ')}` : '';
  const number = `row_number() OVER (${by}) AS ${identifier(place)}`;
  return `(SELECT *, ${number} FROM ${rows}) AS ${identifier(alias)}`;
}
