// Functions of the dialect for INFORMATION_SCHEMA.ROUTINES, derived from the translation tables.
import { aggregates } from '../../sql/functions/aggregates.ts';
import { scalarFunctionTable } from '../../sql/functions/functions.ts';
import { formOf } from '../../sql/functions/scalar-function.ts';
import { specialFunctionTable } from '../../sql/functions/special.ts';
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
    ...Object.entries(scalarFunctionTable).map(([name, row]) => routine(name, formOf(row), false)),
  ].filter(({ name }) => !isOff(name, lacking) && !lacked.has(name));

const routine = (name: string, form: string, isAggregate: boolean): Routine => ({
  name,
  isAggregate,
  signatures: `'${name}(${form})'`,
});
