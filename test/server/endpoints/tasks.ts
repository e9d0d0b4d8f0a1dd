import type { CasesOf, World } from './cases.ts';

const stranger = { by: 'stranger:stranger' };
const forbidden = {
  ...stranger,
  query: { datasource: 'wiki' },
  says: 'Access-Check-Result: Unauthorized',
};
const unheardOf = {
  params: { taskId: 'unheard-of' },
  says: 'Cannot find any task with id: [unheard-of]',
};
const badNumber = {
  runtimeFailure: { query: { max: 'many' }, says: 'max' },
  notFound: { service: 'druid', query: { max: 'many' } },
} as const;
const noInterval = {
  query: { createdTimeInterval: 'nonsense' },
  says: 'Parameter [createdTimeInterval] is not an interval',
};
const noFilter = { body: [], says: 'No filter provided' };
const lockFilter = [{ datasource: 'wiki' }];
const noop = { type: 'noop', runTime: 60_000 };

// A task that waits for a minute.
const running = async ({ ask }: World, dataSource = 'idle'): Promise<string> => {
  const { task } = JSON.parse(await ask('POST /svc/indexer/v1/task', { ...noop, dataSource }));
  for (let left = 600; left > 0; left--) {
    const { status } = JSON.parse(await ask(`GET /svc/indexer/v1/task/${task}/status`));
    if (status.runnerStatusCode === 'RUNNING') return task;
    await new Promise((wake) => setTimeout(wake, 20));
  }
  throw new Error('The task did not start');
};
const loader = async ({ ask }: World): Promise<string> =>
  JSON.parse(await ask('GET /svc/indexer/v1/completeTasks?datasource=wiki')).find(
    ({ type }: { type: string }) => type === 'query_controller',
  ).id;
const stopAll = ({ ask }: World, dataSource = 'idle') =>
  ask(`POST /svc/indexer/v1/datasources/${dataSource}/shutdownAllTasks`);

export const tasks: CasesOf<'tasks'> = {
  list: {
    success: {
      query: { datasource: 'wiki', type: 'query_controller' },
      shows: [{ status: 'SUCCESS', type: 'query_controller', dataSource: 'wiki' }],
    },
    refusals: {
      forbidden,
      ...badNumber,
      invalidInput: { query: { state: 'asleep' }, says: 'Invalid task state[asleep].' },
    },
  },
  complete: {
    success: {
      query: { datasource: 'wiki', type: 'query_controller' },
      shows: [{ statusCode: 'SUCCESS' }],
    },
    refusals: {
      forbidden,
      runtimeFailure: badNumber.runtimeFailure,
      notFound: { service: 'druid', query: { n: 'many' } },
    },
  },
  running: {
    success: async (world) => ({
      query: { datasource: 'idle' },
      shows: [{ id: await running(world), status: 'RUNNING' }],
    }),
    refusals: { forbidden, runtimeFailure: noInterval },
  },
  waiting: { success: { shows: [] }, refusals: { forbidden, runtimeFailure: noInterval } },
  pending: { success: { shows: [] }, refusals: { forbidden, runtimeFailure: noInterval } },
  get: {
    success: { shows: { task: 'known', payload: { type: 'query_controller' } } },
    refusals: { notFound: unheardOf },
  },
  status: {
    success: { shows: { status: { statusCode: 'SUCCESS' } } },
    refusals: { notFound: unheardOf },
  },
  segments: {
    success: async (world) => ({
      params: { taskId: await loader(world) },
      shows: [{ dataSource: 'wiki' }, {}, {}],
    }),
    refusals: {
      notFound: {
        service: 'druid',
        says: 'Segment IDs committed by a task action are not persisted anymore',
      },
    },
  },
  log: {
    success: async (world) => ({ params: { taskId: await loader(world) }, shows: /./ }),
    refusals: { notFound: unheardOf },
  },
  reports: {
    success: async (world) => ({
      params: { taskId: await loader(world) },
      shows: { multiStageQuery: { payload: { status: { status: 'SUCCESS' } } } },
    }),
    refusals: {
      notFound: { says: 'No task reports were found for this task.' },
      runtimeFailure: async (world) => ({ params: { taskId: await running(world) } }),
    },
  },
  shutdown: {
    success: async (world) => ({ params: { taskId: await running(world) } }),
    refusals: { notFound: unheardOf },
  },
  shutdownAll: {
    success: async (world) => {
      await running(world);
      return { params: { dataSource: 'idle' }, shows: { dataSource: 'idle' } };
    },
    refusals: { notFound: { params: { dataSource: 'unheard-of' } } },
  },
  submit: {
    success: { body: { type: 'noop', id: 'mine', runTime: 1 }, shows: { task: 'mine' } },
    refusals: {
      invalidInput: {
        body: { type: 'nonsense' },
        says: 'Could not resolve type id [nonsense] as a subtype of [Task]',
      },
      forbidden: { ...stranger, body: noop, says: '{"Access-Check-Result":"Unauthorized"}' },
    },
  },
  statuses: {
    success: { body: ['known', 'unheard-of'], shows: { known: { status: 'SUCCESS' } } },
    refusals: { invalidInput: { body: [], says: 'No Task IDs provided.' } },
  },
  lockedIntervals: {
    success: { body: lockFilter, shows: {} },
    refusals: { invalidInput: noFilter },
  },
  activeLocks: {
    success: { body: lockFilter, shows: { datasourceToLocks: {} } },
    refusals: { invalidInput: noFilter },
  },
  sample: {
    success: {
      body: sampled(),
      shows: { numRowsRead: 1, numRowsIndexed: 1, data: [{ parsed: { page: 'a' } }] },
    },
    refusals: { invalidInput: { body: { ...sampled(), type: 'nonsense' }, says: 'nonsense' } },
  },
  deletePendingSegments: {
    success: async (world) => {
      await stopAll(world).catch(() => undefined); // there may be none
      return { shows: { numDeleted: 0 } };
    },
    refusals: {
      invalidInput: async (world) => {
        await running(world);
        return { params: { dataSource: 'idle' }, says: 'there is at least one active task' };
      },
      runtimeFailure: { query: { interval: 'nonsense' } },
    },
  },
  capacity: { success: { shows: { currentClusterCapacity: 4 } } },
};

function sampled() {
  return {
    type: 'index_parallel',
    spec: {
      type: 'index_parallel',
      dataSchema: {
        dataSource: 'wiki',
        timestampSpec: { column: 't', format: 'iso' },
        dimensionsSpec: { dimensions: ['page'] },
        granularitySpec: { rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: '{"t":"2024-01-01","page":"a"}' },
        inputFormat: { type: 'json' },
      },
    },
  };
}
