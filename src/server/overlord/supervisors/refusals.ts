// Refusals of supervisor requests in Druid's words.
import { Refusal } from '../../checks/refusals.ts';

export const unknownSupervisor = (id: string) =>
  new Refusal('notFound', `Cannot find any supervisor with id: [${id}]`, { family: 'plainText' });
export const noHealthCheck = (id: string) =>
  new Refusal('notFound', `[${id}] does not exist or health check not implemented`, simpleMap);
export const doesNothing = (id: string) =>
  new Refusal('notFound', `[${id}] does not exist`, simpleMap);
export const noSupervisorHistory = (id: string) =>
  new Refusal('notFound', `No history for [${id}].`);
export const historyCountNotPositive = (count: number) =>
  new Refusal('invalidInput', `Count must be greater than zero if set (count was ${count})`);
export const alreadySuspended = (id: string) =>
  new Refusal('invalidInput', `[${id}] is already suspended`, simpleMap);
export const alreadyRunning = (id: string) =>
  new Refusal('invalidInput', `[${id}] is already running`, simpleMap);
export const noGroups = () =>
  new Refusal('invalidInput', 'List of task groups to handoff can not be empty', simpleMap);
export const notResettable = (id: string) =>
  new Refusal(
    'invalidInput',
    `Supervisor [${id}] does not read a stream and has no offsets`,
    simpleMap,
  );
export const wrongOffsetsType = (type: string) =>
  new Refusal(
    'invalidInput',
    `Could not resolve type id [${type}] as a subtype of [DataSourceMetadata]: known type ids = [kafka]`,
    simpleMap,
  );
export const notAPartition = (fault: string) => new Refusal('invalidInput', fault, simpleMap);
export const backfillNeeds = (id: string, need: string) =>
  new Refusal(
    'invalidInput',
    `Supervisor [${id}] cannot be reset with a backfill: ${need}`,
    simpleMap,
  );
export const badBackfillCount = (count: number) =>
  new Refusal('invalidInput', `backfillTaskCount must be positive, got [${count}]`, simpleMap);

/**
 * Offsets for another stream than the supervisor's; the real engine does not catch this error.
 * `isCaught` depends on the dialect.
 */
export const otherStream = (id: string, stream: string, own: string, isCaught: boolean) =>
  wrongOffsets(
    `Stream[${stream}] doesn't exist in the supervisor[${id}]. Supervisor is consuming stream[${own}].`,
    isCaught,
  );
export const notEndOffsets = (type: string, isCaught: boolean) =>
  wrongOffsets(
    `Provided datasourceMetadata is invalid. Sequence numbers can only be of type[SeekableStreamEndSequenceNumbers], but found[${type}]`,
    isCaught,
  );

const simpleMap = { family: 'simpleMap' } as const;

const wrongOffsets = (message: string, isCaught: boolean) =>
  isCaught
    ? new Refusal('invalidInput', message)
    : new Refusal('runtimeFailure', message, { family: 'html' });
