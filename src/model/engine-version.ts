// Versions of the real engine for a service named `druid`, and the features that older ones lack.
// Versions 27.0.0, 33.0.0 and 39.0.0-SNAPSHOT were tested; 37 is assumed to equal 39.

export const engineVersions = [27, 33, 37, 39] as const;
export type EngineVersion = (typeof engineVersions)[number];

/** The default version. */
export const newestVersion: EngineVersion = 39;

/** The version text in `/status`. */
export const versionText = (version: EngineVersion): string => `${version}.0.0`;

/** Syntax that older versions do not parse or plan. */
export type Syntax =
  | 'OVER'
  | 'QUALIFY'
  | 'SET'
  | 'WITH RECURSIVE'
  | 'APPROXIMATE AGGREGATES OF METADATA'
  | 'EXCLUDE IN FRAMES'
  | 'NUMBER BEYOND 64 BITS'
  | 'OFFSETS IN FRAMES OF FIRST_VALUE AND LAST_VALUE';

/** Details of replies that differ in older versions. */
export type ReplyDetail =
  | 'FEWEST DIGITS OF LARGE FLOATS'
  | 'FRAMES OF ROWS WITHOUT ORDER BY'
  | 'NULL SEGMENT ID OF ROWS WITHOUT SEGMENT';

/**
 * The additions of a version. Endpoints are `METHOD path` of the contract; columns and tables
 * belong to the schema `sys`.
 */
interface Arrivals {
  readonly since: EngineVersion;
  readonly functions?: readonly string[];
  readonly syntax?: readonly Syntax[];
  readonly tables?: readonly string[];
  readonly columns?: Readonly<Record<string, readonly string[]>>;
  readonly endpoints?: readonly string[];
  // Analysis types of segmentMetadata, each with a field of the same name in the results
  readonly analysisTypes?: readonly string[];
  // Fields in an endpoint's replies, at any depth
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  readonly replyDetails?: readonly ReplyDetail[];
  readonly virtualColumns?: readonly string[]; // types of native queries
  // Endpoints that also read SQL as text and as a form; before, they answer 415
  readonly textBodies?: readonly string[];
}

// Endpoints whose replies hold segments with all their fields
const segmentReplies = [
  'GET /svc/coordinator/v1/datasources',
  'GET /svc/coordinator/v1/datasources/:dataSource',
  'GET /svc/coordinator/v1/datasources/:dataSource/intervals',
  'GET /svc/coordinator/v1/datasources/:dataSource/intervals/:interval',
  'GET /svc/coordinator/v1/datasources/:dataSource/segments',
  'GET /svc/coordinator/v1/datasources/:dataSource/segments/:segmentId',
  'GET /svc/coordinator/v1/metadata/datasources',
  'GET /svc/coordinator/v1/metadata/datasources/:dataSource',
  'GET /svc/coordinator/v1/metadata/datasources/:dataSource/segments',
  'POST /svc/coordinator/v1/metadata/datasources/:dataSource/segments',
  'GET /svc/coordinator/v1/metadata/datasources/:dataSource/segments/:segmentId',
  'GET /svc/coordinator/v1/metadata/datasources/:dataSource/unusedSegments',
  'GET /svc/coordinator/v1/metadata/segments',
  'POST /svc/coordinator/v1/metadata/bootstrapSegments',
  'GET /svc/coordinator/v1/servers',
  'GET /svc/coordinator/v1/servers/:server',
  'GET /svc/coordinator/v1/servers/:server/segments',
  'GET /svc/coordinator/v1/servers/:server/segments/:segmentId',
] as const;

// Endpoints whose replies hold compaction configurations of datasources
const compactionReplies = [
  'GET /svc/coordinator/v1/config/compaction/:dataSource',
  'GET /svc/coordinator/v1/config/compaction/:dataSource/history',
  'GET /svc/indexer/v1/compaction/config/datasources',
  'GET /svc/indexer/v1/compaction/config/datasources/:dataSource',
  'GET /svc/indexer/v1/compaction/config/datasources/:dataSource/history',
] as const;

