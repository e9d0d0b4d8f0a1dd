// Permission checks that need more than the request: resources of queries, tasks and supervisors.
import type { Action } from '../../contract/endpoint.ts';
import type { Catalog } from '../../sql/catalog.ts';
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

/**
 * The catalog as far as a caller may read it. A datasource of others is refused as soon as a query
 * names it: errors of its planning would tell names and types of columns.
 */
export const readableBy = ({ may }: Caller, catalog: Catalog): Catalog => ({
  ...catalog,
  findTable(schema, name) {
    const table = catalog.findTable(schema, name);
    if (table?.kind === 'datasource' && !may('DATASOURCE', table.name, 'READ')) throw forbidden();
    return table;
  },
});
