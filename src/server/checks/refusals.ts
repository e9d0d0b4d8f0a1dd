// Refusals of the service, each worded once. Clients of the real engine match on these sentences.
import type { FailureBeginning } from '../../contract/endpoint.ts';
import type { Category, Failure, Family } from '../../contract/failure.ts';
import { parserClasses } from '../../contract/parser-classes.ts';
import { formatInstant } from '../../model/instant.ts';
import { formatInterval, type Interval } from '../../model/interval.ts';
import { type RequestLimitName, requestLimits } from '../../model/limits.ts';
import { maskWord } from '../../model/secrets.ts';

/** Details of a refusal besides its message; `headers` are sent with the reply. */
export type RefusalDetails = Partial<Omit<Failure, 'category' | 'message'>> & {
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * A refusal: an expected answer, not a bug. The category decides the status. The endpoint decides
 * the body, unless the details name a family.
 */
export class Refusal extends Error {
  readonly category: Category;
  readonly details: RefusalDetails;
  constructor(category: Category, message: string, details: RefusalDetails = {}) {
    super(message);
    this.category = category;
    this.details = details;
  }
}

export const unknownPath = (path: string, family?: Family) =>
  new Refusal('notFound', `Path [${path}] does not exist on this port`, family && { family });
/** `allowed` are the methods that the path supports, as the header Allow lists them. */
export const wrongMethod = (method: string, path: string, allowed: string, family?: Family) =>
  new Refusal('methodNotAllowed', `Path [${path}] does not support ${method}`, {
    ...(family && { family }),
    ...(method === 'HEAD' && { family: 'html' }),
    ...(allowed && { headers: { allow: allowed } }),
  });
export const notOpen = () =>
  new Refusal(
    'serviceUnavailable',
    'The service could not be reopened after its data was replaced. See its log, and restart it',
  );
export const badPath = () =>
  new Refusal('invalidInput', 'The path is not percent-encoded UTF-8 text');
export const unsupportedProxy = (path: string) =>
  new Refusal('invalidInput', `Unsupported proxy destination[${path}]`, { family: 'untyped' });
export const notAQuery = (path: string) =>
  new Refusal('invalidInput', `Path [${path}] does not accept queries`, {
    family: 'queryException',
    legacy: { code: 'Unknown exception', errorClass: parserClasses.typeId },
  });
export const tooSlow = (limitMs: number) =>
  new Refusal('timeout', `The service did not answer within ${limitMs / 1000} seconds`);
export const readTimeout = (service: string, limitMs: number) =>
  new Refusal(
    'timeout',
    `The Router received no data of the answer for ${limitMs / 1000} seconds, its read timeout. Request less data at once, such as one page of the results, or raise property [${service}.router.http.readTimeout]`,
  );
export const noBody = ({ category, ...details }: FailureBeginning) =>
  new Refusal(category, 'The request has no body', details);
export const notForm = () =>
  new Refusal('invalidInput', 'Unable to decode URL-Encoded SQL query', {
    family: 'queryException',
  });
export const tooLarge = (limitBytes: number) =>
  new Refusal('tooLarge', `The request body is larger than ${limitBytes} bytes`);
/** A request exceeds a limit; `what` names the place, such as a field. */
export const requestLimitExceeded = (name: RequestLimitName, found: number, what: string) =>
  new Refusal(
    'invalidInput',
    `Limit [${name}] exceeded in [${what}]: [${found}] of at most [${requestLimits[name].most}] ${requestLimits[name].what}. See svcctl help limits`,
  );
export const notJson = (
  reason: string,
  { category, ...details }: FailureBeginning & Pick<Failure, 'legacy'>,
) => new Refusal(category, `The request body is not JSON: ${reason}`, details);
export const notGzip = ({ category, ...details }: FailureBeginning) =>
  new Refusal(
    category,
    'The request body is not gzip, although its Content-Encoding is gzip',
    details,
  );
export const notAcceptable = () =>
  new Refusal('notAcceptable', 'The reply is application/json', { family: 'empty' });
export const smileNotRead = () =>
  new Refusal(
    'unsupportedMediaType',
    'Smile is not supported: send the query as JSON, with Content-Type: application/json',
    {
      family: 'queryException',
    },
  );
export const notJsonType = () =>
  new Refusal('unsupportedMediaType', 'The request body needs Content-Type application/json', {
    family: 'empty',
  });
export const badMediaType = () =>
  new Refusal('invalidInput', 'The Content-Type header is not a media type', { family: 'html' });
export const noContentType = () =>
  new Refusal('invalidInput', 'Missing Content-Type header', { family: 'queryException' });
export const badContentType = (type: string) =>
  new Refusal('invalidInput', `Invalid Content-Type header: ${type}`, { family: 'queryException' });
export const unknownContentType = (type: string) =>
  new Refusal(
    'unsupportedMediaType',
    `Unsupported Content-Type: ${type}. Only application/json, text/plain or application/x-www-form-urlencoded is supported.`,
    { family: 'queryException' },
  );
export const unknownTask = (taskId: string) =>
  new Refusal('notFound', `Cannot find any task with id: [${taskId}]`, { family: 'plainText' });

export const alreadyExists = (taskId: string) =>
  new Refusal('invalidInput', `Task[${taskId}] already exists`, {
    code: 'entryAlreadyExists',
    family: 'druidException',
  });
export const invalidTaskId = (type: string, fault: string) =>
  new Refusal('invalidInput', `Cannot construct instance of [${type}] task, problem: ${fault}`);
export const unknownTaskType = (type: unknown, known: readonly string[]) =>
  type === undefined || type === null
    ? new Refusal(
        'invalidInput',
        'Missing type id when trying to resolve subtype of [Task]: missing type id property [type]',
      )
    : new Refusal(
        'invalidInput',
        `Could not resolve type id [${String(type)}] as a subtype of [Task]: known type ids = [${known.join(', ')}]`,
      );
export const taskStopped = (reason: string) => new Refusal('canceled', reason);
export const secretMissing = (path: string) =>
  new Refusal(
    'invalidInput',
    `Field [${path}] is [${maskWord}], the placeholder that the service shows for a secret. Give the secret itself`,
  );
export const noTaskIds = () => new Refusal('invalidInput', 'No Task IDs provided.');
export const noLog = () =>
  new Refusal(
    'notFound',
    'No log was found for this task. The task may not exist, or it may not have begun running yet.',
  );
export const noReports = () =>
  new Refusal(
    'notFound',
    'No task reports were found for this task. The task may not exist, or it may not have completed yet.',
  );
export const reportsUnavailable = (taskId: string) =>
  new Refusal('runtimeFailure', `Task [${taskId}] has no reports while it runs`);
export const tasksMayWrite = (
  dataSource: string,
  taskId: string,
  createdMs: number,
  interval: Interval,
) =>
  new Refusal(
    'invalidInput',
    `Cannot delete pendingSegments for datasource[${dataSource}] as there is at least one active task[${taskId}] created at[${formatInstant(createdMs)}] that overlaps with the delete interval[${formatInterval(interval)}]. Please retry when there are no active tasks.`,
    { family: 'druidException' },
  );
export const segmentsNotListed = () =>
  new Refusal(
    'notFound',
    'The segments of tasks are listed only when property [indexer.auditLog.enabled] of the Overlord is true',
  );
export const segmentsNotKept = () =>
  new Refusal(
    'notFound',
    "Segment IDs committed by a task action are not persisted anymore. Use the metric 'segment/added/bytes' to identify the segments created by a task.",
  );
