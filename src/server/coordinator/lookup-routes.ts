// Lookup endpoints (Druid: "Lookups API"). Lookups are loaded as soon as they are stored, because
// queries read the store.

import type { Lookup } from '../../contract/lookups.ts';
import { formatJson, parseJson } from '../../model/json.ts';
import { faultInFactory, faultOfValue } from '../../model/lookup.ts';
import { checkNameLength } from '../checks/name-length.ts';
import { JsonPieces } from '../handlers/json-pieces.ts';
import { maskJsonText } from '../handlers/masks.ts';
import type { Routes } from '../handlers/routes.ts';
import { findConfig, setConfig } from '../storage/config.ts';
import {
  defaultLookupTier,
  deleteLookup,
  findLookupFrame,
  findLookupHead,
  findLookupText,
  findNestedPair,
  type LookupName,
  listLookupNames,
  lookupTextIn,
  pairsTextOfLookup,
  setLookup,
  setLookups,
} from '../storage/lookups.ts';
import type { Metadata, Transaction } from '../storage/metadata.ts';
import type { Storage } from '../storage/storage.ts';
import { keepLookupSecrets } from './kept-lookup-secrets.ts';
import { LookupStates, tiersIn } from './lookup-states.ts';
import {
  lookupsNeverSet,
  lookupsNotInitialized,
  lookupVersionTooLow,
  noLookup,
  noLookupOfTier,
  noLookups,
  noLookupsOfTier,
  noSuchLookup,
  noSuchTier,
  unknownLookup,
  unknownNode,
} from './refusals.ts';

/**
 * Handlers for lookups, their state on the nodes that load them, and their content. `nodes` are the
 * host and port of each node.
 */
export function lookupRoutes(
  storage: Pick<Storage, 'metadata' | 'lookupFiles'>,
  nodes: () => readonly string[],
): Routes<'lookups'> {
  return {
    ...readRoutes(storage),
    ...writeRoutes(storage),
    ...statusRoutes(new LookupStates(storage.metadata, nodes)),
    ...contentRoutes(storage),
  };
}

type LookupRoutes<Names extends keyof Routes<'lookups'>> = Pick<Routes<'lookups'>, Names>;

function readRoutes({
  metadata,
}: Pick<Storage, 'metadata'>): LookupRoutes<'tiers' | 'all' | 'list' | 'get'> {
  const specsOf = (tier: string) => JsonPieces.object(textsOf(metadata, tier), (member) => member);
  return {
    tiers({ query }) {
      const configured = tiersIn(metadata);
      if (query.discover) return [...new Set([defaultLookupTier, ...configured])];
      if (!isSet(metadata)) throw lookupsNeverSet();
      return configured;
    },
    all() {
      if (!isSet(metadata)) throw lookupsNeverSet();
      return JsonPieces.object(tiersIn(metadata), (tier) => [tier, specsOf(tier)]);
    },
    list({ params: { tier }, query }) {
      if (!isSet(metadata)) throw noLookups();
      const names = listLookupNames(metadata, tier).map(({ name }) => name);
      if (names.length === 0) throw noSuchTier(tier);
      return query.detailed ? specsOf(tier) : names;
    },
    get({ params: { tier, lookup: name } }) {
      const text = findMaskedText(metadata, { tier, name });
      if (text === undefined) throw noSuchLookup(name);
      return JsonPieces.text(text);
    },
  };
}

function writeRoutes({
  metadata,
  lookupFiles,
}: Pick<Storage, 'metadata' | 'lookupFiles'>): LookupRoutes<
  'setAll' | 'set' | 'remove' | 'removeTier'
> {
  return {
    setAll({ body, largeBody }) {
      if (Object.keys(body).length > 0) checkIsSet(metadata);
      const given = Object.entries(body).flatMap(([tier, lookups]) =>
        Object.entries(lookups).map(([name, spec]) => ({ lookup: { tier, name }, spec })),
      );
      metadata.transaction((tx) => {
        setConfig(tx, initialized, true);
        const checks = given.map(({ lookup, spec }) => checkOf(tx, lookup, spec));
        const whole = given.map(({ lookup, spec }) => ({
          lookup,
          spec,
          stored: withSecrets(tx, lookup, spec),
        }));
        setLookups(tx, largeBody ?? formatJson(body));
        for (const { lookup, spec, stored } of whole)
          if (stored !== spec) setLookup(tx, lookup, formatJson(stored));
        for (const check of checks) check();
      });
      lookupFiles.removeStale();
      return largeBody === undefined ? body : JsonPieces.text(largeBody);
    },
    set({ params: { tier, lookup: name }, body, largeBody }) {
      checkIsSet(metadata);
      metadata.transaction((tx) => {
        const check = checkOf(tx, { tier, name }, body);
        const whole = withSecrets(tx, { tier, name }, body);
        setLookup(
          tx,
          { tier, name },
          largeBody !== undefined && whole === body ? largeBody : formatJson(whole),
        );
        check();
      });
      lookupFiles.removeStale();
    },
    remove({ params: { tier, lookup: name } }) {
      if (!deleteLookup(metadata, { tier, name })) throw lookupsNeverSet();
      lookupFiles.removeStale();
    },
    removeTier({ params: { tier } }) {
      const names = listLookupNames(metadata, tier);
      if (names.length === 0) throw lookupsNeverSet();
      metadata.transaction((tx) => {
        for (const lookup of names) deleteLookup(tx, lookup);
      });
      lookupFiles.removeStale();
    },
  };
}

