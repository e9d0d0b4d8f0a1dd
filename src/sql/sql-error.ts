// Refusals of statements before they run.
import type { Call, Position, Star } from './ast.ts';
import { printedSignatures } from './printed-signatures.ts';
import { familyText, type SqlType, typeText } from './types.ts';

/**
 * Category and code determine the reply (Druid's DruidException). The position is part of the
 * message and of the context.
 */
export class SqlError extends Error {
  readonly category:
    | 'DEFENSIVE'
    | 'INVALID_INPUT'
    | 'RUNTIME_FAILURE'
    | 'UNSUPPORTED'
    | 'UNCATEGORIZED';
  readonly code: string;
  readonly persona: 'USER' | 'ADMIN' | 'OPERATOR';
  readonly context: Readonly<Record<string, string>>;
  readonly phase: 'parse' | 'plan'; // in which the real engine refuses this

  constructor(
    message: string,
    {
      category = 'INVALID_INPUT',
      code = 'invalidInput',
      persona = 'USER',
      context = {},
      phase = 'parse',
    }: Partial<SqlErrorFields> = {},
  ) {
    super(message);
    this.category = category;
    this.code = code;
    this.persona = persona;
    this.context = context;
    this.phase = phase;
  }
}

export type SqlErrorFields = Pick<SqlError, 'category' | 'code' | 'persona' | 'context' | 'phase'>;

/** An invalid name, type or clause: the message with its position, as the engine words it. */
export function invalidSql(message: string, at: Position): SqlError {
  return new SqlError(`${message} (line [${at.line}], column [${at.column}])`, {
    context: { sourceType: 'sql', ...placeOf(at) },
  });
}

/** As `invalidSql`, where the engine tells no position. */
export const invalidStatement = (message: string): SqlError =>
  new SqlError(message, { context: { sourceType: 'sql' } });

/** Arguments that do not fit a function: their types, and the function's form. */
export function cannotCall(
  { name, at }: Pick<Call, 'at' | 'name'>,
  args: readonly { readonly type: SqlType }[],
  form: string,
): SqlError {
  const actual = args.map(({ type }) => `<${typeText(type).toUpperCase()}>`).join(', ');
  return refusedCall({ name, at }, actual, form);
}

/** As `cannotCall`, with the text of the arguments' types. */
export function refusedCall(
  { name, at }: Pick<Call, 'at' | 'name'>,
  actual: string,
  form: string,
): SqlError {
  const shown = shownName(name);
  const forms = Object.hasOwn(printedSignatures, shown) ? printedSignatures[shown] : `'${form}'`;
  return invalidSql(
    `Cannot apply '${shown}' to arguments of type '${shown}(${actual})'. Supported form(s): ${forms}`,
    at,
  );
}

// The engine names some functions in small letters.
function shownName(name: string): string {
  const small = name.toLowerCase();
  return Object.hasOwn(printedSignatures, small) ? small : name;
}

/** An argument that must be a literal but is not. */
export const notLiteral = (functionName: string, at: Position): SqlError =>
  invalidSql(`Argument to function '${shownName(functionName)}' must be a literal`, at);

/** An unknown function or operator; its signature has the families of its arguments. */
export const unknownFunction = (signature: string, at: Position): SqlError =>
  invalidSql(`No match found for function signature ${signature}`, at);

/** A star in place of a value. Versions name it differently, but for a star of one table. */
export const unknownStar = ({ at, qualifier }: Star, version: number): SqlError =>
  qualifier.length > 0
    ? invalidSql("Unknown field '*'", { ...at, line: at.endLine, column: at.endColumn })
    : invalidSql(`Unknown ${version < 37 ? 'identifier' : 'field'} '*'`, at);

/** The call of an unknown function. */
export const unknownCall = (
  { name, at }: Pick<Call, 'at' | 'name'>,
  args: readonly { readonly type: SqlType }[],
): SqlError =>
  // Calcite names TRANSLATE by its number of arguments.
  unknownFunction(
    `${name === 'TRANSLATE' ? 'TRANSLATE3' : name}(${args.map(({ type }) => `<${familyText(type)}>`).join(', ')})`,
    at,
  );

/** A valid feature that the engine does not support. */
export function unsupportedSql(reason: string, persona: SqlError['persona'] = 'USER'): SqlError {
  return new SqlError(`Query could not be planned. A possible reason is [${reason}]`, {
    code: 'general',
    persona,
  });
}

/**
 * An argument at which the engine's planner fails, with status 500. It is a mistake of the caller,
 * so the status here is 400.
 */
export const failedPlanning = (message: string): SqlError =>
  new SqlError(message, { code: 'general', persona: 'ADMIN' });

/** An argument at which a query fails that was planned (Druid: QueryException). */
export const failedQuery = (message: string, errorClass?: string): SqlError =>
  new SqlError(message, {
    category: 'RUNTIME_FAILURE',
    code: 'legacyQueryException',
    persona: 'OPERATOR',
    context: { legacyErrorCode: 'Unknown exception', ...(errorClass && { errorClass }) },
  });

/** A query that the engine cannot plan, without a further explanation. */
export const unplannable = (): SqlError =>
  new SqlError('Unhandled Query Planning Failure, see broker logs for details', {
    category: 'UNSUPPORTED',
    code: 'general',
    persona: 'OPERATOR',
  });

const placeOf = ({ line, column, endLine, endColumn }: Position) => ({
  line: String(line),
  column: String(column),
  endLine: String(endLine),
  endColumn: String(endColumn),
});
