import type { CasesOf, World } from './cases.ts';

const spec = (version: string) => ({
  version,
  lookupExtractorFactory: { type: 'map', map: { fr: 'France', pe: 'Peru' } },
});
const unheardOf = { params: { lookup: 'unheard-of' } };
const noLookup = { ...unheardOf, says: 'lookup [unheard-of] not found' };
const noTier = { params: { tier: 'unheard-of' }, says: 'Tier [unheard-of] not found' };
const country = { tier: '__default', lookup: 'country' };
const never = { service: 'druid' } as const; // there nobody ever sets one
const node = async ({ ask }: World) =>
  Object.keys(JSON.parse(await ask('GET /svc/coordinator/v1/lookups/nodeStatus/__default')))[0] ??
  '';

export const lookups: CasesOf<'lookups'> = {
  setAll: {
    success: async ({ ask }) => {
      await ask('POST /svc/coordinator/v1/lookups/config', {});
      return {
        body: { __default: { country: spec('v1') } },
        shows: { __default: { country: { version: 'v1' } } },
      };
    },
    refusals: {
      invalidInput: {
        body: {
          __default: {
            country: {
              version: 'v1',
              lookupExtractorFactory: { type: 'map', map: { type: 'map', map: {} } },
            },
          },
        },
        says: 'Lookup [country] is not a lookup: the value of key [map] is an object, and must be a text',
      },
      runtimeFailure: {
        ...never,
        body: { __default: { country: spec('v1') } },
        says: 'post an empty map to initialize',
      },
    },
  },
  set: {
    success: { params: country, body: spec('v2') },
    refusals: {
      invalidInput: { params: country, body: spec('v1'), says: 'already has version [v2]' },
      runtimeFailure: {
        ...never,
        params: country,
        body: spec('v1'),
        says: 'post an empty map to initialize',
      },
    },
  },
  tiers: { success: { shows: ['__default'] }, refusals: { notFound: never } },
  all: {
    success: { shows: { __default: { country: { version: 'v2' } } } },
    refusals: { notFound: never },
  },
  list: {
    success: { params: { tier: '__default' }, shows: ['country'] },
    refusals: { notFound: noTier },
  },
  get: {
    success: { params: country, shows: { version: 'v2' } },
    refusals: {
      notFound: { params: { tier: '__default', lookup: 'unheard-of' }, says: noLookup.says },
    },
  },
  status: {
    success: { shows: { __default: { country: { loaded: true } } } },
    refusals: { notFound: { ...never, says: 'No lookups found' } },
  },
  tierStatus: {
    success: { params: { tier: '__default' }, shows: { country: { loaded: true } } },
    refusals: { notFound: { ...never, params: { tier: '__default' }, says: 'No lookups found' } },
  },
  lookupStatus: {
    success: { params: country, shows: { loaded: true } },
    refusals: {
      notFound: {
        params: { tier: '__default', lookup: 'unheard-of' },
        says: 'Lookup [unheard-of] not found for tier [__default]',
      },
    },
  },
  nodeStatus: {
    success: { shows: /"current":\{"country":"v2"\}/ },
    refusals: { notFound: { ...never, says: 'No lookups found' } },
  },
  tierNodeStatus: {
    success: { params: { tier: '__default' }, shows: /"current":\{"country":"v2"\}/ },
  },
  oneNodeStatus: {
    success: async (world) => ({
      params: { tier: '__default', node: await node(world) },
      shows: { current: { country: 'v2' } },
    }),
    refusals: {
      notFound: {
        params: { tier: '__default', node: 'unheard-of' },
        says: 'Node [unheard-of] status is unknown',
      },
    },
  },
  contents: {
    success: { params: { lookup: 'country' }, shows: { fr: 'France', pe: 'Peru' } },
    refusals: { notFound: unheardOf },
  },
  keys: {
    success: { params: { lookup: 'country' }, shows: ['fr', 'pe'] },
    refusals: { notFound: unheardOf },
  },
  values: {
    success: { params: { lookup: 'country' }, shows: ['France', 'Peru'] },
    refusals: { notFound: unheardOf },
  },
  version: {
    success: { params: { lookup: 'country' }, shows: { version: 'v2' } },
    refusals: { notFound: unheardOf },
  },
  remove: {
    success: { params: country },
    refusals: { notFound: { params: { tier: '__default', lookup: 'unheard-of' } } },
  },
  removeTier: {
    success: async ({ ask }) => {
      await ask('POST /svc/coordinator/v1/lookups/config', { other: { country: spec('v1') } });
      return { params: { tier: 'other' } };
    },
    refusals: { notFound: { params: { tier: 'unheard-of' } } },
  },
};
