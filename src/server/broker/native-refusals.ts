// Refusals of native queries (Druid: QueryException).
import type { NativeQuery } from '../../contract/native.ts';
import { parserClasses } from '../../contract/parser-classes.ts';
import {
  isFailureOfRun,
  isNode,
  javaClassOfFailure,
  operationCode,
  parseFaultOf,
} from '../../sql/native/members.ts';
import { failureClasses } from '../../sql/runtime/own-words.ts';
import { LimitExceeded } from '../../sql/runtime/value-limits.ts';
import { SqlError } from '../../sql/sql-error.ts';
import {
  type ContextType,
  contextRefusal,
  intOf,
  javaClassOf,
  oneOfNames,
  wrongTypeIn,
} from '../checks/context-values.ts';
import { Refusal, type RefusalDetails } from '../checks/refusals.ts';
import { failedAtRunTime, resourceLimitExceeded, ValueMisfit } from '../engine/refusals.ts';
import { valueOutOfRange } from '../statements/sql-refusals.ts';

/**
 * The refusal of an invalid query; other errors are returned unchanged. The headers contain the
 * known details of the query. A service that answers as the real engine also names the class of a
 * parse error.
 */
export function nativeRefusalOf(
  error: unknown,
  headers: NonNullable<RefusalDetails['headers']>,
  namesClass: boolean,
): unknown {
  if (error instanceof Refusal && error.category === 'forbidden') return error; // it contains no details of the query
  if (error instanceof LimitExceeded)
    return nativeRefusalOf(resourceLimitExceeded(error.message), headers, namesClass);
  if (error instanceof ValueMisfit) return nativeRefusalOf(valueOutOfRange(), headers, namesClass);
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
      namesClass,
    );
  if (error.category === 'RUNTIME_FAILURE' || isFailureOfRun(error)) {
    const failure = failedAtRunTime(error.message, javaClassOfFailure(error));
    return nativeRefusalOf(failure, headers, namesClass);
  }
  return new Refusal('invalidInput', error.message, {
    family: 'queryException',
    ...(namesClass && {
      legacy: { code: 'Unknown exception', errorClass: parserClasses[parseFaultOf(error)] },
    }),
  });
}

/**
 * The refusal of a groupBy that failed while it read rows: the engine reads them in threads, and
 * reports the failure of a thread. Groups of groups are read without threads, and post-aggregators
 * and HAVING are computed later. Other errors are returned unchanged.
 */
export function failedInThread(error: unknown, query: NativeQuery): unknown {
  if (!(error instanceof Refusal) || error.category !== 'runtimeFailure') return error;
  if (!readsInThreads(query)) return error;
  const { legacy } = error.details;
  return legacy?.errorClass === undefined || failuresOfResults.has(legacy.errorClass)
    ? error
    : failedAtRunTime(
        `java.util.concurrent.ExecutionException: ${legacy.errorClass}: ${error.message}`,
        'java.lang.RuntimeException',
      );
}

// The innermost groupBy reads the rows. Below another query, or beside post-aggregators and HAVING,
// its rows fail only where something is computed of them.
function readsInThreads(query: Readonly<Record<string, unknown>>): boolean {
  let innermost = query;
  while (isNode(innermost.dataSource) && isNode(innermost.dataSource.query))
    innermost = innermost.dataSource.query;
  const mayFailLater =
    innermost !== query || ['having', 'postAggregations'].some((key) => computes([query[key]]));
  return (
    innermost.queryType === 'groupBy' &&
    (!mayFailLater || ofRows.some((key) => computes(innermost[key])))
  );
}

const ofRows = ['virtualColumns', 'filter', 'dimensions', 'aggregations'];

const computes = (part: unknown): boolean =>
  Array.isArray(part)
    ? part.some(computes)
    : isNode(part) &&
      (computing.some((key) => part[key] !== undefined && part[key] !== null) ||
        Object.values(part).some(computes));

const computing = ['expression', 'extractionFn', 'fold'];

const failuresOfResults: ReadonlySet<string> = new Set([
  failureClasses.cast,
  failureClasses.noNumber,
]);

export const negativeTimeout = (timeoutMs: number) =>
  contextRefusal(`Timeout [timeout] must be a non negative value, but was ${timeoutMs}`);

/**
 * Throws a Refusal for a parameter of another type than this query reads. Only groups and
 * timeseries are computed by vectors.
 */
