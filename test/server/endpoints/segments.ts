import type { CasesOf, World } from './cases.ts';

const wholeMonth = '2024-01-01/2024-02-01';
const nonsense = {
  service: 'druid',
  says: 'Could not parse Segment ID',
  params: { segmentId: 'nonsense' },
} as const;
const both = { says: /^Invalid request payload/, body: { interval: wholeMonth, segmentIds: [] } };

// All of them, or all but the first, are unused.
const unused = async ({ ask }: World) =>
  void (await ask('DELETE /svc/coordinator/v1/datasources/wiki'));
const used = async ({ ask }: World) =>
  void (await ask('POST /svc/coordinator/v1/datasources/wiki'));

export const segments: CasesOf<'segments'> = {
  markUsed: {
    success: async (world) => {
      await unused(world);
      return { shows: { segmentStateChanged: true, numChangedSegments: 1 } };
    },
    refusals: { invalidInput: nonsense },
  },
  markUnused: {
    success: async (world) => {
      await used(world);
      return { shows: { segmentStateChanged: true, numChangedSegments: 1 } };
    },
    refusals: { invalidInput: nonsense },
  },
  markSomeUsed: {
    success: async (world) => {
      await unused(world);
      return { body: { interval: '2024-01-02/2024-02-01' }, shows: { numChangedSegments: 2 } };
    },
    refusals: {
      invalidInput: both,
      runtimeFailure: {
        service: 'druid',
        body: { segmentIds: ['unheard-of'] },
        says: 'unheard-of',
      },
    },
  },
  markSomeUnused: {
    success: async (world) => {
      await used(world);
      return { body: { segmentIds: [world.params.segmentId] }, shows: { numChangedSegments: 1 } };
    },
    refusals: { invalidInput: both },
  },
  markAllUsed: {
    success: async (world) => {
      await unused(world);
      return { shows: { numChangedSegments: 3 } };
    },
  },
  markAllUnused: {
    success: async (world) => {
      await used(world);
      return { shows: { numChangedSegments: 3 } };
    },
    refusals: { runtimeFailure: { query: { kill: 'true' }, says: 'interval=START/END' } },
  },
  kill: {
    success: async ({ load, ask }) => {
      await load('old', '01');
      await ask('DELETE /svc/coordinator/v1/datasources/old');
      return { params: { dataSource: 'old', interval: '2024-01-01_2024-01-02' } };
    },
    refusals: {
      invalidInput: { params: { interval: 'nonsense' }, says: 'nonsense' },
      runtimeFailure: { service: 'druid', params: { interval: 'nonsense' }, says: 'nonsense' },
    },
  },
};
