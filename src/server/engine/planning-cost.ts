// Which statements cost DuckDB much before they run.
import type { StatementSize } from '../../sql/ast.ts';

/**
 * Whether DuckDB may take long, or much memory, to plan a statement. Planning is not interrupted, and
 * macros repeat their arguments: its cost grows with a power of the depth, whatever the length.
 */
export const isCostlyToPlan = ({ depth, groupingSets }: StatementSize): boolean => depth > mostDepth || groupingSets > mostGroupingSets;

const mostDepth = 12;
const mostGroupingSets = 16;
