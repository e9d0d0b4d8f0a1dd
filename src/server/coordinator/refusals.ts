// What the Coordinator refuses, in the real engine's words.
import { Refusal } from '../refusals.ts';

export const emptyDefaultRules = () => new Refusal('invalidInput', 'Cluster-level rules cannot be empty.');
export const ruleLacks = (type: string, field: string) => new Refusal('invalidInput', `Rule of type [${type}] lacks [${field}]`);
export const negativeReplicants = (tier: string, count: number) =>
  new Refusal('invalidInput', `Invalid number of replicas for tier [${tier}]. Value [${count}] must be positive.`);
export const unknownHere = () => new Refusal('notFound', '', { family: 'empty' });
export const segmentIdNotParsed = (id: string, dataSource: string) =>
  new Refusal('invalidInput', `Could not parse Segment ID[${id}] for DataSource[${dataSource}]`);
export const segmentFilterInvalid = () =>
  new Refusal(
    'invalidInput',
    "Invalid request payload. Specify either 'interval' or 'segmentIds', but not both. Optionally, include 'versions' only when 'interval' is provided.",
  );
export const lookupsNeverSet = () => new Refusal('notFound', '', { family: 'empty' });
export const noLookups = () => new Refusal('notFound', 'No lookups found');
export const noSuchTier = (tier: string) => new Refusal('notFound', `Tier [${tier}] not found`);
export const noSuchLookup = (name: string) => new Refusal('notFound', `lookup [${name}] not found`);
export const lookupVersionTooLow = (name: string, version: string) =>
  new Refusal('invalidInput', `Lookup [${name}] already has version [${version}]; a new one must have a greater version`);
