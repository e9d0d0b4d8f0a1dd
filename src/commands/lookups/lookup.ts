import type { Completer } from '../../cli/command.ts';
import { lookups } from '../../contract/lookups.ts';
import { optional, required, text } from '../../contract/schema.ts';

export const lookup = { lookup: required(text, 'The name of the lookup') };
export const tier = { tier: optional(text, 'The tier of the nodes that load it (__default)') };
export const usualTier = '__default';

const names: Completer = async ({ call }) => Object.values(await call(lookups.all)).flatMap((ofTier) => Object.keys(ofTier));

export const completers = { lookup: names };
export const hints = { notFound: 'svcctl lookups list shows those that there are; svcctl lookups set makes one' };
