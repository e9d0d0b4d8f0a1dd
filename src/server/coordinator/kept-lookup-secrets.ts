// Stored secrets for lookups that a client sends back with masks.
import type { Lookup } from '../../contract/lookups.ts';
import { isObject, isSame } from '../../model/difference.ts';
import { findMaskedPath, hasMask, mask, maskWord } from '../../model/secrets.ts';
import { Refusal } from '../checks/refusals.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * A lookup with the stored secrets in place of masks. A secret is kept only if the fields beside it
 * are unchanged: otherwise it would be sent to another address. `stored` reads the stored lookup
 * without its pairs. Refuses a mask without a stored secret.
 */
export function keepLookupSecrets(name: string, given: Lookup, stored: () => unknown): Lookup {
  if (!hasMask(given)) return given;
  const whole = withStored(given, stored()) as Lookup;
  const path = findMaskedPath(whole);
  if (path !== undefined) throw noSecret(name, path);
  return whole;
}

function withStored(given: Values, stored: unknown): Values {
  if (!isObject(stored)) return given;
  const isAsShown = isSame(mask(withoutPairs(stored)), withoutPairs(given));
  return Object.fromEntries(
    Object.entries(given).map(
      ([name, field]) => [name, fieldOf(name, field, stored[name], isAsShown)] as const,
    ),
  );
}

function fieldOf(name: string, field: unknown, stored: unknown, isAsShown: boolean): unknown {
  if (name === pairs) return field;
  if (parts.has(name) && isObject(field)) return withStored(field, stored);
  return (isAsShown || field !== maskWord) && isSame(mask(stored, name), field) ? stored : field;
}

// The structural parts of a lookup. Every other object is one unit: an address, with the secrets
// that are sent to it.
const parts = new Set(['lookupExtractorFactory', 'extractionNamespace', 'dataFetcher']);

// Skipped: there may be a million, and none is a secret.
const pairs = 'map';
const withoutPairs = ({ [pairs]: _, ...rest }: Values): Values => rest;

const noSecret = (name: string, path: string) =>
  new Refusal(
    'invalidInput',
    `Lookup [${name}] cannot be stored: field [${path}] is [${maskWord}], the placeholder for a secret, but the stored lookup has no secret there or has other fields beside it. Give the secret itself`,
  );
