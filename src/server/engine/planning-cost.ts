// Statements that are expensive to plan in DuckDB.
import type { StatementSize } from '../../sql/ast.ts';
import type { QueryOptions } from './engine.ts';

/** The options of a query that follow from its statement. */
export const costOf = ({
  size,
  numRows,
  keptValues = 0,
}: {
  readonly size: StatementSize;
  readonly numRows: number;
  readonly keptValues?: number;
}): Pick<QueryOptions, 'isolated' | 'grouping'> => ({
  isolated: isCostlyToPlan(size),
  grouping: {
    numRows,
    aggregates: size.calls,
    tables: size.tables,
    groupingSets: size.groupingSets,
    keptValues,
  },
});

/**
 * Whether DuckDB may need much time or memory to plan a statement. Planning cannot be interrupted,
 * and macros repeat their arguments: the cost grows with a power of the depth, regardless of
 * length. The number of join orders grows faster than any power of the number of tables.
 */
const isCostlyToPlan = ({ depth, tables, groupingSets }: StatementSize): boolean =>
  depth > mostDepth || tables > mostTables || groupingSets > mostGroupingSets;

const mostDepth = 12;
const mostTables = 8;
const mostGroupingSets = 16;
