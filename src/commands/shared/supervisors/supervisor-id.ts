import type { Completer, Context, Identified } from '../../../cli/command/command.ts';
import { UsageError } from '../../../cli/process/errors.ts';
import { cellsOf, padEnd } from '../../../cli/terminal/width.ts';
import { flag, listOf, optional, required, text } from '../../../contract/schema.ts';
import { supervisors } from '../../../contract/supervisors.ts';

export const supervisorId = { supervisorId: required(text, 'Supervisor id') };

export const supervisorIds = { supervisorIds: optional(listOf(text), 'Supervisor ids') };

export const all = { all: optional(flag, 'All supervisors') };

export const hints = { notFound: 'svcctl supervisors list shows all supervisors' };

export const ids: Completer = async ({ call }) =>
  (await call(supervisors.list)).map((supervisor) =>
    typeof supervisor === 'string' ? supervisor : supervisor.id,
  );

/** Supervisor ids. The list is complete. */
export const identified: Identified = {
  what: 'supervisor',
  choices: async (context) => choicesOf(await listSpecs(context)),
};

/** Ids of supervisors that are suspended, or of those that are not. */
export const identifiedBy = (suspended: boolean): Identified => ({
  ...identified,
  choices: async (context) =>
    choicesOf((await listSpecs(context)).filter((one) => isSuspended(one) === suspended)),
});

function choicesOf(listed: readonly Listed[]) {
  const widest = listed.reduce((most, { id }) => Math.max(most, cellsOf(id)), 0);
  return listed.map((one) => ({
    value: one.id,
    name: `${padEnd(one.id, widest)}  ${shownState(one)}`,
  }));
}

export const completers = { supervisorId: ids };

export const completersOfMany = { supervisorIds: ids };

/** The given ids, empty for all; throws a usage error unless either ids or --all is given. */
export function chooseSupervisors(
  verb: string,
  given: readonly string[] | undefined,
  isAll: boolean | undefined,
): readonly string[] {
  const ids = given ?? [];
  if (ids.length > 0 === (isAll === true))
    throw new UsageError(
      'Name supervisors by their ids, or all of them with --all',
      `svcctl supervisors ${verb} --all, for example`,
    );
  return ids;
}

/** The states of all supervisors. */
export const listStates = ({ call }: Pick<Context, 'call'>) => listWith(call, { state: true });

/** All supervisors with their specifications. */
export const listSpecs = ({ call }: Pick<Context, 'call'>) => listWith(call, { full: true });

/**
 * Whether the supervisor is suspended. Its specification shows it at once; its state shows it as
 * soon as the supervisor has reacted. The flag that Druid lists beside a state is false for every
 * supervisor.
 */
export const isSuspended = ({ spec, suspended, state }: Listed): boolean =>
  spec?.suspended ?? (suspended === true || state === 'SUSPENDED');

/** The state of a supervisor in words: one that is suspended may not have reacted yet. */
export const shownState = (supervisor: Listed): string =>
  isSuspended(supervisor) && supervisor.state !== 'SUSPENDED'
    ? `${supervisor.state}, suspended`
    : supervisor.state;

const listWith = async (
  call: Context['call'],
  query: { readonly state?: true; readonly full?: true },
) =>
  (await call(supervisors.list, { query })).flatMap((supervisor) =>
    typeof supervisor === 'string' ? [] : [supervisor],
  );

type Listed = Awaited<ReturnType<typeof listStates>>[number];

/** The supervisors for which the test holds, with a reason for each. */
export const reasonsOf = (
  listed: readonly Listed[],
  holds: (one: Listed) => boolean,
  reason: string,
): ReadonlyMap<string, string> => new Map(listed.filter(holds).map(({ id }) => [id, reason]));

export const countSupervisors = (count: number) =>
  `${count} ${count === 1 ? 'supervisor' : 'supervisors'}`;
