import { doAtOnce, doEach } from '../../cli/command/bulk.ts';
import { command } from '../../cli/command/command.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  all,
  chooseSupervisors,
  completersOfMany,
  countSupervisors,
  hints,
  identified,
  listStates,
  reasonsOf,
  supervisorIds,
} from '../shared/supervisors/supervisor-id.ts';

export const terminate = command({
  summary: 'Terminate supervisors; their history is kept',
  examples: [
    'svcctl supervisors terminate edits --yes',
    'svcctl supervisors terminate --all --confirm=all',
  ],
  endpoints: [supervisors.terminate, supervisors.terminateAll, supervisors.list],
  arguments: supervisorIds,
  options: all,
  completers: completersOfMany,
  ids: { supervisorIds: identified },
  chosenUnless: { supervisorIds: ['all'] },
  hints,
  columns: 'dynamic',
  writes: 'destroy',
  async run(context, { args, options }) {
    const { call, confirm, out } = context;
    const ids = chooseSupervisors('terminate', args.supervisorIds, options.all);
    if (options.all) {
      const there = (await listStates(context)).map(({ id }) => id);
      if (there.length === 0) return out.note('There are no supervisors.');
      await confirm({
        level: 'destroy',
        what: `Terminate ${countSupervisors(there.length)}`,
        name: 'all',
        back: 'svcctl undo restores them',
      });
      await doAtOnce(context, there, {
        act: () => call(supervisors.terminateAll),
        left: async () => reasonsOf(await listStates(context), () => true, 'it still exists'),
        done: (count) => [`${countSupervisors(count)} terminated.`, 'svcctl supervisors history'],
        again: 'svcctl supervisors terminate --all',
      });
    } else {
      const [first = ''] = ids;
      const what =
        ids.length === 1
          ? `Terminate supervisor [${first}]`
          : `Terminate ${countSupervisors(ids.length)}`;
      await confirm({ level: 'change', what, name: ids.length === 1 ? first : 'supervisors' });
    }
    if (ids.length > 0)
      await doEach(context, ids, {
        act: (supervisorId) => call(supervisors.terminate, { params: { supervisorId } }),
        done: (supervisorId) => [
          `Supervisor [${supervisorId}] is terminated.`,
          commandLine`svcctl supervisors history ${supervisorId}`,
        ],
        again: (left) => commandLine`svcctl supervisors terminate ${left}`,
      });
  },
});
