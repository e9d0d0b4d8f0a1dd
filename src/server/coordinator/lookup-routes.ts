// Lookups over HTTP (Druid: "Lookups API"). They are loaded as soon as they are stored: queries read the store.
import type { Lookup } from '../../contract/lookups.ts';
import { faultInFactory } from '../../model/lookup.ts';
import { checkNameLength } from '../name-length.ts';
import type { Routes } from '../routes.ts';
import { findConfig, setConfig } from '../storage/config.ts';
import { defaultLookupTier, deleteLookup, findLookup, listLookups, pairsOfLookup, setLookup } from '../storage/lookups.ts';
import type { Metadata, Transaction } from '../storage/metadata.ts';
import {
  lookupsNeverSet,
  lookupsNotInitialized,
  lookupVersionTooLow,
  noLookup,
  noLookups,
  noSuchLookup,
  noSuchNode,
  noSuchTier,
  unknownHere,
} from './refusals.ts';

type ByName = Record<string, Lookup>;

/** Handlers for lookups, their state on the nodes that load them, and what is in them. `nodes` are host and port of each. */
export function lookupRoutes(metadata: Metadata, nodes: () => readonly string[]): Routes<'lookups'> {
  // The real engine tells "never configured" from "none": only the first POST, even of nothing, makes the difference.
  const isSet = () => findConfig(metadata, initialized) !== undefined;
  const everSet = () => {
    if (!isSet()) throw lookupsNeverSet();
  };
  const mustBeSet = () => {
    if (!isSet()) throw lookupsNotInitialized();
  };
  const ofTier = (tier: string): ByName => Object.fromEntries(listLookups(metadata, tier).map(({ name, spec }) => [name, spec as Lookup]));
  const all = (): Record<string, ByName> => {
    const tiers: Record<string, ByName> = {};
    for (const { tier, name, spec } of listLookups(metadata)) tiers[tier] = { ...tiers[tier], [name]: spec as Lookup };
    return tiers;
  };
  const found = (tier: string, name: string): Lookup => {
    const spec = findLookup(metadata, tier, name);
    if (!spec) throw noSuchLookup(name);
    return spec as Lookup;
  };
  const stateOf = (tier: string) => ({
    current: versionsOf(ofTier(tier), (lookup) => pairsOfLookup(lookup) !== undefined),
    toLoad: versionsOf(ofTier(tier), (lookup) => pairsOfLookup(lookup) === undefined),
    toDrop: [],
  });
  // Every node is in the default tier: lookups of other tiers are loaded by nobody.
  const nodesOf = (tier: string) =>
    Object.fromEntries((tier === defaultLookupTier ? nodes() : []).map((node) => [node, stateOf(tier)] as const));
  const contentsOf = (name: string) => {
    const pairs = pairsOfLookup(findLookup(metadata, defaultLookupTier, name));
    if (!pairs) throw unknownHere();
    return pairs;
  };
  // What is fetched from elsewhere is kept, and never loaded here.
  const loadedOf = (tier: string, lookup: Lookup) => {
    const pendingNodes = tier === defaultLookupTier && !pairsOfLookup(lookup) ? nodes() : [];
    return { loaded: pendingNodes.length === 0, pendingNodes: [...pendingNodes] };
  };
  const statusOf = (tier: string, lookups: ByName) =>
    Object.fromEntries(Object.entries(lookups).map(([name, lookup]) => [name, loadedOf(tier, lookup)]));

  return {
    tiers({ query }) {
      if (query.discover) return [defaultLookupTier];
      everSet();
      return Object.keys(all());
    },
    all() {
      everSet();
      return all();
    },
    list({ params: { tier }, query }) {
      if (!isSet()) throw noLookups();
      const lookups = ofTier(tier);
      if (Object.keys(lookups).length === 0) throw noSuchTier(tier);
      return query.detailed ? lookups : Object.keys(lookups);
    },
    get: ({ params: { tier, lookup } }) => found(tier, lookup),
    setAll({ body }) {
      if (Object.keys(body).length > 0) mustBeSet();
      metadata.transaction((tx) => {
        setConfig(tx, initialized, true);
        for (const [tier, lookups] of Object.entries(body))
          for (const [name, spec] of Object.entries(lookups)) update(tx, tier, name, spec);
      });
      return body;
    },
    set({ params: { tier, lookup }, body }) {
      mustBeSet();
      metadata.transaction((tx) => update(tx, tier, lookup, body));
    },
    remove({ params: { tier, lookup } }) {
      if (!deleteLookup(metadata, tier, lookup)) throw lookupsNeverSet();
    },
    removeTier({ params: { tier } }) {
      const names = Object.keys(ofTier(tier));
      if (names.length === 0) throw lookupsNeverSet();
      metadata.transaction((tx) => {
        for (const name of names) deleteLookup(tx, tier, name);
      });
    },
    status() {
      if (!isSet()) throw noLookups();
      return Object.fromEntries(Object.entries(all()).map(([tier, lookups]) => [tier, statusOf(tier, lookups)]));
    },
    tierStatus({ params: { tier } }) {
      if (!isSet()) throw noLookups();
      return statusOf(tier, ofTier(tier));
    },
    lookupStatus({ params: { tier, lookup } }) {
      return loadedOf(tier, found(tier, lookup));
    },
    nodeStatus({ query }) {
      if (!isSet() && !query.discover) throw noLookups();
      const tiers = query.discover ? [defaultLookupTier] : Object.keys(all());
      return Object.fromEntries(tiers.map((tier) => [tier, nodesOf(tier)]));
    },
    tierNodeStatus({ params: { tier } }) {
      if (tier !== defaultLookupTier && Object.keys(ofTier(tier)).length === 0) throw noSuchTier(tier);
      return nodesOf(tier);
    },
    oneNodeStatus({ params: { tier, node } }) {
      const state = nodesOf(tier)[node];
      if (!state) throw noSuchNode(node, tier);
      return state;
    },
    contents: ({ params }) => Object.fromEntries(contentsOf(params.lookup)),
    keys: ({ params }) => contentsOf(params.lookup).map(([key]) => key),
    values: ({ params }) => contentsOf(params.lookup).map(([, value]) => value),
    version({ params: { lookup } }) {
      contentsOf(lookup);
      return { version: findLookup(metadata, defaultLookupTier, lookup)?.version ?? null };
    },
  };
}

const versionsOf = (lookups: ByName, isMeant: (lookup: Lookup) => boolean) =>
  Object.fromEntries(
    Object.entries(lookups)
      .filter(([, lookup]) => isMeant(lookup))
      .map(([name, { version = null }]) => [name, version]),
  );

const initialized = 'lookups.initialized';

function update(tx: Transaction, tier: string, name: string, spec: Lookup): void {
  checkNameLength(tier, 'tier');
  checkNameLength(name, 'lookup');
  if (typeof spec.version === 'string') checkNameLength(spec.version, 'version');
  const fault = faultInFactory(spec.lookupExtractorFactory);
  if (fault !== undefined) throw noLookup(name, fault);
  const before = findLookup(tx, tier, name)?.version;
  if (typeof before === 'string' && (spec.version ?? '') <= before) throw lookupVersionTooLow(name, before);
  setLookup(tx, { tier, name, spec });
}
