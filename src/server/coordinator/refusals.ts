// Refusals of the Coordinator in Druid's words.
import { Refusal } from '../checks/refusals.ts';
export const noIntervalsSaid = () =>
  new Refusal('invalidInput', 'The list of intervals in the body is empty');
export const realtimeWithoutStatus = () => new Refusal('invalidInput', '', { family: 'empty' });
export const unknownHere = () => new Refusal('notFound', '', { family: 'unquotedText' }); // declared as JSON, but empty
export const refreshUnsaid = () =>
  new Refusal('invalidInput', 'Invalid request. forceMetadataRefresh must be specified');
export const segmentsNotMarked = (ids: readonly string[], dataSource: string) =>
  new Refusal(
    'runtimeFailure',
    `Segments [${ids.join(', ')}] of datasource [${dataSource}] do not exist`,
  );
export const killNeedsInterval = () =>
  new Refusal(
    'runtimeFailure',
    'Segments are deleted by interval: parameter [interval] is required, as in interval=START/END',
    {
      code: 'Exception occurred. Are you sure you have an indexing service?',
    },
  );
export const segmentIdNotParsed = (id: string, dataSource: string) =>
  new Refusal('invalidInput', `Could not parse Segment ID[${id}] for DataSource[${dataSource}]`);
export const wrongDataSource = (fault: string) => new Refusal('invalidInput', fault);
export const segmentFilterInvalid = () =>
  new Refusal(
    'invalidInput',
    "Invalid request payload. Specify either 'interval' or 'segmentIds', but not both. Optionally, include 'versions' only when 'interval' is provided.",
  );
export const unknownLookup = () => new Refusal('notFound', '', { family: 'empty' });
export const lookupsNeverSet = () => new Refusal('notFound', '', { family: 'empty' });
export const lookupsNotInitialized = () =>
  new Refusal(
    'runtimeFailure',
    'Not initialized. If this is the first lookup, post an empty map to initialize',
  );
export const noLookups = () => new Refusal('notFound', 'No lookups found');
export const noSuchTier = (tier: string) => new Refusal('notFound', `Tier [${tier}] not found`);
export const unknownNode = (node: string) =>
  new Refusal('notFound', `Node [${node}] status is unknown.`);
export const noLookupsOfTier = (tier: string) =>
  new Refusal('notFound', `No lookups found for tier [${tier}].`);
export const noLookupOfTier = (name: string, tier: string) =>
  new Refusal('notFound', `Lookup [${name}] not found for tier [${tier}].`);
export const noLookup = (name: string, fault: string) =>
  new Refusal('invalidInput', `Lookup [${name}] is not a lookup: ${fault}`);
export const noSuchLookup = (name: string) => new Refusal('notFound', `lookup [${name}] not found`);
export const lookupVersionTooLow = (name: string, version: string) =>
  new Refusal(
    'invalidInput',
    `Lookup [${name}] already has version [${version}]; a new one must have a greater version`,
  );
export const notAShare = (field: string, value: number) =>
  new Refusal('invalidInput', `${field} [${value}] is invalid. It must be >= 0 and <= 1.`);
export const negativeSlots = (field: string, value: number) =>
  new Refusal('invalidInput', `${field} [${value}] is invalid. It must be >= 0.`);
export const unreadablePolicy = (problem: string) =>
  new Refusal('invalidInput', problem, { family: 'simpleMap' });
export const unknownEngine = (engine: string) =>
  new Refusal('invalidInput', `Compaction engine [${engine}] is not one of [native, msq]`, {
    family: 'simpleMap',
  });
export const beyondInteger = () =>
  new Refusal('notFound', 'The number is too large', { family: 'empty' });
export const slotsOutside = (max: number, most: number) =>
  new Refusal('notFound', `Parameter [max] is [${max}], which is not between [1] and [${most}]`, {
    family: 'simpleMap',
  });
export const noCompactionConfig = () =>
  new Refusal('notFound', 'Datasource compaction config does not exist');
export const noDataSource = () => new Refusal('invalidInput', 'No DataSource specified');
export const unknownDataSource = () => new Refusal('notFound', 'Unknown DataSource');
export const otherDataSource = (given: string, inPath: string) =>
  new Refusal(
    'invalidInput',
    `DataSource name in payload[${given}] does not match name in URL[${inPath}]`,
  );
export const invalidInterval = (text: string, reason: string) =>
  new Refusal('invalidInput', `Invalid interval[${text}]: [${reason}]`);
export const invalidIntervalInBody = (text: string, reason: string) =>
  new Refusal('invalidInput', `Invalid interval[${text}]: [${reason}]`, { family: 'simpleMap' });
export const auditUnreadable = () =>
  new Refusal('runtimeFailure', 'Could not fetch audit entries', {
    code: 'internalServerError',
    persona: 'OPERATOR',
    family: 'druidException',
  });

export const invalidLastSegment = (segmentId: string) =>
  new Refusal('invalidInput', `Invalid lastSegmentId[${segmentId}] specified.`);
export const invalidLimit = (limit: number) =>
  new Refusal('invalidInput', `Invalid limit[${limit}] specified. Limit must be > 0.`);
