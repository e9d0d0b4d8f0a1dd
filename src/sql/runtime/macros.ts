// The macros that the engine creates when it starts, as statements. The functions they call are in
// scalar-functions.ts.
import { plainMacroBodies } from './plain-macros.ts';
import { processMacroBodies } from './process-macros.ts';

const statementsOf = (bodies: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(bodies).map(([head, body]) => `CREATE OR REPLACE MACRO ${head} AS ${body}`);

/**
 * Macros that are safe everywhere: without functions in TypeScript, texts that grow, and values
 * gathered from many rows.
 */
export const plainMacros = statementsOf(plainMacroBodies);

/**
 * Macros for a process that can be ended: they call functions in TypeScript, or make texts and
 * lists that may be large.
 */
export const processMacros = statementsOf(processMacroBodies);

/** All macros, in an order in which each finds what it uses. */
export const macros: readonly string[] = [...plainMacros, ...processMacros];