/** The differences between versions, observed in their replies. */
export const arrivals: readonly Arrivals[] = [
  {
    since: 33,
    functions: [
      'DECODE_BASE64_UTF8',
      'DIV',
      'IPV6_MATCH',
      'JSON_MERGE',
      'JSON_QUERY_ARRAY',
      'LISTAGG',
      'SCALAR_IN_ARRAY',
    ],
    syntax: ['OVER', 'QUALIFY', 'WITH RECURSIVE'],
    endpoints: [
      'POST /svc/indexer/v1/lockedIntervals/v2',
      'POST /svc/indexer/v1/activeLocks',
      'POST /svc/indexer/v1/supervisor/:supervisorId/resetOffsets',
      'POST /svc/indexer/v1/supervisor/:supervisorId/taskGroups/handoff',
      'POST /svc/coordinator/v1/compaction/simulate',
      'POST /svc/indexer/v1/compaction/simulate',
      'GET /svc/indexer/v1/compaction/isSupervisorEnabled',
      'GET /svc/indexer/v1/compaction/config/cluster',
      'POST /svc/indexer/v1/compaction/config/cluster',
      'GET /svc/indexer/v1/compaction/status/datasources',
      'GET /svc/indexer/v1/compaction/status/datasources/:dataSource',
      'GET /svc/indexer/v1/compaction/config/datasources',
      'GET /svc/indexer/v1/compaction/config/datasources/:dataSource',
      'POST /svc/indexer/v1/compaction/config/datasources/:dataSource',
      'DELETE /svc/indexer/v1/compaction/config/datasources/:dataSource',
      'GET /svc/indexer/v1/compaction/config/datasources/:dataSource/history',
      'GET /svc/coordinator/v1/metadata/datasources/:dataSource/unusedSegments',
      'POST /svc/coordinator/v1/metadata/dataSourceInformation',
      'POST /svc/coordinator/v1/metadata/bootstrapSegments',
      'GET /svc/coordinator/v1/duties',
    ],
  },
  {
    since: 37,
    functions: ['CBRT', 'MV_FILTER_PREFIX', 'MV_FILTER_REGEX'],
    syntax: [
      'SET',
      'NUMBER BEYOND 64 BITS',
      'APPROXIMATE AGGREGATES OF METADATA',
      'EXCLUDE IN FRAMES',
      'OFFSETS IN FRAMES OF FIRST_VALUE AND LAST_VALUE',
    ],
    tables: ['server_properties'],
    columns: {
      segments: ['projections'],
      servers: [
        'storage_size',
        'version',
        'build_revision',
        'labels',
        'available_processors',
        'total_memory',
      ],
      supervisors: ['datasource'],
    },
    analysisTypes: ['projections'],
    virtualColumns: ['mv-prefix-filtered', 'mv-regex-filtered'],
    replyDetails: [
      'FEWEST DIGITS OF LARGE FLOATS',
      'FRAMES OF ROWS WITHOUT ORDER BY',
      'NULL SEGMENT ID OF ROWS WITHOUT SEGMENT',
    ],
    textBodies: ['POST /svc/v2/sql', 'POST /svc/v2/sql/statements', 'POST /svc/v2/sql/task'],
    endpoints: [
      'GET /status/ready',
      'GET /svc/v2/sql/engines',
      'GET /svc/v2/sql/queries',
      'GET /svc/v2/sql/queries/:sqlQueryId/reports',
      'POST /svc/indexer/v1/supervisor/:supervisorId/resetToLatestAndBackfill',
      'GET /svc/coordinator/v1/config/syncedBrokers',
      'GET /svc/coordinator/v1/config/cloneStatus',
      'GET /svc/coordinator/v1/broker/config',
      'POST /svc/coordinator/v1/broker/config',
      'GET /svc/coordinator/v1/broker/config/history',
    ],
    fields: {
      ...Object.fromEntries(segmentReplies.map((endpoint) => [endpoint, ['totalRows']])),
      'GET /svc/coordinator/v1/datasources/:dataSource/intervals/:interval/serverview': [
        'totalRows',
        'storageSize',
      ],
      'GET /svc/v2/datasources/:dataSource/candidates': ['storageSize'],
      'POST /svc/v2/candidates': ['storageSize'],
      'GET /svc/indexer/v1/workers': ['disabled', 'currCapacityUsedByTaskType'],
      'GET /svc/coordinator/v1/config': ['cloneServers', 'historicalTierAliases'],
      ...Object.fromEntries(
        compactionReplies.map((endpoint) => [endpoint, ['baseTable', 'skipIntervals']]),
      ),
      'GET /svc/coordinator/v1/config/compaction': [
        'storeCompactionStatePerSegment',
        'baseTable',
        'skipIntervals',
      ],
      'GET /svc/indexer/v1/compaction/config/cluster': ['storeCompactionStatePerSegment'],
    },
  },
];

