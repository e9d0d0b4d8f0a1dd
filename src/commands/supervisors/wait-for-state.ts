// Waiting until a supervisor reaches a state. Ctrl-C does not affect the supervisor.
import type { Context } from '../../cli/command/command.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { type SupervisorStatus, supervisors } from '../../contract/supervisors.ts';
import { commandLine } from '../../model/shell-text.ts';
import { type Leaving, mayLeave } from '../shared/waiting/leaving.ts';
import { poll } from '../shared/waiting/poll.ts';

type Waiting = Leaving & Pick<Context, 'out' | 'progress'>;

interface Goal {
  readonly states: readonly string[]; // detailed ones
  readonly maxLag?: number; // records
  readonly maxWait?: number; // seconds
  readonly isKnown?: boolean; // the service has just returned this id
}

/**
 * Returns once the supervisor is in one of the states, within the allowed lag; throws when it is
 * unhealthy (exit code 1) or at the timeout (7).
 */
export function waitForState(context: Waiting, supervisorId: string, goal: Goal): Promise<void> {
  const { states, maxLag } = goal;
  const flags = [
    ...states.map((state) => `--for ${state.toLowerCase()}`),
    ...(maxLag === undefined ? [] : [`--max-lag ${maxLag}`]),
  ];
  const waited = {
    goesOn: `Supervisor [${supervisorId}] continues`,
    comeBack: `svcctl supervisors wait ${flags.join(' ')} ${commandLine`${supervisorId}`}`,
  };
  return mayLeave(context, waited, (signal) =>
    untilState({ ...context, signal }, supervisorId, goal),
  );
}

async function untilState(
  context: Waiting,
  supervisorId: string,
  { states, maxLag, maxWait, isKnown = false }: Goal,
): Promise<void> {
  const { call, progress } = context;
  const line = progress(`Supervisor [${supervisorId}]`);
  const wanted =
    states.join(' or ') + (maxLag === undefined ? '' : ` with a lag of at most ${maxLag}`);
  const patience = {
    what: `Supervisor [${supervisorId}] is not ${wanted}`,
    hint: commandLine`svcctl supervisors status ${supervisorId}`,
    isKnown,
    ...(maxWait !== undefined && { maxWait }),
  };
  let mostLag = 0;
  const look = async () => (await call(supervisors.status, { params: { supervisorId } })).payload;
  try {
    for await (const payload of poll(look, context, patience)) {
      const { state = '', detailedState, aggregateLag } = payload;
      if (states.includes(String(detailedState)) && isCaughtUp(payload, maxLag)) {
        line.done(`Supervisor [${supervisorId}] is ${detailedState}`);
        return;
      }
      if (String(state).startsWith('UNHEALTHY')) throw unhealthy(supervisorId, payload);
      const lag = Number(aggregateLag ?? Number.NaN);
      if (lag > mostLag) mostLag = lag;
      line.update({
        stage: `${detailedState}${Number.isNaN(lag) ? '' : `, lag ${lag}`}`,
        ...(maxLag !== undefined &&
          mostLag > maxLag &&
          lag <= mostLag && { fraction: (mostLag - Math.max(lag, maxLag)) / (mostLag - maxLag) }),
      });
    }
  } catch (error) {
    line.failed();
    throw error;
  }
}

// An unmeasured lag does not count as small.
const isCaughtUp = (
  { aggregateLag, offsetsLastUpdated }: SupervisorStatus['payload'],
  maxLag: number | undefined,
) => maxLag === undefined || (Boolean(offsetsLastUpdated) && Number(aggregateLag) <= maxLag);

function unhealthy(
  id: string,
  { detailedState, recentErrors }: SupervisorStatus['payload'],
): CommandError {
  const last = recentErrors?.at(-1)?.message;
  return new CommandError(
    'failed',
    `Supervisor [${id}] is ${detailedState}${typeof last === 'string' ? `: ${last}` : ''}`,
    commandLine`svcctl supervisors status ${id}`,
  );
}
