// Statements that are expensive to plan in DuckDB.
import type { StatementSize } from '../../sql/ast.ts';

/**
 * Whether DuckDB may take long, or much memory, to plan a statement. Planning is not interrupted,
 * and macros repeat their arguments: its cost grows with a power of the depth, whatever the length.
 * The orders in which tables can be joined grow faster than any power of their number.
 */
export const isCostlyToPlan = ({ depth, tables, groupingSets }: StatementSize): boolean =>
  depth > mostDepth || tables > mostTables || groupingSets > mostGroupingSets;

const mostDepth = 12;
const mostTables = 8;
const mostGroupingSets = 16;
