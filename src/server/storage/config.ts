// Dynamic configurations by name (`coordinator.config`, `worker.config`, ...), as JSON.
import { jsonText, jsonValue, type Transaction } from './metadata.ts';

export function findConfig<Config = Readonly<Record<string, unknown>>>(
  tx: Transaction,
  name: string,
): Config | undefined {
  const row = tx.get<{ value: string }>('SELECT value FROM config WHERE name = ?', name);
  return row && jsonValue(row.value);
}

export const setConfig = (tx: Transaction, name: string, value: unknown): void =>
  void tx.run(
    'INSERT INTO config VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    name,
    jsonText(value) ?? 'null',
  );
