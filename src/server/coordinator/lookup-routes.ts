// Lookups over HTTP (Druid: "Lookups API"). They are loaded as soon as they are stored: queries read the store.
import type { Lookup } from '../../contract/lookups.ts';
import type { Routes } from '../routes.ts';
import { findConfig, setConfig } from '../storage/config.ts';
import { deleteLookup, findLookup, listLookups, setLookup } from '../storage/lookups.ts';
import type { Metadata, Transaction } from '../storage/metadata.ts';
import { lookupsNeverSet, lookupVersionTooLow, noLookups, noSuchLookup, noSuchTier } from './refusals.ts';

type ByName = Record<string, Lookup>;

export function lookupRoutes(metadata: Metadata): Partial<Routes<'lookups'>> {
  // The real engine tells "never configured" from "none": only the first POST, even of nothing, makes the difference.
  const isSet = () => findConfig(metadata, initialized) !== undefined;
  const everSet = () => {
    if (!isSet()) throw lookupsNeverSet();
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
  const loaded = { loaded: true, pendingNodes: [] };
  const statusOf = (lookups: ByName) => Object.fromEntries(Object.keys(lookups).map((name) => [name, loaded]));

  return {
    tiers() {
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
      metadata.transaction((tx) => {
        setConfig(tx, initialized, true);
        for (const [tier, lookups] of Object.entries(body))
          for (const [name, spec] of Object.entries(lookups)) update(tx, tier, name, spec);
      });
      return body;
    },
    set: ({ params: { tier, lookup }, body }) => metadata.transaction((tx) => update(tx, tier, lookup, body)),
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
      return Object.fromEntries(Object.entries(all()).map(([tier, lookups]) => [tier, statusOf(lookups)]));
    },
    tierStatus({ params: { tier } }) {
      if (!isSet()) throw noLookups();
      return statusOf(ofTier(tier));
    },
    lookupStatus({ params: { tier, lookup } }) {
      found(tier, lookup);
      return loaded;
    },
  };
}

const initialized = 'lookups.initialized';

function update(tx: Transaction, tier: string, name: string, spec: Lookup): void {
  const before = findLookup(tx, tier, name)?.version;
  if (typeof before === 'string' && (spec.version ?? '') <= before) throw lookupVersionTooLow(name, before);
  setLookup(tx, { tier, name, spec });
}
