// Table of retention rules, including `_default`.
import { jsonText, jsonValue, type Transaction } from './metadata.ts';

/** A rule as submitted; the Coordinator interprets it. */
export type StoredRule = Readonly<Record<string, unknown>>;

/** The datasource's own rules; undefined when they were never set (an empty list is different). */
export function findRules<Rule = StoredRule>(
  tx: Transaction,
  dataSource: string,
): Rule[] | undefined {
  const row = tx.get<{ rules: string }>('SELECT rules FROM rules WHERE datasource = ?', dataSource);
  return row && rulesIn(row.rules);
}

/** All rules by datasource, sorted by name. */
export const listRules = <Rule = StoredRule>(tx: Transaction): Map<string, Rule[]> =>
  new Map(
    tx
      .all<{ datasource: string; rules: string }>('SELECT * FROM rules ORDER BY datasource')
      .map((row) => [row.datasource, rulesIn<Rule>(row.rules)]),
  );

// Unreadable rules must not delete data: then all data stays loaded.
function rulesIn<Rule>(text: string): Rule[] {
  try {
    const rules = jsonValue<unknown>(text);
    if (Array.isArray(rules) && rules.every((rule) => typeof rule === 'object' && rule !== null))
      return rules;
  } catch {
    // not even JSON
  }
  return [{ type: 'loadForever' }] as Rule[];
}

export const setRules = (tx: Transaction, dataSource: string, rules: readonly unknown[]): void =>
  void tx.run(
    'INSERT INTO rules VALUES (?, ?) ON CONFLICT DO UPDATE SET rules = excluded.rules',
    dataSource,
    jsonText(rules),
  );

export const deleteRules = (tx: Transaction, dataSource: string): boolean =>
  tx.run('DELETE FROM rules WHERE datasource = ?', dataSource) === 1;
