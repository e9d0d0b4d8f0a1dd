// Functions of the dialect for INFORMATION_SCHEMA.ROUTINES: those of the translation tables, and
// the operators of the planner.
import { aggregates } from '../../sql/functions/aggregates.ts';
import { scalarFunctionTable } from '../../sql/functions/functions.ts';
import { formOf } from '../../sql/functions/scalar-function.ts';
import { specialFunctionTable } from '../../sql/functions/special.ts';
import { plannedSignatures, printedSignatures } from '../../sql/printed-signatures.ts';
import { isOff, type Lacking } from '../planning/lacking.ts';
import type { Routine } from './information-schema.ts';

/** All functions except those of disabled extensions and those that the engine version lacks. */
export const routines = (
  lacking: readonly Lacking[],
  lacked: ReadonlySet<string>,
): readonly Routine[] =>
  [
    ...Object.entries(aggregates)
      .filter(([, { isUnplanned }]) => !isUnplanned)
      .map(([name, { form }]) => routine(name, form, true)),
    ...Object.entries(specialFunctionTable)
      .filter(([name]) => !name.includes(' ')) // FLOOR TO and CEIL TO are forms of FLOOR and CEIL
      .map(([name, { form }]) => routine(name, form, false)),
    ...Object.entries(scalarFunctionTable)
      .filter(([name]) => name !== 'CEILING') // another spelling of CEIL
      .map(([name, row]) => routine(name, formOf(row), false)),
    ...Object.entries(plannedSignatures).map(([name, signatures]) => ({
      name,
      isAggregate: plannedAggregates.has(name),
      signatures,
    })),
  ].filter(({ name }) => !isOff(name, lacking) && !lacked.has(name));

const plannedAggregates: ReadonlySet<string> = new Set([
  '$SUM0',
  'GROUPING',
  'LITERAL_AGG',
  'SINGLE_VALUE',
]);

// The engine shows some names in lower case.
const printed = new Map(
  Object.entries(printedSignatures).map(([name, signatures]) => [
    name.toUpperCase(),
    { name, signatures },
  ]),
);

const routine = (name: string, form: string, isAggregate: boolean): Routine => ({
  name,
  signatures: `'${name}(${form})'`,
  ...printed.get(name),
  isAggregate,
});