/** The features that a version lacks. */
export interface LackedByVersion {
  readonly functions: ReadonlySet<string>;
  readonly syntax: ReadonlySet<Syntax>;
  readonly tables: ReadonlySet<string>;
  readonly columns: ReadonlySet<string>; // in the form servers.version
  readonly endpoints: ReadonlySet<string>;
  readonly analysisTypes: ReadonlySet<string>;
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>; // by endpoint
  readonly replyDetails: ReadonlySet<ReplyDetail>;
  readonly virtualColumns: ReadonlySet<string>;
  readonly textBodies: ReadonlySet<string>; // endpoints
}

/** All additions of later versions. */
export function lacksOf(version: EngineVersion): LackedByVersion {
  const known = lacked.get(version) ?? arrivedAfter(version);
  lacked.set(version, known);
  return known;
}

const lacked = new Map<EngineVersion, LackedByVersion>();

function arrivedAfter(version: EngineVersion): LackedByVersion {
  const later = arrivals.filter(({ since }) => since > version);
  return {
    functions: new Set(later.flatMap(({ functions = [] }) => functions)),
    syntax: new Set(later.flatMap(({ syntax = [] }) => syntax)),
    tables: new Set(later.flatMap(({ tables = [] }) => tables)),
    columns: new Set(
      later.flatMap(({ columns = {} }) =>
        Object.entries(columns).flatMap(([table, names]) =>
          names.map((name) => `${table}.${name}`),
        ),
      ),
    ),
    endpoints: new Set(later.flatMap(({ endpoints = [] }) => endpoints)),
    analysisTypes: new Set(later.flatMap(({ analysisTypes = [] }) => analysisTypes)),
    fields: new Map(
      later.flatMap(({ fields = {} }) =>
        Object.entries(fields).map(([endpoint, names]) => [endpoint, new Set(names)] as const),
      ),
    ),
    virtualColumns: new Set(later.flatMap(({ virtualColumns = [] }) => virtualColumns)),
    replyDetails: new Set(later.flatMap(({ replyDetails = [] }) => replyDetails)),
    textBodies: new Set(later.flatMap(({ textBodies = [] }) => textBodies)),
  };
}

/**
 * Splits `druid@33` into the service's name and the version, the newest by default. Returns an
 * error message for an unknown version and for a version of another name.
 */
export function namedVersion(
  text: string,
): { readonly service: string; readonly version: EngineVersion } | { readonly fault: string } {
  const at = text.indexOf('@');
  if (at < 0) return { service: text, version: newestVersion };
  const [service, wanted] = [text.slice(0, at), text.slice(at + 1)];
  if (service !== 'druid') return { fault: `Only druid has versions, and [${service}] has none` };
  const version = engineVersions.find((one) => String(one) === wanted);
  return version === undefined
    ? { fault: `Version [${wanted}] is none of ${engineVersions.join(', ')}` }
    : { service, version };
}
