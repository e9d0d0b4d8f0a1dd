// The worker, as the Overlord sees it and as it sees itself.
import type { CasesOf, World } from './cases.ts';

const worker = async ({ ask }: World) => ({
  params: { host: Object.keys(JSON.parse(await ask('GET /svc/worker/v1/enabled')))[0] ?? '' },
});
const unheardOf = {
  params: { host: 'unheard-of:1' },
  says: 'Worker on host [unheard-of:1] does not exist',
};
const isEnabled = /^\{"127.0.0.1:\d+":"enabled"\}$/;
const isDisabled = /^\{"127.0.0.1:\d+":"disabled"\}$/;

export const workers: CasesOf<'workers'> = {
  list: { success: { shows: [{ worker: { scheme: 'http', disabled: false } }] } },
  disable: {
    success: async (world) => ({ ...(await worker(world)), shows: isDisabled }),
    refusals: { runtimeFailure: unheardOf },
  },
  enable: {
    success: async (world) => ({ ...(await worker(world)), shows: isEnabled }),
    refusals: { runtimeFailure: unheardOf },
  },
  setConfig: {
    success: { body: { type: 'default', selectStrategy: { type: 'fillCapacity' } } },
    refusals: {
      invalidInput: { body: { selectStrategy: 'fillCapacity' }, says: 'selectStrategy' },
      runtimeFailure: { text: 'null', says: 'no body' },
    },
  },
  getConfig: { success: { shows: { selectStrategy: { type: 'fillCapacity' } } } },
  configHistory: {
    success: { query: { count: '1' }, shows: [{ auditInfo: { identity: 'admin' } }] },
    refusals: {
      invalidInput: { query: { count: '0' }, says: 'Limit must be greater than zero!' },
      notFound: { query: { count: '99999999999' }, service: 'druid' },
    },
  },
  scaling: { success: {} },
};

export const middleManager: CasesOf<'middleManager'> = {
  enabled: { success: { shows: /^\{"127.0.0.1:\d+":true\}$/ } },
  disable: { success: { shows: isDisabled } },
  enable: { success: { shows: isEnabled } },
  tasks: { success: { shows: [] } },
  log: {
    success: async ({ ask }) => {
      const { id: taskId } = JSON.parse(await ask('GET /svc/indexer/v1/completeTasks')).find(
        ({ id }: { id: string }) => id !== 'known',
      );
      return { params: { taskId }, shows: /./ };
    },
    refusals: {
      notFound: { params: { taskId: 'unheard-of' }, says: 'No log was found for this task.' },
    },
  },
  shutdown: { success: { shows: { task: 'known' } } },
};
