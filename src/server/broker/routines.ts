// The functions of the dialect, as INFORMATION_SCHEMA.ROUTINES lists them: read off the tables that translate them.
import { aggregates } from '../../sql/aggregates.ts';
import { scalarFunctionTable } from '../../sql/functions.ts';
import type { Routine } from './information-schema.ts';

export const routines = (): readonly Routine[] => [
  ...Object.entries(aggregates).map(([name, { form }]) => ({ name, isAggregate: true, signatures: `'${name}(${form})'` })),
  ...Object.entries(scalarFunctionTable).map(([name, { parameters }]) => ({
    name,
    isAggregate: false,
    signatures: `'${name}(${parameters.map(({ text }) => `<${text}>`).join(', ')})'`,
  })),
];
