// Keys of GROUP BY as native dimensions (docs/querying/dimensionspecs.md), as EXPLAIN shows them.
import type { Expression } from '../ast.ts';
import type { NativeJson } from '../resolution/native-plan.ts';
import type { FilterNames } from './native-expression.ts';

/**
 * The dimension of a key: a column, converted by its output type or by an extraction function, or
 * else a virtual column.
 * Throws NotNative.
 */
export function nativeDimension(
  key: Expression,
  outputName: string,
  outputType: string,
  names: FilterNames,
): NativeJson {
  const cast = key.kind === 'cast' && !key.safe ? names.column(key.operand) : undefined;
  if (cast !== undefined) return { type: 'default', dimension: cast, outputName, outputType };
  const [dimension, extractionFn] = [extractedColumn(key, names), extraction(key, names)];
  return dimension !== undefined && extractionFn
    ? { type: 'extraction', dimension, outputName, outputType, extractionFn }
    : { type: 'default', dimension: names.columnFor(key), outputName, outputType };
}

function extractedColumn(key: Expression, names: FilterNames): string | undefined {
  const [first] = key.kind === 'call' ? key.args : [];
  const isText = first && !names.resolve(first).type.multiValue;
  return isText ? names.column(first) : undefined;
}

function extraction(key: Expression, names: FilterNames): NativeJson | undefined {
  if (key.kind !== 'call') return undefined;
  const [, second, third] = key.args.map((part) => names.resolve(part).constant);
  switch (key.name) {
    case 'SUBSTRING':
    case 'SUBSTR':
      if (typeof second !== 'bigint' || second < 1n) return undefined;
      if (third !== undefined && typeof third !== 'bigint') return undefined;
      return {
        type: 'substring',
        index: Number(second) - 1,
        length: third === undefined ? null : Number(third),
      };
    case 'LOOKUP':
      if (typeof second !== 'string') return undefined;
      return {
        type: 'registeredLookup',
        lookup: second,
        optimize: false,
        ...(typeof third === 'string' && { replaceMissingValueWith: third }),
      };
    case 'REGEXP_EXTRACT':
      if (typeof second !== 'string') return undefined;
      return {
        type: 'regex',
        expr: second,
        index: Number(third ?? 0),
        replaceMissingValue: true,
        replaceMissingValueWith: null,
      };
    default:
      return undefined;
  }
}
