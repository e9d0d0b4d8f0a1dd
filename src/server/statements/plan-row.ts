// The result row of EXPLAIN PLAN (Druid: "EXPLAIN PLAN").

import type { ExplainStatement, OutputColumn } from '../../sql/statement.ts';
import { maskJsonText } from '../handlers/masks.ts';

export const planColumns: readonly OutputColumn[] = ['PLAN', 'RESOURCES', 'ATTRIBUTES'].map(
  (name) => ({
    name,
    type: { name: 'VARCHAR' },
    nativeType: 'STRING',
  }),
);

/** The row of a plan, by column; secrets of external inputs are masked. */
export const rowOfPlan = ({
  plan,
  resourcesText,
  attributes,
}: ExplainStatement): Record<string, string> => ({
  PLAN: maskJsonText(plan),
  RESOURCES: resourcesText,
  ATTRIBUTES: maskJsonText(attributes),
});
