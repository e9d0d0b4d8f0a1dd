import { streamSpec } from '../../support/supervisors.ts';
import type { CasesOf, World } from './cases.ts';

const unheardOf = {
  params: { supervisorId: 'unheard-of' },
  says: 'Cannot find any supervisor with id: [unheard-of]',
};
const forbidden = { by: 'stranger:stranger', says: '{"Access-Check-Result":"Unauthorized"}' };
const refusals = { forbidden, notFound: unheardOf };
const success = { shows: { status: 'success' } };
const waiting = { startDelay: 'PT1H' };
const offsets = (stream: string) => ({
  type: 'kafka',
  partitions: { type: 'end', stream, partitionOffsetMap: { 0: 1 } },
});
const otherStream = {
  body: offsets('other'),
  says: "Stream[other] doesn't exist in the supervisor[edits]",
};

const posted = async ({ ask }: World, spec: object) =>
  void (await ask('POST /svc/indexer/v1/supervisor', spec));
const suspended = (world: World) => posted(world, streamSpec({ suspended: true }));
const started = (world: World) => posted(world, streamSpec({ ioConfig: waiting }));

// Its first look at itself comes soon after it was submitted.
const inState = async (world: World, wanted: string) => {
  for (let left = 600; left > 0; left--) {
    const { payload } = JSON.parse(await world.ask('GET /svc/indexer/v1/supervisor/edits/status'));
    if (payload.state === wanted) return;
    await new Promise((wake) => setTimeout(wake, 20));
  }
  throw new Error(`The supervisor did not become ${wanted}`);
};

// One that reads, from the end of its topic and beside others.
const reading = async (world: World) => {
  await posted(
    world,
    streamSpec({ context: { useConcurrentLocks: true }, ioConfig: { useEarliestOffset: false } }),
  );
  await inState(world, 'RUNNING');
};

export const supervisors: CasesOf<'supervisors'> = {
  list: {
    success: async (world) => {
      await inState(world, 'SUSPENDED');
      return { query: { full: '' }, shows: [{ id: 'edits', state: 'SUSPENDED', suspended: true }] };
    },
  },
  submit: {
    success: {
      body: streamSpec({ suspended: true }),
      query: { skipRestartIfUnmodified: 'true' },
      shows: { id: 'edits' },
    },
    refusals: {
      invalidInput: { body: { type: 'nonsense' }, says: 'nonsense' },
      forbidden: { ...forbidden, body: streamSpec({ suspended: true }) },
    },
  },
  get: { success: { shows: { type: 'kafka', suspended: true } }, refusals },
  status: {
    success: async (world) => {
      await inState(world, 'SUSPENDED');
      return { shows: { id: 'edits', payload: { state: 'SUSPENDED' } } };
    },
    refusals,
  },
  health: { success: { shows: { healthy: true } }, refusals },
  stats: { success: { shows: {} }, refusals },
  parseErrors: { success: { shows: [] }, refusals },
  history: {
    success: { query: { count: '1' }, shows: [{ spec: { type: 'kafka' } }] },
    refusals: {
      invalidInput: {
        query: { count: '0' },
        says: 'Count must be greater than zero if set (count was 0)',
      },
      notFound: { params: { supervisorId: 'unheard-of' }, says: 'No history for [unheard-of].' },
    },
  },
  allHistory: { success: { shows: /^\{"edits":\[\{"spec":/ } },
  resume: {
    success: { shows: { suspended: false } },
    refusals: {
      ...refusals,
      invalidInput: async (world) => {
        await started(world);
        return { says: '[edits] is already running' };
      },
    },
  },
  suspend: {
    success: { shows: { suspended: true } },
    refusals: {
      ...refusals,
      invalidInput: async (world) => {
        await suspended(world);
        return { says: '[edits] is already suspended' };
      },
    },
  },
  reset: { success: { shows: { id: 'edits' } }, refusals },
  resetOffsets: {
    success: { body: offsets('edits'), shows: { id: 'edits' } },
    refusals: {
      ...refusals,
      invalidInput: otherStream,
      runtimeFailure: { service: 'druid', ...otherStream },
    },
  },
  resetToLatest: {
    success: async (world) => {
      await reading(world);
      return { shows: { id: 'edits' } };
    },
    refusals: {
      ...refusals,
      invalidInput: {
        query: { backfillTaskCount: '0' },
        says: 'backfillTaskCount must be positive, got [0]',
      },
    },
  },
  handOff: {
    success: { body: { taskGroupIds: [0] } },
    refusals: {
      forbidden,
      notFound: { ...unheardOf, body: { taskGroupIds: [0] } },
      invalidInput: {
        body: { taskGroupIds: [] },
        says: 'List of task groups to handoff can not be empty',
      },
    },
  },
  suspendAll: { success },
  resumeAll: { success },
  terminate: { success: { shows: { id: 'edits' } }, refusals },
  terminateAll: { success },
};
