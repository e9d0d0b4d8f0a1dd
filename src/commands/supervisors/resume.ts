import { doAtOnce, doEach } from '../../cli/bulk.ts';
import { command } from '../../cli/command.ts';
import { supervisors } from '../../contract/supervisors.ts';
import {
  all,
  chosen,
  completersOfMany,
  counted,
  hints,
  isSuspended,
  listSpecs,
  listStates,
  reasonsOf,
  supervisorIds,
} from './supervisor-id.ts';

export const resume = command({
  summary: 'Go on reading where a suspended supervisor has stopped',
  examples: ['svcctl supervisors resume edits', 'svcctl supervisors resume --all --yes'],
  endpoints: [supervisors.resume, supervisors.resumeAll, supervisors.list],
  arguments: supervisorIds,
  options: all,
  completers: completersOfMany,
  hints,
  columns: 'dynamic',
  writes: 'change',
  async run(context, { args, options }) {
    const { call, confirm } = context;
    const ids = chosen('resume', args.supervisorIds, options.all);
    if (options.all) {
      const there = (await listStates(context)).map(({ id }) => id);
      await confirm({ level: 'change', what: `Resume ${counted(there.length)}`, name: 'all' });
      await doAtOnce(context, there, {
        act: () => call(supervisors.resumeAll),
        left: async () => reasonsOf(await listSpecs(context), isSuspended, 'it is suspended still'),
        done: (count) => [`${counted(count)} resumed.`, 'svcctl supervisors list'],
        again: 'svcctl supervisors resume --all',
      });
    }
    if (ids.length > 0)
      await doEach(context, ids, {
        act: (supervisorId) => call(supervisors.resume, { params: { supervisorId } }),
        done: (supervisorId) => [`Supervisor [${supervisorId}] goes on.`, `svcctl supervisors wait ${supervisorId}`],
        again: (left) => `svcctl supervisors resume ${left}`,
      });
  },
});
