// Committed stream offsets of datasources. They change in the transaction that publishes the
// segments.
import { jsonText, jsonValue, type Transaction } from './metadata.ts';

export type DataSourceMetadata = Readonly<Record<string, unknown>>;

export function findDataSourceMetadata<Value = DataSourceMetadata>(
  tx: Transaction,
  dataSource: string,
): Value | undefined {
  const row = tx.get<{ metadata: string }>(
    'SELECT metadata FROM datasource_metadata WHERE datasource = ?',
    dataSource,
  );
  return row && jsonValue(row.metadata);
}

export const setDataSourceMetadata = (
  tx: Transaction,
  dataSource: string,
  metadata: unknown,
): void =>
  void tx.run(
    'INSERT INTO datasource_metadata VALUES (?, ?) ON CONFLICT DO UPDATE SET metadata = excluded.metadata',
    dataSource,
    jsonText(metadata) ?? 'null',
  );

/** Forgets the committed offsets of a stream. */
export const deleteDataSourceMetadata = (tx: Transaction, dataSource: string): void =>
  void tx.run('DELETE FROM datasource_metadata WHERE datasource = ?', dataSource);
