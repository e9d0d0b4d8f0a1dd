// Limits of requests, statements and native queries, as data for error messages, `svcctl help
// limits` and the documentation.

/** Limits of requests other than queries. */
export const requestLimits = {
  bodyBytes: { most: 16 * 1024 * 1024, what: 'bytes of a request body, also after it is unpacked' },
  headerBytes: { most: 64 * 1024, what: 'bytes of all headers of a request' },
  nameLength: {
    most: 1000,
    what: 'letters of a name or an id that a request gives: of datasources, tasks, queries, lookups, tiers and supervisors',
  },
  pathNameLength: { most: 3000, what: 'letters of a name or an id in a path' },
  contextParameters: { most: 10_000, what: 'parameters of a query context' },
  specItems: {
    most: 10_000,
    what: 'items of each list in an ingestion specification, such as dimensions and metrics',
  },
  inputColumns: {
    most: 5000,
    what: 'columns of an input, those that are found in its rows included',
  },
  configurationItems: {
    most: 10_000,
    what: 'items of each list and object in a dynamic configuration',
  },
  documentBytes: {
    most: 2 * 1024 * 1024,
    what: 'bytes of a JSON body that is not a query, lookup, task or list of segments',
  },
  bodyItems: {
    most: 10_000,
    what: 'items of each list and object in a JSON body that is not a query, lookup or list of segments',
  },
  bodyValues: {
    most: 60_000,
    what: 'values in a JSON body that is not a query, lookup or list of segments',
  },
  queryValues: {
    most: 5_000_000,
    what: 'values in the JSON body of a query, a lookup or a list of segments',
  },
  timeChunks: { most: 100_000, what: 'time chunks that a task writes, locks or counts' },
  timeBuckets: {
    most: 1_000_000,
    what: 'buckets of a granularity with a time zone or an origin, between the first and the last row',
  },
  replicas: { most: 20, what: 'replicas of a task that reads a stream' },
  rules: { most: 10_000, what: 'retention rules of a datasource' },
} as const satisfies Readonly<Record<string, Limit>>;

export interface Limit {
  readonly most: number;
  readonly what: string; // the counted items, in the plural
}

/**
 * Limits of statements and native queries. Real queries are far below them; they keep the work for
 * a statement in proportion to its length.
 */
export const limits = {
  tokens: { most: 4_000_000, what: 'words, names, values and symbols of a statement' },
  listItems: {
    most: 2_000_000,
    what: 'items of a list: in IN, ARRAY, VALUES, the arguments of a function',
  },
  nesting: { most: 400, what: 'levels of parentheses, queries and operators' },
  operators: {
    most: 1000,
    what: 'operators in a row that are computed one after the other, such as + and =',
  },
  joins: { most: 400, what: 'joins and commas in a row after FROM' },
  setOperations: { most: 400, what: 'set operations in a row, such as UNION ALL' },
  groupingSets: {
    most: 1024,
    what: 'grouping sets of GROUP BY, after CUBE and ROLLUP are multiplied out, and subtotals of a native query',
  },
  tables: {
    most: 1000,
    what: 'tables, subqueries and names of common tables after FROM and JOIN in a statement, and data sources of a native query',
  },
  intervals: { most: 20_000, what: 'intervals of a native query' },
  columns: {
    most: 5000,
    what: 'columns of a SELECT, and of a native query: dimensions, aggregations, virtual and scanned columns',
  },
  nameLength: { most: 10_000, what: 'letters of a name' },
  digits: { most: 1000, what: 'digits of a number' },
  nameParts: { most: 100, what: 'parts of a name, with points between them' },
  emptyBuckets: { most: 1_000_000, what: 'buckets without rows that a timeseries query returns' },
  cascadedFunctions: { most: 100, what: 'functions of a cascade of extraction functions' },
  polygonCorners: { most: 10_000, what: 'corners of a polygon in a spatial filter' },
  filterNesting: { most: 200, what: 'levels of native filters' },
  dataSourceNesting: { most: 50, what: 'levels of native data sources' },
  expansion: {
    most: 4_000_000,
    what: 'letters of what a native expression, virtual column or post-aggregation becomes',
  },
  plan: {
    most: 32 * 1024 * 1024,
    what: 'bytes of what a large statement becomes when it is planned',
  },
} as const satisfies Readonly<Record<string, Limit>>;

export type RequestLimitName = keyof typeof requestLimits;

export type LimitName = keyof typeof limits;
