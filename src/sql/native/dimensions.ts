// Dimension specs (docs/querying/dimensionspecs.md): the value of a row, its name and its type.
import type { Expression } from '../ast.ts';
import { castTo, constantOf } from '../expressions/casts.ts';
import { isList, onlyValue } from '../expressions/multi-value.ts';
import { type KeptValues, type Scope, type Typed, withText } from '../expressions/typed.ts';
import { wholeMatchSql } from '../regex/pattern-sql.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { quote } from '../runtime/quoted.ts';
import {
  isNumeric,
  isText,
  multiValueVarchar,
  nativeTypeOf,
  type SqlType,
  sqlTypeOfNative,
  varchar,
} from '../types.ts';
import {
  callTo,
  castAs,
  columnNamed,
  computedTextOf,
  constantExpression,
  literalOf,
} from './expressions.ts';
import { extract, isInjective } from './extraction.ts';
import {
  asText,
  cannotRun,
  failingLate,
  has,
  javaClasses,
  listIn,
  malformed,
  NOWHERE,
  type Node,
  nodeOf,
  textIn,
  textOr,
  truthOr,
} from './members.ts';
import { exactNumberOfColumn, floatText } from './native-values.ts';

export interface Dimension {
  readonly source: string; // the column's own name
  readonly name: string; // in the result
  readonly outputType: string; // STRING, LONG, ...
  readonly expression: Expression;
  /**
   * For an injective extraction: the value that it extracts from, and how the result shows it. The
   * engine groups by that value, and extracts from the final rows only.
   */
  readonly injective?: {
    readonly of: Expression;
    shown(value: Expression, scope: Scope): Expression;
  };
  /**
   * For a filtered dimension: whether a value of the column is kept, as DuckDB text. topN leaves
   * out other values; groupBy replaces them by null.
   */
  readonly kept?: KeptValues;
  readonly isOfKept?: true; // the column itself leaves out the other values
}

/** A dimension spec: a name, or an object. Throws SqlError. */
export function dimensionOf(given: unknown, scope: Scope): Dimension {
  if (typeof given === 'string')
    return ofColumn(
      { source: given, name: given, outputType: 'STRING', expression: columnNamed(given) },
      scope,
    );
  const node = nodeOf(given, 'dimension');
  if (Array.isArray(node.type) && node.type.length === 0)
    throw malformed('[type] of a dimension must be a text', 'mismatch');
  if (typeof node.type === 'object' && node.type !== null) return plain({}); // nothing else is read
  const type = typeof node.type === 'string' ? node.type : 'default';
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  return ofColumn((kind ?? plain)(node, scope), scope); // an unknown type is read as plain
}

function ofColumn(dimension: Dimension, scope: Scope): Dimension {
  const { kept } = scope.column([dimension.source], NOWHERE);
  return kept ? { ...dimension, kept, isOfKept: true } : dimension;
}

/** Whether a list of values keeps a value: one of these, or any other. */
export function listedCondition(
  values: readonly (string | null)[],
  isAllowList: boolean,
): KeptValues['condition'] {
  const listed = `[${values.map((value) => (value === null ? 'NULL' : quote(value))).join(', ')}]::VARCHAR[]`;
  return (value) => {
    const isListed = `CASE WHEN ${value} IS NULL THEN ${values.includes(null)} ELSE coalesce(list_contains(${listed}, ${value}), false) END`;
    return isAllowList ? isListed : `NOT ${isListed}`;
  };
}

/**
 * The value of a dimension for grouping, in its output type. It is a list if a row may have several
 * values. Only groupBy reads a computed array as a text.
 * Throws SqlError.
 */
export function dimensionValue(
  { expression, outputType }: Dimension,
  scope: Scope,
  isGroupBy = false,
): Typed {
  const given = resolveExpression(expression, scope);
  // A row for which several numbers are computed has no value.
  const value = isList(given) && isNumeric(given.type) ? onlyValue(given) : given;
  const { timeZone } = scope.environment;
  const type = sqlTypeOfNative(outputType) ?? varchar;
  if (isText(type) && isGroupBy && value.arrayText !== undefined)
    return { ...withText(value, value.arrayText), type: varchar };
  if (value.type.name === 'ARRAY' || value.type.name === 'OTHER') {
    if (outputType.startsWith('COMPLEX')) return value;
    if (type.name === 'ARRAY')
      return value.type.name === 'ARRAY' ? castTo(value, type, timeZone) : value;
    // An array that is declared as a text is a multi-value string.
    if (isText(type) && value.arrayText === undefined && value.variant !== undefined)
      return { ...withText(value, value.sql), type: multiValueVarchar };
    if (value.computedText !== undefined && isText(type))
      return { ...withText(value, value.computedText), type: varchar };
    if (value.computedText !== undefined && isNumeric(type)) return constantOf(null, type, NOWHERE);
    // Other complex values have no text form.
    if (isText(type) && value.type.name === 'OTHER')
      return { ...withText(value, 'NULL::VARCHAR'), type: varchar };
    throw cannotGroup(value.type);
  }
  if (type.name === 'ARRAY')
    throw cannotRun(
      `Cannot group by a value of type [${value.type.name}] as [${outputType}]`,
      javaClasses.state,
    );
  // A number that is declared as one of another type keeps its text.
  if (value.computedText !== undefined && isText(type))
    return { ...withText(value, value.computedText), type: varchar };
  if (value.type.name === 'FLOAT' && isText(type)) return floatText(value);
  return isText(value.type) && !isList(value) && isNumeric(type)
    ? exactNumberOfColumn(value, type)
    : castTo(value, type, timeZone);
}

