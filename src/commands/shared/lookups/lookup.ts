import type { Completer, Context } from '../../../cli/command/command.ts';
import { ifKnown } from '../../../cli/command/if-known.ts';
import { ServiceError } from '../../../client/errors.ts';
import { lookups } from '../../../contract/lookups.ts';
import { optional, required, text } from '../../../contract/schema.ts';

export const lookup = { lookup: required(text, 'Name of the lookup') };
export const tier = { tier: optional(text, 'Tier of the lookup (default __default)') };
export const defaultTier = '__default';

/**
 * Initializes lookups with an empty configuration. The service requires it once, as a guard against
 * updates that lose existing lookups.
 */
export async function initializeLookups({ call }: Pick<Context, 'call'>): Promise<void> {
  try {
    await call(lookups.tiers);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 404) throw error;
    await call(lookups.setAll, { body: {} });
  }
}

const names: Completer = async (context) =>
  Object.values(await allOf(context)).flatMap((ofTier) => Object.keys(ofTier));

const tiers: Completer = async (context) => Object.keys(await allOf(context));

// A service without any lookup yet answers that there are none.
const allOf = async ({ call }: Pick<Context, 'call'>) => (await ifKnown(call(lookups.all))) ?? {};

export const completers = { lookup: names, tier: tiers };
export const hints = {
  notFound: 'svcctl lookups list shows all; svcctl lookups set creates one',
};
