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

export const suspend = command({
  summary: 'Stop reading for a while: tasks publish what they have',
  examples: ['svcctl supervisors suspend edits', 'svcctl supervisors suspend --all --yes'],
  endpoints: [supervisors.suspend, supervisors.suspendAll, supervisors.list],
  arguments: supervisorIds,
  options: all,
  completers: completersOfMany,
  hints,
  columns: 'dynamic',
  writes: 'change',
  async run(context, { args, options }) {
    const { call, confirm } = context;
    const ids = chosen('suspend', args.supervisorIds, options.all);
    if (options.all) {
      const there = (await listStates(context)).map(({ id }) => id);
      await confirm({ level: 'change', what: `Suspend ${counted(there.length)}`, name: 'all' });
      await doAtOnce(context, there, {
        act: () => call(supervisors.suspendAll),
        left: async () => reasonsOf(await listSpecs(context), (one) => !isSuspended(one), 'it is not suspended'),
        done: (count) => [`${counted(count)} suspended.`, 'svcctl supervisors resume --all'],
        again: 'svcctl supervisors suspend --all',
      });
    }
    if (ids.length > 0)
      await doEach(context, ids, {
        act: (supervisorId) => call(supervisors.suspend, { params: { supervisorId } }),
        done: (supervisorId) => [`Supervisor [${supervisorId}] is suspended.`, `svcctl supervisors resume ${supervisorId}`],
        again: (left) => `svcctl supervisors suspend ${left}`,
      });
  },
});
