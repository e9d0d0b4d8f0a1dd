// Refusals of asynchronous statements, in the real engine's words (Druid: SqlStatementResource).
import type { Dialect } from '../../model/dialect.ts';
import { Refusal } from '../checks/refusals.ts';

export const noExecutionMode = () =>
  new Refusal(
    'invalidInput',
    'Execution mode is not provided to the sql statement api. Please set [executionMode] to [ASYNC] in the query context',
  );
export const unsupportedExecutionMode = (mode: string) =>
  new Refusal(
    'invalidInput',
    `The sql statement api currently does not support the provided execution mode [${mode}]. Please set [executionMode] to [ASYNC] in the query context`,
  );
export const reservedParameter = (name: string) =>
  new Refusal('invalidInput', `Query context parameter [${name}] is not allowed`);
export const noDurableStorage = () =>
  new Refusal(
    'invalidInput',
    'Query context parameter [selectDestination] is [durableStorage], but durable storage is off in this service. Remove the parameter, or start the service with --durable-storage on.',
    { code: 'general', persona: 'OPERATOR' },
  );
export const unknownStatement = (queryId: string) =>
  new Refusal(
    'notFound',
    `Query [${queryId}] was not found. The query details are no longer present or might not be of the type [query_controller]. Verify that the id is correct.`,
  );
export const notYours = () => new Refusal('forbidden', 'Unauthorized');
export const stillRunning = (queryId: string, state: string) =>
  new Refusal(
    'invalidInput',
    `Query[${queryId}] is currently in [${state}] state. Please wait for it to complete.`,
    { code: 'general' },
  );
export const hasFailed = (queryId: string, { failedStatementResults }: Dialect) =>
  new Refusal(
    failedStatementResults,
    `Query[${queryId}] failed. Check the status api for more details.`,
    {
      ...(failedStatementResults === 'invalidInput' && { code: 'general' }),
    },
  );
export const negativePage = () =>
  new Refusal('invalidInput', 'Page cannot be negative. Please pass a positive number.', {
    code: 'general',
  });
export const onlyOnePage = (page: number) =>
  new Refusal('invalidInput', `Page number [${page}] is out of the range of results`);
export const unknownPage = (page: number) =>
  new Refusal('invalidInput', `Invalid page id [${page}] passed.`);
export const notAFilename = (fault: string) => new Refusal('invalidInput', `Filename ${fault}`);
export const cannotHandle = (queryId: string) =>
  new Refusal('uncategorized', `Failed to handle query [${queryId}]`, {
    code: 'general',
    persona: 'DEVELOPER',
  });
