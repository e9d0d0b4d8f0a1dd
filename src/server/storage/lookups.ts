// Lookups by tier and name. A lookup may have a million pairs, so SQLite evaluates its text
// directly, which is ten times as fast as creating objects.
import type { Transaction } from './metadata.ts';

/** Tier and name of a lookup. */
export interface LookupName {
  readonly tier: string;
  readonly name: string;
}

/** Metadata of a lookup, without its pairs. */
export interface LookupHead {
  readonly version: string | null;
  readonly hasPairs: boolean; // part of the specification; otherwise nodes would fetch them
}

/** The tier of all nodes of this service: only its lookups are loaded. */
export const defaultLookupTier = '__default';

/**
 * The pairs of a lookup as far as its own specification contains them: `{type: map, map}`, and
 * `{type: cachedNamespace}` over a static map. Undefined for kinds that fetch their pairs, and for
 * a missing lookup.
 */
export function pairsOfLookup(
  tx: Transaction,
  lookup: LookupName,
): (readonly [key: string, value: string | null])[] | undefined {
  const [keys, values] = [
    pairsTextOfLookup(tx, lookup, 'keys'),
    pairsTextOfLookup(tx, lookup, 'values'),
  ];
  if (keys === undefined || values === undefined) return undefined;
  const all: readonly (string | null)[] = JSON.parse(values);
  return [
    ...new Map((JSON.parse(keys) as string[]).map((key, at) => [key, all[at] ?? null] as const)),
  ]; // for a duplicate key, the last value counts
}

/**
 * The number of a lookup's state and the size of its specification. Each change assigns a new
 * number; numbers are never reused.
 */
export const findLookupState = (
  tx: Transaction,
  { tier, name }: LookupName,
): { readonly revision: number; readonly sizeBytes: number } | undefined =>
  tx.get(
    'SELECT revision, octet_length(spec) AS sizeBytes FROM lookups JOIN lookup_revisions USING (tier, name) WHERE tier = ? AND name = ?',
    tier,
    name,
  );

/**
 * The pairs as written in the specification: usually a JSON object, in which a key may occur twice.
 * This is much faster than `pairsTextOfLookup`.
 */
export const writtenPairsOf = (tx: Transaction, { tier, name }: LookupName): string | undefined =>
  tx.get<{ pairs: string | null }>(
    `SELECT CASE WHEN ${hasPairs} THEN json_extract(spec, ${pairsPath}) END AS pairs FROM ${named}`,
    tier,
    name,
  )?.pairs ?? undefined;

/** The same pairs as JSON: an object, or the list of keys or of values. */
export function pairsTextOfLookup(
  tx: Transaction,
  { tier, name }: LookupName,
  part: keyof typeof parts,
): string | undefined {
  const sql = `SELECT ${hasPairs} AS has, (SELECT ${parts[part]} FROM json_each(spec, ${pairsPath}) AS pair) AS pairs FROM ${named}`;
  const row = tx.get<{ has: number; pairs: string }>(sql, tier, name);
  return row?.has === 1 ? row.pairs : undefined;
}

const named = 'lookups WHERE tier = ? AND name = ?';
const factoryPath = '$.lookupExtractorFactory';
const pairsPath = `CASE WHEN json_type(spec, '${factoryPath}.extractionNamespace') IN ('object', 'array') THEN '${factoryPath}.extractionNamespace.map' ELSE '${factoryPath}.map' END`;
const hasPairs = `coalesce(json_type(spec, ${pairsPath}) IN ('object', 'array'), 0)`;
const keyText = 'CAST(pair.key AS TEXT)';
const valueText = `CASE WHEN pair.type IN ('true', 'false') THEN pair.type ELSE CAST(pair.value AS TEXT) END`;
const parts = {
  object: `json_group_object(${keyText}, ${valueText})`,
  keys: `json_group_array(${keyText})`,
  values: `json_group_array(${valueText})`,
};

/** Names sorted by tier and name; limited to a tier if given. */
export const listLookupNames = (tx: Transaction, tier?: string): LookupName[] =>
  tx.all(
    'SELECT tier, name FROM lookups WHERE ?1 IS NULL OR tier = ?1 ORDER BY tier, name',
    tier ?? null,
  );

export function findLookupHead(
  tx: Transaction,
  { tier, name }: LookupName,
): LookupHead | undefined {
  const row = tx.get<{ version: string | null; has: number }>(
    `SELECT CASE json_type(spec, '$.version') WHEN 'text' THEN spec ->> '$.version' END AS version, ${hasPairs} AS has FROM ${named}`,
    tier,
    name,
  );
  return row && { version: row.version, hasPairs: row.has === 1 };
}

/** The specification as JSON. */
export const findLookupText = (tx: Transaction, { tier, name }: LookupName): string | undefined =>
  tx.get<{ spec: string }>(`SELECT spec FROM ${named}`, tier, name)?.spec;

/** The specification as JSON, without its pairs. */
export const findLookupFrame = (tx: Transaction, { tier, name }: LookupName): string | undefined =>
  tx.get<{ frame: string }>(
    `SELECT json_remove(spec, ${pairsPath}) AS frame FROM ${named}`,
    tier,
    name,
  )?.frame;

/** Another frame, which is JSON, with the pairs of the lookup inserted. */
export const lookupTextIn = (
  tx: Transaction,
  { tier, name }: LookupName,
  frame: string,
): string | undefined =>
  tx.get<{ spec: string }>(
    `SELECT CASE WHEN ${hasPairs} THEN json_set(?3, ${pairsPath}, json_extract(spec, ${pairsPath})) ELSE ?3 END AS spec FROM lookups WHERE tier = ?1 AND name = ?2`,
    tier,
    name,
    frame,
  )?.spec;

/** Stores the specification, which is JSON. */
export const setLookup = (tx: Transaction, { tier, name }: LookupName, spec: string): void =>
  void tx.run(
    'INSERT INTO lookups VALUES (?, ?, json(?)) ON CONFLICT DO UPDATE SET spec = excluded.spec',
    tier,
    name,
    spec,
  );

/** Stores all specifications of `{tier: {name: specification}}`, which is JSON. */
export const setLookups = (tx: Transaction, tiers: string): void =>
  void tx.run(
    'INSERT INTO lookups SELECT tier.key, lookup.key, lookup.value FROM json_each(?) AS tier, json_each(tier.value) AS lookup WHERE true ON CONFLICT DO UPDATE SET spec = excluded.spec',
    tiers,
  );

/** The first pair whose value is a list or an object; undefined without such a pair. */
export function findNestedPair(
  tx: Transaction,
  { tier, name }: LookupName,
): { key: string; isList: boolean } | undefined {
  const row = tx.get<{ key: string; type: string }>(
    `SELECT ${keyText} AS key, pair.type FROM lookups, json_each(spec, ${pairsPath}) AS pair WHERE tier = ? AND name = ? AND pair.type IN ('object', 'array') LIMIT 1`,
    tier,
    name,
  );
  return row && { key: row.key, isList: row.type === 'array' };
}

export const deleteLookup = (tx: Transaction, { tier, name }: LookupName): boolean =>
  tx.run('DELETE FROM lookups WHERE tier = ? AND name = ?', tier, name) === 1;