export function checkContext(
  { queryType, dataSource }: Pick<NativeQuery, 'dataSource' | 'queryType'>,
  context: Readonly<Record<string, unknown>>,
): void {
  const own = Object.hasOwn(contextTypes, queryType) ? contextTypes[queryType] : undefined;
  const types = {
    ...typesOfAll,
    ...(readsServers(dataSource, queryType) && scatterTypes),
    ...(uncached.has(queryType) ? {} : cacheTypes),
    ...(isNode(dataSource) && dataSource.type === 'join' && joinTypes),
    ...own,
  };
  const found = wrongTypeIn(context, types);
  // The engine fails to read a priority before it handles errors of a context.
  if (found)
    throw found.key === 'priority' ? unreadable(found.message) : contextRefusal(found.message);
  for (const key of queryType === 'scan' ? orderingLimits : []) {
    if (context[key] !== undefined && context[key] !== null && intOf(context[key]) <= 0)
      throw contextRefusal('maxRowsQueuedForOrdering must be greater than 0');
  }
  const isByVectors = queryType === 'groupBy' || queryType === 'timeseries';
  if (isByVectors && typeof context.vectorize !== 'boolean')
    oneOfNames(context, 'vectorize', 'Vectorize', ['FALSE', 'TRUE', 'FORCE']);
}

// Whether data servers answer the query. They answer a groupBy over another groupBy as a whole.
function readsServers(given: unknown, queryType: string): boolean {
  let source = given;
  while (isNode(source) && (source.base !== undefined || source.left !== undefined))
    source = source.base ?? source.left;
  if (!isNode(source)) return true;
  const isOfGroups =
    queryType === 'groupBy' && isNode(source.query) && source.query.queryType === 'groupBy';
  return source.type === 'query' ? isOfGroups : !ofBroker.has(source.type);
}

const ofBroker: ReadonlySet<unknown> = new Set(['inline', 'lookup']);

const scatterTypes: Readonly<Record<string, ContextType>> = {
  subQueryId: 'String',
  uncoveredIntervalsLimit: 'Integer',
  maxQueuedBytes: 'Long',
  maxScatterGatherBytes: 'Long',
};

const typesOfAll: Readonly<Record<string, ContextType>> = {
  sqlQueryId: 'String',
  priority: 'Integer',
  bySegment: 'Boolean',
  finalize: 'Boolean',
  lane: 'String',
};

const cacheTypes: Readonly<Record<string, ContextType>> = {
  populateCache: 'Boolean',
  useResultLevelCache: 'Boolean',
  populateResultLevelCache: 'Boolean',
};

// The engine never caches these.
const uncached: ReadonlySet<string> = new Set(['scan', 'dataSourceMetadata']);

const joinTypes: Readonly<Record<string, ContextType>> = {
  enableJoinFilterPushDown: 'Boolean',
  enableJoinFilterRewrite: 'Boolean',
};

const orderingLimits = ['maxRowsQueuedForOrdering', 'maxSegmentPartitionsOrderedInMemory'];

const contextTypes: Readonly<Record<string, Readonly<Record<string, ContextType>>>> = {
  timeseries: { skipEmptyBuckets: 'Boolean', grandTotal: 'Boolean', vectorSize: 'Integer' },
  groupBy: {
    applyLimitPushDown: 'Boolean',
    bufferGrouperMaxSize: 'Integer',
    forceLimitPushDown: 'Boolean',
    groupByIsSingleThreaded: 'Boolean',
    maxOnDiskStorage: 'Size',
    maxSelectorDictionarySize: 'Size',
    numParallelCombineThreads: 'Integer',
    resultAsArray: 'Boolean',
    sortByDimsFirst: 'Boolean',
    vectorSize: 'Integer',
  },
  topN: { minTopNThreshold: 'Integer' },
  search: { searchStrategy: 'String' },
  scan: Object.fromEntries(orderingLimits.map((key) => [key, 'Integer'])),
};

const unreadable = (message: string) =>
  new Refusal('runtimeFailure', message, {
    family: 'queryException',
    legacy: {
      code: 'Unknown exception',
      errorClass: 'org.apache.druid.query.BadQueryContextException',
    },
  });

/** The failure of a query whose id is not a text. */
export const queryIdNoText = (given: unknown) =>
  new Refusal(
    'runtimeFailure',
    `Expected key [queryId] to be a String, but got [${javaClassOf(given)}]`,
    {
      family: 'queryException',
      legacy: {
        code: 'Unknown exception',
        errorClass: 'org.apache.druid.query.BadQueryContextException',
      },
    },
  );