function statusRoutes(
  states: LookupStates,
): LookupRoutes<
  'status' | 'tierStatus' | 'lookupStatus' | 'nodeStatus' | 'tierNodeStatus' | 'oneNodeStatus'
> {
  const { metadata } = states;
  return {
    async status({ query: { detailed } }) {
      if (!isSet(metadata)) throw noLookups();
      return Object.fromEntries(
        await inOrder(
          tiersIn(metadata),
          async (tier) => [tier, await states.ofTier(tier, detailed)] as const,
        ),
      );
    },
    tierStatus({ params: { tier }, query: { detailed } }) {
      if (!isSet(metadata)) throw noLookups();
      if (!tiersIn(metadata).includes(tier)) throw noLookupsOfTier(tier);
      return states.ofTier(tier, detailed);
    },
    lookupStatus({ params: { tier, lookup: name }, query: { detailed } }) {
      if (!isSet(metadata)) throw noLookups();
      const head = findLookupHead(metadata, { tier, name });
      if (!head) throw noLookupOfTier(name, tier);
      return states.ofLookup(tier, head, detailed);
    },
    async nodeStatus({ query }) {
      if (!isSet(metadata) && !query.discover) throw noLookups();
      const asked = query.discover ? [defaultLookupTier] : tiersIn(metadata);
      return Object.fromEntries(
        await inOrder(asked, async (tier) => [tier, await states.onNodes(tier)] as const),
      );
    },
    tierNodeStatus: ({ params: { tier } }) => states.onNodes(tier),
    async oneNodeStatus({ params: { tier, node } }) {
      const state = (await states.onNodes(tier))[node];
      if (!state) throw unknownNode(node);
      return state;
    },
  };
}

function contentRoutes({
  metadata,
}: Pick<Storage, 'metadata'>): LookupRoutes<'contents' | 'keys' | 'values' | 'version'> {
  const contentsOf = (name: string, part: 'object' | 'keys' | 'values') => {
    const text = pairsTextOfLookup(metadata, { tier: defaultLookupTier, name }, part);
    if (text === undefined) throw unknownLookup();
    return JsonPieces.text(text);
  };
  return {
    contents: ({ params }) => contentsOf(params.lookup, 'object'),
    keys: ({ params }) => contentsOf(params.lookup, 'keys'),
    values: ({ params }) => contentsOf(params.lookup, 'values'),
    version({ params: { lookup: name } }) {
      const head = findLookupHead(metadata, { tier: defaultLookupTier, name });
      if (!head?.hasPairs) throw unknownLookup();
      return { version: head.version };
    },
  };
}

// The real engine distinguishes "never configured" from "none": the first POST, even an empty one,
// configures lookups.
const isSet = (metadata: Metadata) => findConfig(metadata, initialized) !== undefined;

function checkIsSet(metadata: Metadata): void {
  if (!isSet(metadata)) throw lookupsNotInitialized();
}

// Processes items in sequence; each is read in its turn.
async function inOrder<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

// Lookups are read lazily; those deleted meanwhile are skipped.
function* textsOf(metadata: Metadata, tier: string): Iterable<[name: string, spec: string]> {
  for (const lookup of listLookupNames(metadata, tier)) {
    const text = findMaskedText(metadata, lookup);
    if (text !== undefined) yield [lookup.name, text];
  }
}

// Only the part outside the pairs can contain a secret.
function findMaskedText(metadata: Metadata, lookup: LookupName): string | undefined {
  const frame = findLookupFrame(metadata, lookup);
  if (frame === undefined) return undefined;
  const masked = maskJsonText(frame);
  return masked === frame
    ? findLookupText(metadata, lookup)
    : lookupTextIn(metadata, lookup, masked);
}

const initialized = 'lookups.initialized';

const withSecrets = (tx: Transaction, lookup: LookupName, spec: Lookup): Lookup =>
  keepLookupSecrets(lookup.name, spec, () => parseJson(findLookupFrame(tx, lookup) ?? 'null'));

// Refuses an invalid lookup. The returned function checks its pairs after they are stored; if it
// throws, the transaction is rolled back.
function checkOf(tx: Transaction, lookup: LookupName, spec: Lookup): () => void {
  checkNameLength(lookup.tier, 'tier');
  checkNameLength(lookup.name, 'lookup');
  const { version } = spec;
  if (typeof version !== 'string') throw noLookup(lookup.name, 'it has no version');
  checkNameLength(version, 'version');
  let hasPairs = false;
  const fault = faultInFactory(spec.lookupExtractorFactory, () => {
    hasPairs = true;
    return undefined;
  });
  if (fault !== undefined) throw noLookup(lookup.name, fault);
  const before = findLookupHead(tx, lookup)?.version;
  return () => {
    const wrong = hasPairs ? findNestedPair(tx, lookup) : undefined;
    if (wrong) throw noLookup(lookup.name, faultOfValue(wrong.key, wrong.isList));
    if (typeof before === 'string' && version <= before)
      throw lookupVersionTooLow(lookup.name, before);
  };
}
