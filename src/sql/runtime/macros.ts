// DuckDB macros that the engine creates at start-up, as statements. The functions that they call
// are in scalar-functions.ts.
import { plainMacroBodies } from './plain-macros.ts';
import { processMacroBodies } from './process-macros.ts';

const statementsOf = (bodies: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(bodies).map(([head, body]) => `CREATE OR REPLACE MACRO ${head} AS ${body}`);

/**
 * Macros that are safe in any process. They use no functions in TypeScript, no growing texts, and
 * no values collected from many rows.
 */
export const plainMacros = statementsOf(plainMacroBodies);

/**
 * Macros for processes that can be killed: they call functions in TypeScript, or build texts and
 * lists that may be large.
 */
export const processMacros = statementsOf(processMacroBodies);

/** All macros, ordered by their dependencies. */
export const macros: readonly string[] = [...plainMacros, ...processMacros];
