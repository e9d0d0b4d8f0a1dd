// Suspending and resuming of supervisors: some by name, or all by one request.
import { doAtOnce, doEach } from '../../cli/command/bulk.ts';
import { type Command, command } from '../../cli/command/command.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  all,
  chooseSupervisors,
  completersOfMany,
  countSupervisors,
  hints,
  identifiedBy,
  isSuspended,
  listSpecs,
  listStates,
  reasonsOf,
  supervisorIds,
} from '../shared/supervisors/supervisor-id.ts';

interface Suspension {
  readonly verb: 'suspend' | 'resume';
  readonly summary: string;
  readonly notDone: string; // for a supervisor that did not change
  readonly alreadySo: string; // for a supervisor already in this state
  readonly doneToAll: readonly [what: string, next: string];
  readonly doneTo: (supervisorId: string) => readonly [sentence: string, next: string];
}

/** The command for one of the two actions. */
export const suspension = ({
  verb,
  summary,
  notDone,
  alreadySo,
  doneToAll: [what, next],
  doneTo,
}: Suspension): Command => {
  const suspends = verb === 'suspend';
  const [one, every] = suspends
    ? [supervisors.suspend, supervisors.suspendAll]
    : [supervisors.resume, supervisors.resumeAll];
  return command({
    summary,
    examples: [`svcctl supervisors ${verb} edits`, `svcctl supervisors ${verb} --all --yes`],
    endpoints: [one, every, supervisors.list],
    arguments: supervisorIds,
    options: all,
    completers: completersOfMany,
    ids: { supervisorIds: identifiedBy(!suspends) },
    chosenUnless: { supervisorIds: ['all'] },
    hints,
    columns: 'dynamic',
    writes: 'change',
    async run(context, { args, options }) {
      const { call, confirm, out } = context;
      const ids = chooseSupervisors(verb, args.supervisorIds, options.all);
      if (options.all) {
        const there = (await listStates(context)).map(({ id }) => id);
        if (there.length === 0) return out.note('There are no supervisors.');
        await confirm({
          level: 'change',
          what: `${suspends ? 'Suspend' : 'Resume'} ${countSupervisors(there.length)}`,
          name: 'all',
        });
        await doAtOnce(context, there, {
          act: () => call(every),
          left: async () =>
            reasonsOf(
              await listSpecs(context),
              (given) => isSuspended(given) !== suspends,
              notDone,
            ),
          done: (count) => [`${countSupervisors(count)} ${what}.`, next],
          again: `svcctl supervisors ${verb} --all`,
        });
      }
      if (ids.length > 0)
        await doEach(context, ids, {
          act: (supervisorId) => call(one, { params: { supervisorId } }),
          done: doneTo,
          already: (supervisorId) => `Supervisor [${supervisorId}] ${alreadySo}.`,
          again: (left) => commandLine`svcctl supervisors ${verb} ${left}`,
        });
    },
  });
};
