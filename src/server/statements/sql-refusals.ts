// Refusals of SQL statements while parsing, planning or running (Druid: DruidException,
// QueryException).

import { LimitExceeded } from '../../sql/runtime/value-limits.ts';
import { SqlError } from '../../sql/sql-error.ts';
import { Refusal, type RefusalDetails } from '../checks/refusals.ts';
import { resourceLimitExceeded, ValueMisfit } from '../engine/refusals.ts';

/** The refusal of an invalid statement; other errors are returned unchanged. */
export function refusalOf(error: unknown, headers: RefusalDetails['headers']): unknown {
  if (error instanceof Refusal && error.category === 'forbidden') return error; // it contains no details of the query
  if (error instanceof ValueMisfit) return refusalOf(valueOutOfRange(), headers);
  // A function of constants is computed while the statement is planned
  if (error instanceof LimitExceeded)
    return refusalOf(resourceLimitExceeded(error.message), headers);
  if (error instanceof Refusal)
    return new Refusal(error.category, error.message, {
      ...error.details,
      headers: { ...headers, ...error.details.headers },
    });
  if (!(error instanceof SqlError)) return error;
  const { category, code, persona, context, message } = error;
  const { legacyErrorCode, errorClass } = context;
  return new Refusal(categories[category], message, {
    persona,
    ...(legacyErrorCode === undefined
      ? { code, context }
      : { legacy: { code: legacyErrorCode, ...(errorClass && { errorClass }) } }),
    ...(headers && { headers }),
  });
}

/**
 * A query value that exceeds its type. DuckDB's message would name expressions that the caller has
 * not written.
 */
export const valueOutOfRange = () =>
  new Refusal(
    'invalidInput',
    'The query computes a value that is out of range: a number or a time that its type cannot hold, or an argument that a function cannot take. Look for very large numbers, lengths, periods and years, and limit them, as with LEAST, GREATEST or CASE.',
  );

const categories = {
  DEFENSIVE: 'defensive',
  INVALID_INPUT: 'invalidInput',
  RUNTIME_FAILURE: 'runtimeFailure',
  UNSUPPORTED: 'unsupported',
  UNCATEGORIZED: 'uncategorized',
} as const;

export const typesWithoutHeader = (flag: 'typesHeader' | 'sqlTypesHeader') =>
  unmappedField(`Cannot include '${flag}' without 'header'`);
export const unknownResultFormat = (format: string, known: readonly string[]) =>
  unmappedField(
    `Unknown result format [${format}]; not one of the values accepted: [${known.join(', ')}]`,
  );
export const unknownParameterType = (type: string, known: readonly string[]) =>
  malformed(
    `Cannot deserialize value of type \`SqlType\` from String "${type}": not one of the values accepted: [${known.join(', ')}]`,
  );
export const queryIdNotText = () =>
  new Refusal('runtimeFailure', 'Query context parameter [sqlQueryId] is not a string', {
    family: 'queryException',
  });
export const unknownEngine = (engine: unknown) =>
  new SqlError(`Unsupported engine[${String(engine)}]`, { context: { sourceType: 'sql' } });
export const joinAlgorithmUnsupported = () =>
  new SqlError('Join algorithm [sortMerge] is not supported by engine [native]', {
    context: { sourceType: 'sql' },
  });
export const unknownQuery = () => new Refusal('notFound', '');

// A member of a request with an invalid value is reported with its source (Jackson's
// JsonMappingException).
const unmappedField = (message: string) => malformed(`${message}\n at [Source: request body]`);

const malformed = (message: string) =>
  new Refusal('invalidInput', message, { family: 'queryException' });
/** `candidates` without intervals fails in the real engine with this error. */
export const noIntervals = () =>
  new Refusal('runtimeFailure', 'Parameter [intervals] is required, as in intervals=START/END', {
    family: 'html',
  });
