// Limits on the length of names and ids in requests: the service stores and logs them, and returns
// them in headers.
import { type RequestLimitName, requestLimits } from '../../model/limits.ts';
import { requestLimitExceeded } from './refusals.ts';

/**
 * Refuses a name or an id that is too long; `what` names its owner. Generated ids, such as ids of
 * tasks, contain names: `pathNameLength` covers both.
 */
export function checkNameLength(
  name: string,
  what: string,
  limit: RequestLimitName & `${string}ameLength` = 'nameLength',
): void {
  if (name.length > requestLimits[limit].most) throw requestLimitExceeded(limit, name.length, what);
}
