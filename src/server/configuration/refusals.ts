// Refusals of configuration in Druid's words.
import { Refusal } from '../checks/refusals.ts';

export const emptyDefaultRules = () =>
  new Refusal('runtimeFailure', 'Cluster-level rules cannot be empty.', { family: 'empty' });

export const malformedInRule = (type: string, field: string, reason: string) =>
  new Refusal('invalidInput', `Invalid [${field}] in a rule of type [${type}]: ${reason}`);

export const countNotPositive = () =>
  new Refusal('invalidInput', 'Limit must be greater than zero!');

export const countNotAnInteger = () => new Refusal('notFound', '', { family: 'empty' });

export const countBeyondHistory = (count: number, found: number) =>
  new Refusal(
    'notFound',
    `Parameter [count] is [${count}], and the history has [${found}] entries. Use a number up to that`,
  );

export const eitherIntervalOrCount = () =>
  new Refusal('invalidInput', 'Use either [interval] or [count], not both');

export const ruleLacks = (type: string, field: string) =>
  new Refusal('invalidInput', `Rule of type [${type}] lacks [${field}]`);

export const negativeReplicants = (tier: string, count: number) =>
  new Refusal(
    'invalidInput',
    `Invalid number of replicas for tier [${tier}]. Value [${count}] must be positive.`,
  );

export const unsupportedCompactionEngine = () =>
  new Refusal(
    'invalidInput',
    'MSQ engine is supported only with supervisor-based compaction on the Overlord.',
  );

export const unreadableCompactionConfig = (problem: string) =>
  new Refusal('invalidInput', problem, { family: 'simpleMap' });
