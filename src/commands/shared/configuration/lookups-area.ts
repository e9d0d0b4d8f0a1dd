import { UsageError } from '../../../cli/process/errors.ts';
import { ServiceError } from '../../../client/errors.ts';
import { lookups } from '../../../contract/lookups.ts';
import { check } from '../../../contract/schema.ts';
import { isObject, withoutNulls } from '../../../model/difference.ts';
import { formatInstant } from '../../../model/instant.ts';
import { faultInFactory, lookupIn } from '../../../model/lookup.ts';
import { initializeLookups } from '../lookups/lookup.ts';
import type { Area } from './area.ts';

/**
 * Lookups by tier and name: `__default/countries`. Versions are not exported, because each change
 * needs a new one.
 */
export const lookupsArea: Area = {
  name: 'lookups',
  endpoints: [lookups.all],
  writes: [lookups.set, lookups.remove],
  read: async ({ call }) => {
    const tiers = Object.entries(await call(lookups.all).catch(noneYet));
    return new Map(
      tiers.flatMap(([tier, ofTier]) =>
        Object.entries(ofTier).map(([name, lookup]) => [`${tier}/${name}`, lookup] as const),
      ),
    );
  },
  schema: () => lookups.set.body,
  normal: (document) => {
    const { version: _, ...lookup } = withoutNulls(lookupIn(document) ?? document) as Readonly<
      Record<string, unknown>
    >;
    return lookup;
  },
  check(document, name) {
    const { lookupExtractorFactory } = check(lookups.set.body, lookupIn(document) ?? document);
    const fault = faultInFactory(lookupExtractorFactory);
    if (fault !== undefined) throw new UsageError(`Lookup [${name}] is not a lookup: ${fault}`);
  },
  set: async ({ call }, name, { document, live }, headers) => {
    await initializeLookups({ call });
    const { lookupExtractorFactory } = check(lookups.set.body, lookupIn(document) ?? document);
    await call(lookups.set, {
      params: paramsOf(name),
      body: { version: versionAfter(live), lookupExtractorFactory },
      headers,
    });
  },
  remove: ({ call }, name, _, headers) => call(lookups.remove, { params: paramsOf(name), headers }),
};

// A service that never had lookups replies that none exist.
function noneYet(error: unknown): Readonly<Record<string, never>> {
  if (!(error instanceof ServiceError) || error.status !== 404 || error.isLacking) throw error;
  return {};
}

const paramsOf = (name: string) => {
  const at = name.indexOf('/');
  return { tier: name.slice(0, at), lookup: name.slice(at + 1) };
};

/**
 * A version that the service accepts as newer than the live one. Versions are compared as texts.
 */
export function versionAfter(live: unknown): string {
  const now = formatInstant(Date.now());
  const version = isObject(live) && typeof live.version === 'string' ? live.version : '';
  return now > version ? now : `${version}.1`;
}
