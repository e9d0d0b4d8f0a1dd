// Permission checks that need more than the request: resources of queries, tasks and supervisors.
import type { Action } from '../../contract/endpoint.ts';
import type { Resource } from '../../sql/statement.ts';
import { Refusal } from '../checks/refusals.ts';
import type { Caller } from './routes.ts';

/** The caller lacks a permission. */
export const forbidden = (message = 'Unauthorized') => new Refusal('forbidden', message);

/** Refuses a caller that lacks one of these permissions. */
export function mustBeAllowed({ may }: Caller, resources: readonly Resource[]): void {
  if (!resources.every(({ type, name, action }) => may(type, name, action))) throw forbidden();
}

/** Refuses a caller that lacks permission for this action on a datasource. */
export const mustBeAllowedTo = (caller: Caller, action: Action, dataSource: string): void =>
  mustBeAllowed(caller, [{ type: 'DATASOURCE', name: dataSource, action }]);
