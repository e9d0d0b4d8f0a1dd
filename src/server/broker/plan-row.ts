// What an EXPLAIN answers: one row (Druid: "EXPLAIN PLAN").
import type { ExplainStatement, OutputColumn } from '../../sql/statement.ts';

export const planColumns: readonly OutputColumn[] = ['PLAN', 'RESOURCES', 'ATTRIBUTES'].map((name) => ({
  name,
  type: { name: 'VARCHAR' },
  nativeType: 'STRING',
}));

/** The row of a plan, by column. */
export const rowOfPlan = ({ plan, resourcesText, attributes }: ExplainStatement): Record<string, string> => ({
  PLAN: plan,
  RESOURCES: resourcesText,
  ATTRIBUTES: attributes,
});
