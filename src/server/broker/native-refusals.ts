// Refusals of native queries (Druid: QueryException).
import { operationCode } from '../../sql/native/members.ts';
import { SqlError } from '../../sql/sql-error.ts';
import { javaClassOf, oneOfNames } from '../checks/context-values.ts';
import { Refusal, type RefusalDetails } from '../checks/refusals.ts';
import { failedAtRunTime, ValueMisfit } from '../engine/refusals.ts';
import { valueOutOfRange } from '../statements/sql-refusals.ts';

/**
 * The refusal of an invalid query; other errors are returned unchanged. The headers contain the
 * known details of the query.
 */
export function nativeRefusalOf(
  error: unknown,
  headers: NonNullable<RefusalDetails['headers']>,
): unknown {
  if (error instanceof Refusal && error.category === 'forbidden') return error; // it contains no details of the query
  if (error instanceof ValueMisfit) return nativeRefusalOf(valueOutOfRange(), headers);
  if (error instanceof Refusal)
    return new Refusal(error.category, error.message, {
      // An error after parsing has more details than a parse error.
      ...(error.details.legacy && { family: 'druidException' }),
      ...error.details,
      headers: { ...headers, ...error.details.headers },
    });
  if (!(error instanceof SqlError)) return error;
  if (error.category === 'UNSUPPORTED') {
    return new Refusal('unsupported', error.message, {
      legacy: {
        code: 'Unsupported query',
        errorClass: 'org.apache.druid.query.QueryUnsupportedException',
      },
      headers,
    });
  }
  if (error.category === 'DEFENSIVE')
    return new Refusal('defensive', error.message, {
      family: 'druidException',
      code: error.code,
      persona: 'DEVELOPER',
      headers,
    });
  if (error.category === 'RUNTIME_FAILURE' && error.code === operationCode)
    return nativeRefusalOf(
      new Refusal('runtimeFailure', error.message, {
        persona: 'OPERATOR',
        legacy: { code: operationCode, errorClass: 'org.apache.druid.java.util.common.UOE' },
      }),
      headers,
    );
  if (error.category === 'RUNTIME_FAILURE')
    return nativeRefusalOf(failedAtRunTime(error.message), headers);
  return new Refusal('invalidInput', error.message, { family: 'queryException' });
}

export const negativeTimeout = (timeoutMs: number) =>
  contextRefusal(`Timeout [timeout] must be a non negative value, but was ${timeoutMs}`);

const contextRefusal = (message: string) =>
  new Refusal('invalidInput', message, {
    legacy: {
      code: 'Query context parse failed',
      errorClass: 'org.apache.druid.query.BadQueryContextException',
    },
  });

/**
 * Throws a Refusal for a parameter of another type than this type of query reads. Only groups and
 * timeseries are computed by vectors.
 */
export function checkContext(queryType: string, context: Readonly<Record<string, unknown>>): void {
  const own = Object.hasOwn(contextTypes, queryType) ? contextTypes[queryType] : undefined;
  for (const [key, type] of Object.entries({ ...own, bySegment: 'Boolean', lane: 'String' })) {
    const given = context[key] ?? undefined;
    if (given === undefined || typeof given === 'string' || typeof given === type.toLowerCase())
      continue;
    throw contextRefusal(`Expected key [${key}] to be a ${type}, but got [${javaClassOf(given)}]`);
  }
  const isByVectors = queryType === 'groupBy' || queryType === 'timeseries';
  if (isByVectors && typeof context.vectorize !== 'boolean')
    oneOfNames(context, 'vectorize', 'Vectorize', ['FALSE', 'TRUE', 'FORCE']);
}

// A condition may also be a text, which is false unless it is the word true.
const contextTypes: Readonly<Record<string, Readonly<Record<string, 'Boolean' | 'String'>>>> = {
  timeseries: { skipEmptyBuckets: 'Boolean', grandTotal: 'Boolean' },
  groupBy: {
    forceLimitPushDown: 'Boolean',
    groupByIsSingleThreaded: 'Boolean',
    resultAsArray: 'Boolean',
    sortByDimsFirst: 'Boolean',
  },
  search: { searchStrategy: 'String' },
};

/** The failure of a query whose id is not a text. */
export const queryIdNoText = (given: unknown) =>
  new Refusal(
    'runtimeFailure',
    `Expected key [queryId] to be a String, but got [${javaClassOf(given)}]`,
    { family: 'queryException' },
  );
