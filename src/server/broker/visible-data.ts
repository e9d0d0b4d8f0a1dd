// The data as one caller may see it: rows about datasources they may not read are not there (Druid: "SQL metadata tables", authorization).
import { forbidden } from '../permissions.ts';
import type { Caller } from '../routes.ts';
import type { CatalogSource } from './catalog.ts';
import type { Cell, SystemTable } from './system-table.ts';

export interface VisibleDataSettings {
  readonly authorizesSystemTables: boolean; // svc.sql.planner.authorizeSystemTablesDirectly
}

/** The source with the system tables that a caller sees. What a query reads of datasources is checked when it is planned, not here. */
export function visibleTo(source: CatalogSource, { may }: Caller, { authorizesSystemTables }: VisibleDataSettings): CatalogSource {
  const reads = (dataSource: Cell | undefined) => typeof dataSource === 'string' && may('DATASOURCE', dataSource, 'READ');
  const seesServers = () => {
    if (!may('STATE', 'STATE', 'READ')) throw forbidden('Insufficient permission to view servers: Unauthorized');
  };
  const seen = (table: SystemTable): SystemTable => {
    const at = (column: string) => table.columns.findIndex(({ name }) => name === column);
    const ofDataSources = (column: string) => (wanted?: readonly string[]) =>
      table.rows(wanted && [...wanted, column]).filter((row) => reads(row[at(column)]));
    switch (table.name) {
      case 'server_segments':
        return {
          ...table,
          rows(wanted) {
            seesServers();
            const readable = readableSegments();
            return table.rows(wanted && [...wanted, 'segment_id']).filter((row) => readable.has(row[at('segment_id')]));
          },
        };
      case 'segments':
      case 'tasks':
      case 'supervisors':
        return { ...table, rows: ofDataSources('datasource') };
      case 'TABLES':
      case 'COLUMNS': {
        const [schema, name] = [at('TABLE_SCHEMA'), at('TABLE_NAME')];
        return { ...table, rows: () => table.rows().filter((row) => row[schema] !== 'druid' || reads(row[name])) };
      }
      default: // servers, their properties, and whatever else tells of the cluster
        if (table.schema !== 'sys') return table;
        return {
          ...table,
          rows(wanted) {
            seesServers();
            return table.rows(wanted);
          },
        };
    }
  };
  const systemTables = source.systemTables.map(seen).map((table): SystemTable => {
    if (!authorizesSystemTables || table.schema !== 'sys') return table;
    return {
      ...table,
      rows(wanted) {
        if (!may('SYSTEM_TABLE', table.name, 'READ')) throw forbidden();
        return table.rows(wanted);
      },
    };
  });
  const readableSegments = () => {
    const segments = systemTables.find(({ schema, name }) => schema === 'sys' && name === 'segments');
    const id = segments?.columns.findIndex(({ name }) => name === 'segment_id') ?? 0;
    return new Set(segments?.rows(['segment_id']).map((row) => row[id]));
  };
  return { ...source, systemTables };
}
