// Lookup endpoints (Druid: "Lookups API"). Lookups are loaded as soon as they are stored, because
// queries read the store.

import { setImmediate as nextTurn } from 'node:timers/promises';
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
  type LookupHead,
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
  unknownHere,
  unknownNode,
} from './refusals.ts';

/**
 * Handlers for lookups, their state on the nodes that load them, and their content. `nodes` are the
 * host and port of each node.
 */
export function lookupRoutes(
  { metadata, lookupFiles }: Pick<Storage, 'metadata' | 'lookupFiles'>,
  nodes: () => readonly string[],
): Routes<'lookups'> {
  // The real engine distinguishes "never configured" from "none": the first POST, even an empty
  // one, configures lookups.
  const isSet = () => findConfig(metadata, initialized) !== undefined;
  const everSet = () => {
    if (!isSet()) throw lookupsNeverSet();
  };
  const mustBeSet = () => {
    if (!isSet()) throw lookupsNotInitialized();
  };
  const tiers = () => [...new Set(listLookupNames(metadata).map(({ tier }) => tier))];
  const shown = (tier: string) => JsonPieces.object(textsOf(metadata, tier), (member) => member);
  // Inspecting a large lookup takes some time: other work gets turns in between.
  const headsOf = async (tier: string): Promise<[string, LookupHead][]> => {
    const heads: [string, LookupHead][] = [];
    for (const lookup of listLookupNames(metadata, tier)) {
      const head = findLookupHead(metadata, lookup);
      if (head) heads.push([lookup.name, head]);
      await nextTurn();
    }
    return heads;
  };
  const stateOf = async (tier: string) => {
    const heads = await headsOf(tier);
    const versions = (loads: boolean) =>
      Object.fromEntries(
        heads
          .filter(([, { hasPairs }]) => hasPairs === loads)
          .map(([name, { version }]) => [name, version]),
      );
    return { current: versions(true), toLoad: versions(false), toDrop: [] };
  };
  // Every node is in the default tier, so lookups of other tiers are never loaded.
  const nodesOf = async (tier: string) => {
    const own = tier === defaultLookupTier ? nodes() : [];
    const state = own.length > 0 && (await stateOf(tier));
    return Object.fromEntries(own.map((node) => [node, { ...state }] as const));
  };
  const contentsOf = (name: string, part: 'object' | 'keys' | 'values') => {
    const text = pairsTextOfLookup(metadata, { tier: defaultLookupTier, name }, part);
    if (text === undefined) throw unknownHere();
    return JsonPieces.text(text);
  };
  // Lookups that fetch their pairs are stored but never loaded here.
  const loadedOf = (tier: string, { hasPairs }: LookupHead, isDetailed = false) => {
    const pendingNodes = tier === defaultLookupTier && !hasPairs ? nodes() : [];
    return {
      loaded: pendingNodes.length === 0,
      ...(isDetailed && { pendingNodes: [...pendingNodes] }),
    };
  };
  const statusOf = async (tier: string, isDetailed = false) =>
    Object.fromEntries(
      (await headsOf(tier)).map(
        ([name, head]) => [name, loadedOf(tier, head, isDetailed)] as const,
      ),
    );

  return {
    tiers({ query }) {
      if (query.discover) return [defaultLookupTier];
      everSet();
      return tiers();
    },
    all() {
      everSet();
      return JsonPieces.object(tiers(), (tier) => [tier, shown(tier)]);
    },
    list({ params: { tier }, query }) {
      if (!isSet()) throw noLookups();
      const names = listLookupNames(metadata, tier).map(({ name }) => name);
      if (names.length === 0) throw noSuchTier(tier);
      return query.detailed ? shown(tier) : names;
    },
    get({ params: { tier, lookup: name } }) {
      const text = shownTextOf(metadata, { tier, name });
      if (text === undefined) throw noSuchLookup(name);
      return JsonPieces.text(text);
    },
    setAll({ body, largeBody }) {
      if (Object.keys(body).length > 0) mustBeSet();
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
      mustBeSet();
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
    async status({ query: { detailed } }) {
      if (!isSet()) throw noLookups();
      return Object.fromEntries(
        await inOrder(tiers(), async (tier) => [tier, await statusOf(tier, detailed)] as const),
      );
    },
    tierStatus({ params: { tier }, query: { detailed } }) {
      if (!isSet()) throw noLookups();
      if (!tiers().includes(tier)) throw noLookupsOfTier(tier);
      return statusOf(tier, detailed);
    },
    lookupStatus({ params: { tier, lookup: name }, query: { detailed } }) {
      if (!isSet()) throw noLookups();
      const head = findLookupHead(metadata, { tier, name });
      if (!head) throw noLookupOfTier(name, tier);
      return loadedOf(tier, head, detailed);
    },
    async nodeStatus({ query }) {
      if (!isSet() && !query.discover) throw noLookups();
      const asked = query.discover ? [defaultLookupTier] : tiers();
      return Object.fromEntries(
        await inOrder(asked, async (tier) => [tier, await nodesOf(tier)] as const),
      );
    },
    tierNodeStatus: ({ params: { tier } }) => nodesOf(tier),
    async oneNodeStatus({ params: { tier, node } }) {
      const state = (await nodesOf(tier))[node];
      if (!state) throw unknownNode(node);
      return state;
    },
    contents: ({ params }) => contentsOf(params.lookup, 'object'),
    keys: ({ params }) => contentsOf(params.lookup, 'keys'),
    values: ({ params }) => contentsOf(params.lookup, 'values'),
    version({ params: { lookup: name } }) {
      const head = findLookupHead(metadata, { tier: defaultLookupTier, name });
      if (!head?.hasPairs) throw unknownHere();
      return { version: head.version };
    },
  };
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
    const text = shownTextOf(metadata, lookup);
    if (text !== undefined) yield [lookup.name, text];
  }
}

// Only the part outside the pairs can contain a secret.
function shownTextOf(metadata: Metadata, lookup: LookupName): string | undefined {
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
  if (typeof spec.version === 'string') checkNameLength(spec.version, 'version');
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
    if (typeof before === 'string' && (spec.version ?? '') <= before)
      throw lookupVersionTooLow(lookup.name, before);
  };
}
