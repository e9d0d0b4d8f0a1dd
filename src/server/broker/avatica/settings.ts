// Settings of JDBC and their defaults (Druid: AvaticaServerConfig).
import type { Properties } from '../../settings/properties.ts';

export interface AvaticaSettings {
  readonly maxConnections: number;
  readonly maxStatementsPerConnection: number;
  readonly idleMs: number; // idle time after which a connection is closed
  readonly minRowsPerFrame: number;
  readonly maxRowsPerFrame: number;
  readonly fetchTimeoutMs: number; // then a driver gets an empty frame and fetches again
  readonly maxConnectionsProperty: string; // full name of the property
}

/**
 * The settings from the properties; undefined when JDBC is disabled. Throws CannotStart for invalid
 * values.
 */
export function avaticaSettingsIn(
  service: string,
  properties: Properties,
): AvaticaSettings | undefined {
  const between = (name: string, defaultValue: number, least: number, most: number) => {
    const value = properties.integer(`sql.avatica.${name}`, defaultValue);
    if (value < least || value > most) throw properties.outside(`sql.avatica.${name}`, least, most);
    return value;
  };
  const isOn = properties.truth('sql.avatica.enable', true);
  const maxRowsPerFrame = between('maxRowsPerFrame', 5000, -1, mostRows);
  const settings = {
    maxConnections: between('maxConnections', 25, 1, 10_000),
    maxStatementsPerConnection: between('maxStatementsPerConnection', 4, 1, 1000),
    idleMs: properties.periodMs('sql.avatica.connectionIdleTimeout', 'PT5M'),
    minRowsPerFrame: between('minRowsPerFrame', 100, 1, mostRows),
    maxRowsPerFrame: maxRowsPerFrame < 1 ? mostRows : maxRowsPerFrame,
    fetchTimeoutMs: Math.max(1000, between('fetchTimeoutMs', 5000, 0, 600_000)), // with less, drivers would poll all the time
    maxConnectionsProperty: `${service}.sql.avatica.maxConnections`,
  };
  if (settings.idleMs < 1)
    throw properties.wrong('sql.avatica.connectionIdleTimeout', 'must be longer than zero');
  return isOn ? settings : undefined;
}

// A whole frame is in memory at once.
const mostRows = 100_000;
