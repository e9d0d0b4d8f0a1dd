// Compaction configurations by datasource. Settings for all datasources are a dynamic configuration
// (config.ts).
import { jsonText, jsonValue, type Transaction } from './metadata.ts';

export function findCompactionConfig<Config = Readonly<Record<string, unknown>>>(
  tx: Transaction,
  dataSource: string,
): Config | undefined {
  const row = tx.get<{ config: string }>(
    'SELECT config FROM compaction_configs WHERE datasource = ?',
    dataSource,
  );
  return row && jsonValue(row.config);
}

/** All configurations, sorted by datasource. */
export const listCompactionConfigs = <Config = Readonly<Record<string, unknown>>>(
  tx: Transaction,
): Config[] =>
  tx
    .all<{ config: string }>('SELECT config FROM compaction_configs ORDER BY datasource')
    .map((row) => jsonValue<Config>(row.config));

export const setCompactionConfig = (tx: Transaction, dataSource: string, config: unknown): void =>
  void tx.run(
    'INSERT INTO compaction_configs VALUES (?, ?) ON CONFLICT DO UPDATE SET config = excluded.config',
    dataSource,
    jsonText(config) ?? 'null',
  );

/** Returns whether there was a configuration. */
export const deleteCompactionConfig = (tx: Transaction, dataSource: string): boolean =>
  tx.run('DELETE FROM compaction_configs WHERE datasource = ?', dataSource) === 1;
