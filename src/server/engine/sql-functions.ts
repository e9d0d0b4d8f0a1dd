// TypeScript functions of the SQL translation, adapted to the engine: there, 64-bit integers are
// bigints, whatever their size.

import { scalarFunctions } from '../../sql/functions/engine-functions.ts';
import type { EngineType, ScalarValue } from '../../sql/runtime/engine-function.ts';
import type { HeldList, RegisteredFunction } from './scalar-functions.ts';
import type { EngineValue } from './values.ts';

export const sqlFunctions: readonly RegisteredFunction[] = scalarFunctions.map(
  ({ name, arguments: parameters, returns, volatile, ofBytes, call }) => ({
    name,
    parameters,
    returns,
    ...(volatile && { volatile }),
    ...(ofBytes && { ofBytes }),
    call: (...values) =>
      call(values.map((value, at) => toArgument(value, parameters[at]))) as EngineValue,
  }),
);

function toArgument(value: EngineValue | HeldList, type: EngineType | undefined): ScalarValue {
  if (typeof value === 'number' && type === 'BIGINT') return BigInt(value);
  return value as ScalarValue;
}
