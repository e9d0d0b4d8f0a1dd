// Data as one caller may see it: rows about other datasources are hidden (Druid: "SQL metadata
// tables", authorization).
import { forbidden } from '../handlers/permissions.ts';
import type { Caller } from '../handlers/routes.ts';
import type { CatalogSource } from './catalog.ts';
import type { SystemCell, SystemTable } from './system-table.ts';

export interface VisibleDataSettings {
  readonly authorizesSystemTables: boolean; // svc.sql.planner.authorizeSystemTablesDirectly
}

/**
 * The source with the system tables that a caller may see. Permissions on datasources are not
 * checked here.
 */
export function visibleTo(
  source: CatalogSource,
  { may }: Caller,
  { authorizesSystemTables }: VisibleDataSettings,
): CatalogSource {
  const reads = (dataSource: SystemCell | undefined) =>
    typeof dataSource === 'string' && may('DATASOURCE', dataSource, 'READ');
  const seesServers = () => {
    if (!may('STATE', 'STATE', 'READ'))
      throw forbidden('Insufficient permission to view servers: Unauthorized');
  };
  const filterTable = (table: SystemTable): SystemTable => {
    switch (table.name) {
      case 'server_segments':
        return {
          ...table,
          rows() {
            seesServers();
            const readable = readableSegments();
            return table.rows().where(['segment_id'], (id) => id !== undefined && readable.has(id));
          },
        };
      case 'segments':
      case 'tasks':
      case 'supervisors':
        return { ...table, rows: () => table.rows().where(['datasource'], reads) };
      case 'TABLES':
      case 'COLUMNS':
        return {
          ...table,
          rows: () =>
            table
              .rows()
              .where(
                ['TABLE_SCHEMA', 'TABLE_NAME'],
                (schema, name) => schema !== 'druid' || reads(name),
              ),
        };
      default: // servers, their properties, and other tables about the cluster
        if (table.schema !== 'sys') return table;
        return {
          ...table,
          rows() {
            seesServers();
            return table.rows();
          },
        };
    }
  };
  const systemTables = source.systemTables.map(filterTable).map((table): SystemTable => {
    if (!authorizesSystemTables || table.schema !== 'sys') return table;
    return {
      ...table,
      rows() {
        if (!may('SYSTEM_TABLE', table.name, 'READ')) throw forbidden();
        return table.rows();
      },
    };
  });
  const readableSegments = () => {
    const segments = systemTables.find(
      ({ schema, name }) => schema === 'sys' && name === 'segments',
    );
    return new Set(segments?.rows().column('segment_id'));
  };
  return { ...source, systemTables };
}
