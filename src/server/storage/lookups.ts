// Lookups by tier and name.
import { jsonText, jsonValue, type Transaction } from './metadata.ts';

/** `{version, lookupExtractorFactory}` as it was posted. */
export type LookupSpec = Readonly<Record<string, unknown>>;

export interface StoredLookup {
  readonly tier: string;
  readonly name: string;
  readonly spec: LookupSpec;
}

/** The tier of all nodes of this service: only its lookups are loaded. */
export const defaultLookupTier = '__default';

/**
 * What a lookup maps to what, as far as its own specification says it: `{type: map, map}`, and `{type: cachedNamespace}` over a static map. Undefined for
 * the kinds that fetch their pairs.
 */
export function pairsOfLookup(spec: LookupSpec | undefined): [key: string, value: string | null][] | undefined {
  const factory = spec?.lookupExtractorFactory;
  if (!isObject(factory)) return undefined;
  const map = isObject(factory.extractionNamespace) ? factory.extractionNamespace.map : factory.map;
  if (!isObject(map)) return undefined;
  return Object.entries(map).map(([key, value]) => [key, value === null ? null : String(value)]);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

/** Lookups sorted by tier and name; of one tier when it is given. */
export const listLookups = (tx: Transaction, tier?: string): StoredLookup[] =>
  tx
    .all<{ tier: string; name: string; spec: string }>(
      'SELECT * FROM lookups WHERE ?1 IS NULL OR tier = ?1 ORDER BY tier, name',
      tier ?? null,
    )
    .map((row) => ({ ...row, spec: jsonValue(row.spec) }));

export function findLookup(tx: Transaction, tier: string, name: string): LookupSpec | undefined {
  const row = tx.get<{ spec: string }>('SELECT spec FROM lookups WHERE tier = ? AND name = ?', tier, name);
  return row && jsonValue(row.spec);
}

export const setLookup = (tx: Transaction, { tier, name, spec }: StoredLookup): void =>
  void tx.run('INSERT INTO lookups VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET spec = excluded.spec', tier, name, jsonText(spec));

export const deleteLookup = (tx: Transaction, tier: string, name: string): boolean =>
  tx.run('DELETE FROM lookups WHERE tier = ? AND name = ?', tier, name) === 1;
