// Context parameters that people set by hand, from Druid's pages on the context of queries, of SQL
// and of the multi-stage engine. Completion and \set read them.

export interface ContextParameter {
  readonly type: 'boolean' | 'integer' | 'text' | 'JSON';
  readonly means: string;
  readonly values?: readonly string[]; // the allowed words
}

const declared = {
  approxTopNThreshold: {
    type: 'integer',
    means: 'largest LIMIT of an approximate TopN',
  },
  arrayIngestMode: {
    type: 'text',
    means: 'how ARRAY columns are stored',
    values: ['array', 'mvd'],
  },
  clusterStatisticsMergeMode: {
    type: 'text',
    means: 'how the controller merges key statistics for partitions',
    values: ['PARALLEL', 'SEQUENTIAL'],
  },
  durableShuffleStorage: {
    type: 'boolean',
    means: 'keep rows between stages in durable storage',
  },
  failOnEmptyInsert: {
    type: 'boolean',
    means: 'an INSERT or REPLACE without rows fails',
  },
  faultTolerance: {
    type: 'boolean',
    means: 'restart failed workers; needs durable storage',
  },
  finalizeAggregations: {
    type: 'boolean',
    means: 'store final values of aggregations instead of sketches',
  },
  groupByEnableMultiValueUnnesting: {
    type: 'boolean',
    means: 'GROUP BY takes each value of a multi-value dimension',
  },
  indexSpec: {
    type: 'JSON',
    means: 'compression and bitmaps of new segments',
  },
  maxConcurrentStages: {
    type: 'integer',
    means: 'stages that run at the same time',
  },
  maxNumTasks: {
    type: 'integer',
    means: 'tasks of a statement: the controller and its workers',
  },
  maxParseExceptions: {
    type: 'integer',
    means: 'number of unreadable rows that a statement leaves out before it fails; -1: any number',
  },
  maxSubqueryBytes: {
    type: 'text',
    means: 'memory for the rows of subqueries: a number of bytes, or auto',
  },
  maxSubqueryRows: {
    type: 'integer',
    means: 'rows of subqueries before the query fails',
  },
  priority: {
    type: 'integer',
    means: 'higher ones run first',
  },
  removeNullBytes: {
    type: 'boolean',
    means: 'remove null bytes from texts instead of failing',
  },
  rowsPerSegment: {
    type: 'integer',
    means: 'rows to aim for in a new segment',
  },
  segmentSortOrder: {
    type: 'text',
    means: 'columns to sort new segments by, separated by commas',
  },
  selectDestination: {
    type: 'text',
    means: 'where the rows of a SELECT task go',
    values: ['taskReport', 'durableStorage'],
  },
  sqlCurrentTimestamp: {
    type: 'text',
    means: 'time that CURRENT_TIMESTAMP returns, as ISO 8601',
  },
  sqlJoinAlgorithm: {
    type: 'text',
    means: 'how the multi-stage engine joins',
    values: ['broadcast', 'sortMerge'],
  },
  sqlQueryId: {
    type: 'text',
    means: 'id of the query, to cancel it and to find it in logs',
  },
  sqlTimeZone: {
    type: 'text',
    means: 'time zone of time functions and literals, such as Europe/Paris',
  },
  timeout: {
    type: 'integer',
    means: 'milliseconds until the query is cancelled; 0: never',
  },
  useApproximateCountDistinct: {
    type: 'boolean',
    means: 'COUNT(DISTINCT ...) is an estimate by a sketch',
  },
  useApproximateTopN: {
    type: 'boolean',
    means: 'ORDER BY with LIMIT on one dimension may be approximate',
  },
  useCache: {
    type: 'boolean',
    means: 'read the segment cache',
  },
  useResultLevelCache: {
    type: 'boolean',
    means: 'read the cache of whole results',
  },
  waitUntilSegmentsLoad: {
    type: 'boolean',
    means: 'an INSERT or REPLACE ends when its segments are loaded',
  },
} as const satisfies Readonly<Record<string, ContextParameter>>;

export const contextParameters: Readonly<Record<string, ContextParameter>> = declared;

export const contextNames: readonly string[] = Object.keys(declared);

/** The words that a parameter takes; empty where any value of its type may stand. */
export function valuesOfParameter(name: string): readonly string[] {
  const parameter = Object.hasOwn(contextParameters, name) ? contextParameters[name] : undefined;
  return parameter?.values ?? (parameter?.type === 'boolean' ? ['true', 'false'] : []);
}

/** A parameter in one line: its name, type and meaning. */
export function parameterInWords(name: string): string {
  const parameter = Object.hasOwn(contextParameters, name) ? contextParameters[name] : undefined;
  return parameter ? `${name}  ${parameter.type}: ${parameter.means}` : name;
}