/** The refusal of a dimension of arrays or other complex values. */
export const cannotGroup = (type: SqlType) =>
  cannotRun(
    `Cannot create query type helper from invalid type [${nativeTypeOf(type)}]`,
    javaClasses.argument,
  );

const kinds: Readonly<Record<string, (node: Node, scope: Scope) => Dimension>> = {
  default: plain,
  extraction(node, scope) {
    textIn(node, 'dimension');
    const dimension = plain(node);
    const given = node.extractionFn ?? node.dimExtractionFn; // the older name
    const expression = extract(given, extractedFrom(dimension, scope), scope);
    return extractedDimension(given, dimension, expression, scope);
  },
  lookup(node, scope) {
    textIn(node, 'dimension');
    const dimension = { ...plain(node), name: textIn(node, 'outputName') };
    const resolved = (lookup: object) => extract(lookup, extractedFrom(dimension, scope), scope);
    const given = has(node, 'lookup')
      ? { ...node, type: 'lookup', extractionFn: undefined }
      : { ...node, type: 'registeredLookup', lookup: textIn(node, 'name') };
    const expression = has(node, 'lookup') ? resolved(given) : failingLate(() => resolved(given));
    return extractedDimension(given, dimension, expression, scope);
  },
  listFiltered(node, scope) {
    const values = listIn(node, 'values', (value) => (value === null ? null : asText(value)));
    if (values.length === 0) throw malformed('values list must be non-empty');
    const isWhitelist = truthOr(node, 'isWhitelist', truthOr(node, 'isAllowList', true));
    return delegateOf(
      node,
      scope,
      (value) =>
        callTo(
          isWhitelist ? 'MV_FILTER_ONLY' : 'MV_FILTER_NONE',
          value,
          constantExpression(values),
        ),
      listedCondition(values, isWhitelist),
    );
  },
  regexFiltered(node, scope) {
    const pattern = textIn(node, 'pattern');
    return delegateOf(
      node,
      scope,
      (value) => callTo('MV_FILTER_REGEX', value, literalOf(pattern)),
      (value) => `coalesce(${wholeMatchSql(value, pattern, 'regexFiltered')}, false)`,
    );
  },
  prefixFiltered(node, scope) {
    const prefix = textIn(node, 'prefix');
    return delegateOf(
      node,
      scope,
      (value) => callTo('MV_FILTER_PREFIX', value, literalOf(prefix)),
      (value) => `coalesce(starts_with(${value}, ${quote(prefix)}), false)`,
    );
  },
};

// Functions extract from the text of a computed number and from the items of a computed array, but
// not from the text of another name of a column.
function extractedFrom({ source, expression }: Dimension, scope: Scope): Expression {
  const value = scope.column([source], NOWHERE);
  if (value.computedText !== undefined) return computedTextOf(source);
  if (value.isRepeatable) return expression;
  if (value.type.name === 'ARRAY') return callTo('ARRAY_TO_MV', expression);
  const isNumber = value.computedType !== undefined && isNumeric(value.type);
  return isNumber ? castAs(expression, 'VARCHAR') : expression;
}

const extractedLast = (given: unknown, { expression }: Dimension): Pick<Dimension, 'injective'> =>
  isInjective(given)
    ? { injective: { of: expression, shown: (value, scope) => extract(given, value, scope) } }
    : {};

/**
 * The dimension by which groups are made: that of an injective extraction is its own text, without
 * a filter around it.
 */
export function groupedDimension(dimension: Dimension): Dimension {
  const { injective, kept, ...plainly } = dimension;
  if (!injective) return dimension;
  const outputType = dimension.outputType.startsWith('ARRAY') ? dimension.outputType : 'STRING';
  return {
    ...plainly,
    injective,
    outputType,
    expression: injective.of,
    ...(dimension.isOfKept && kept && { kept }),
  };
}

// The engine forgets the extraction of an item that it unnests or filters, except the injective one
// of final rows, and that of an expression that it computes per entry of a dictionary (Druid:
// ExpressionSelectors.makeDimensionSelector, UnnestColumnValueSelectorCursor).
function extractedDimension(
  given: unknown,
  dimension: Dimension,
  expression: Expression,
  scope: Scope,
): Dimension {
  const { isOfDictionary, isUnnested, kept } = scope.column([dimension.source], NOWHERE);
  const isForgotten = isUnnested || kept || (isOfDictionary && !isInjective(given));
  return {
    ...dimension,
    ...extractedLast(given, dimension),
    ...(!isForgotten && { expression }),
  };
}

/** The dimension spec inside a filtered one; any other spec unchanged. */
export function withoutFilter(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || !('type' in given) || !('delegate' in given))
    return given;
  return filteredKinds.has(given.type) ? withoutFilter(given.delegate) : given;
}

const filteredKinds: ReadonlySet<unknown> = new Set([
  'listFiltered',
  'regexFiltered',
  'prefixFiltered',
]);

function plain(node: Node): Dimension {
  const source = textOr(node, 'dimension', '');
  return {
    source,
    name: textOr(node, 'outputName', source),
    outputType: textOr(node, 'outputType', 'STRING').toUpperCase(),
    expression: columnNamed(source),
  };
}

function delegateOf(
  node: Node,
  scope: Scope,
  change: (value: Expression) => Expression,
  condition: (value: string) => string,
): Dimension {
  const dimension = dimensionOf(node.delegate, scope);
  const { isUnnested, kept } = scope.column([dimension.source], NOWHERE);
  if (isUnnested || kept) return dimension; // as extractions
  const { type } = resolveExpression(dimension.expression, scope);
  const of = isText(type) ? dimension.expression : castAs(dimension.expression, 'VARCHAR');
  return { ...dimension, expression: change(of), kept: { of, condition } };
}
