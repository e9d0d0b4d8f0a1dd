// Virtual columns (docs/querying/virtual-columns.md): their values over the rows of a scope.
import { type EngineVersion, lacksOf } from '../../model/engine-version.ts';
import type { Expression } from '../ast.ts';
import { bindOnce } from '../expressions/bind-once.ts';
import { constantOf } from '../expressions/casts.ts';
import { onlyValue } from '../expressions/multi-value.ts';
import type { Scope, Typed } from '../expressions/typed.ts';
import { jsonOf } from '../functions/json.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import {
  arrayOf,
  isJson,
  isNumeric,
  isText,
  nativeTypeOf,
  sqlTypeOfNative,
  varchar,
} from '../types.ts';
import { dimensionOf, listedCondition } from './dimensions.ts';
import { callTo, columnNamed, constantExpression, literalOf } from './expressions.ts';
import {
  asText,
  has,
  isNode,
  kindOf,
  listIn,
  malformed,
  NOWHERE,
  type Node,
  nodeOf,
  textIn,
  textOr,
  truthOr,
} from './members.ts';
import { columnsOf, type NativeExpression, partsOf } from './native-expression.ts';
import { bracketedText, convert, textOf } from './native-values.ts';
import { scalarJson } from './own-forms.ts';
import { parseNativeExpression } from './parse-expression.ts';
import { resolveNativeExpression } from './resolve.ts';

/** A scope that can tell whether a name is defined in it. */
export interface NamedScope extends Scope {
  has(name: string): boolean;
  /** Whether a name means a text column of segments. */
  isStoredText(name: string): boolean;
}

export const virtualColumnIn = {
  /**
   * The virtual columns (parsed JSON) by their names.
   * Throws SqlError for a type that the version lacks, for a missing or repeated name, and for a
   * column that needs itself.
   */
  byName(nodes: readonly Node[], version: EngineVersion): ReadonlyMap<string, Node> {
    const named = new Map<string, Node>();
    for (const node of nodes) {
      kindOf(kindsOf(version), node, 'VirtualColumn');
      const name = textIn(node, node.type === 'nested-field' ? 'outputName' : 'name');
      if (name === '') throw malformed('Empty or null virtualColumn name');
      if (name === '__time')
        throw malformed(`__time cannot be used as an output name for a virtual column`);
      if (named.has(name)) throw malformed(`Duplicate virtualColumn name [${name}]`);
      if (node.type === 'nested-field' && !has(node, 'pathParts')) checkPath(node);
      if (String(node.type).startsWith('mv-') && !isDimension(node.delegate))
        throw malformed(`[delegate] of [${String(node.type)}] must be a dimension`);
      if (node.type === 'expression') parseNativeExpression(textIn(node, 'expression'));
      named.set(name, node);
    }
    const checked = new Set<string>();
    for (const name of named.keys()) refuseCycles(name, named, new Set(), checked);
    return named;
  },
  /** The JSON that a scan shows, if it differs from the value: a field as it is in the document. */
  shownText(node: Node, scope: NamedScope): string | undefined {
    if (node.type !== 'nested-field' || isRawField(node)) return undefined;
    if (isOfDocument(node, scope))
      return bindOnce([fieldOf('JSON_QUERY', node, scope).sql], ([field = '']) =>
        shownField(field),
      );
    return has(node, 'expectedType') ? jsonOf(fieldOfOther(node, scope)) : undefined;
  },
  /** The value of a virtual column over the rows of a scope. Throws SqlError. */
  value: (node: Node, scope: NamedScope): Typed =>
    kindOf(kinds, node, 'VirtualColumn')(node, scope),
};

function checkPath(node: Node): void {
  const path = textIn(node, 'path');
  const [syntax, root] = isOfJq(node) ? ['jq path', '.'] : ['JSONPath', '$'];
  if (!path.startsWith(root)) throw malformed(`${syntax} [${path}] must start with [${root}]`);
}

const isDimension = (given: unknown): boolean => typeof given === 'string' || isNode(given);

// A column and the columns that it needs, directly or through others (Druid: VirtualColumns,
// detectCycles).
function refuseCycles(
  name: string,
  named: ReadonlyMap<string, Node>,
  above: ReadonlySet<string>,
  checked: Set<string>,
): void {
  if (above.has(name)) throw malformed(`Self-referential column[${name}]`);
  const node = named.get(name);
  if (!node || checked.has(name)) return;
  for (const needed of neededColumns(node))
    refuseCycles(needed, named, new Set([...above, name]), checked);
  checked.add(name);
}

function neededColumns(node: Node): Iterable<string> {
  if (node.type === 'expression')
    return columnsOf(parseNativeExpression(textIn(node, 'expression')));
  return node.type === 'nested-field' ? [textIn(node, 'columnName')] : [];
}

const kinds: Readonly<Record<string, (node: Node, scope: NamedScope) => Typed>> = {
  expression(node, scope) {
    const tree = parseNativeExpression(textIn(node, 'expression'));
    const resolved =
      tree.kind === 'name' && !has(node, 'outputType')
        ? scope.column([tree.name], tree.at)
        : resolveNativeExpression(tree, scope);
    const value = isOfDictionary(tree, resolved, scope)
      ? { ...resolved, isOfDictionary: true as const }
      : resolved;
    const text =
      value.type.name === 'ARRAY' && tree.kind !== 'name'
        ? { arrayText: bracketedText(value) }
        : {};
    if (!has(node, 'outputType')) return { ...value, ...text };
    // Another name of a column of numbers does not convert them.
    if (tree.kind === 'name' && isNumberType(textIn(node, 'outputType')) && isNumeric(value.type))
      return { ...value, computedType: nativeTypeOf(value.type) ?? 'DOUBLE' };
    const isTyped = value.variant === undefined || isNumeric(value.type);
    const computedType = isTyped ? nativeTypeOf(value.type) : null;
    const outputType = textIn(node, 'outputType');
    const declared = {
      ...asNative(value, outputType),
      ...(isTextOfArray(tree, outputType) && text),
    };
    if (computedType === null) return declared;
    const isOther = /^(DOUBLE|LONG)$/i.test(outputType) && isNumeric(value.type);
    return {
      ...declared,
      computedType,
      ...(isOther && { computedText: textOf(onlyValue(value)).sql }),
    };
  },
  'nested-field'(node, scope) {
    const isRaw = isRawField(node);
    const value =
      isRaw || isOfDocument(node, scope)
        ? fieldOf(isRaw ? 'JSON_QUERY' : 'JSON_VALUE', node, scope)
        : fieldOfOther(node, scope);
    return has(node, 'expectedType') && !isRaw && value.type.name !== 'ARRAY'
      ? convert(value, sqlTypeOfNative(textIn(node, 'expectedType')) ?? varchar)
      : value;
  },
  'mv-filtered'(node, scope) {
    const given = listIn(node, 'values', (value) => (value === null ? null : asText(value)));
    const isAllowList = truthOr(node, 'isAllowList', true);
    const of = delegateOf(node, scope);
    const call = isAllowList ? 'MV_FILTER_ONLY' : 'MV_FILTER_NONE';
    const value = resolveExpression(callTo(call, of, constantExpression(given)), scope);
    return { ...value, kept: { of, condition: listedCondition(given, isAllowList) } };
  },
  'mv-regex-filtered': (node, scope) =>
    resolveExpression(
      callTo('MV_FILTER_REGEX', delegateOf(node, scope), literalOf(textIn(node, 'pattern'))),
      scope,
    ),
  'mv-prefix-filtered': (node, scope) =>
    resolveExpression(
      callTo('MV_FILTER_PREFIX', delegateOf(node, scope), literalOf(textIn(node, 'prefix'))),
      scope,
    ),
  fallback(node, scope) {
    const columns = listIn(node, 'columns', (column) => dimensionOf(column, scope));
    const [first] = columns;
    if (!first) throw malformed('Must have at least one [columns] of [fallback]');
    return resolveExpression(
      columns.find(({ source }) => scope.has(source))?.expression ?? first.expression,
      scope,
    );
  },
};

function kindsOf(version: EngineVersion): typeof kinds {
  const lacked = lacksOf(version).virtualColumns;
  return Object.fromEntries(Object.entries(kinds).filter(([type]) => !lacked.has(type)));
}

// Declared numbers are read from the items of rows, but not from those of a constant.
const isTextOfArray = (tree: NativeExpression, native: string): boolean =>
  /^array/i.test(native) || (columnsOf(tree).size === 0 && native.toUpperCase() !== 'STRING');

const isNumberType = (native: string) => /^(LONG|DOUBLE|FLOAT)$/i.test(native);

const isRawField = (node: Node): boolean =>
  truthOr(node, 'processFromRaw', false) ||
  textOr(node, 'expectedType', '').toUpperCase() === 'COMPLEX<JSON>';

const fieldOf = (name: 'JSON_QUERY' | 'JSON_VALUE', node: Node, scope: NamedScope): Typed =>
  resolveExpression(
    callTo(name, columnNamed(textIn(node, 'columnName')), literalOf(pathOf(node))),
    scope,
  );

const isOfDocument = (node: Node, scope: NamedScope): boolean =>
  isJson(scope.column([textIn(node, 'columnName')], NOWHERE).type);

// A column without documents has items, if it has arrays, and no fields; its root is the column.
function fieldOfOther(node: Node, scope: NamedScope): Typed {
  const value = scope.column([textIn(node, 'columnName')], NOWHERE);
  const path = pathOf(node);
  if (path === '$') return value;
  const [, item] = /^\$\[(-?\d+)\]$/.exec(path) ?? [];
  return item !== undefined && value.type.name === 'ARRAY'
    ? resolveExpression(
        callTo('ARRAY_OFFSET', columnNamed(textIn(node, 'columnName')), literalOf(Number(item))),
        scope,
      )
    : constantOf(null, varchar, NOWHERE);
}

// The field of a document in a row of a scan: a scalar, or a list of scalars.
const shownField = (field: string): string =>
  `CASE WHEN json_type(${field}) = 'ARRAY' THEN CASE WHEN NOT list_has_any(json_type(${field}, '$[*]'), ['ARRAY', 'OBJECT']) THEN ${field} END ELSE ${scalarJson(field)} END`;

// The engine computes such an expression per entry of the column's dictionary (Druid:
// ExpressionPlanner, traits SINGLE_INPUT_SCALAR and SINGLE_INPUT_MAPPABLE).
function isOfDictionary(tree: NativeExpression, { type }: Typed, scope: NamedScope): boolean {
  const [column, ...others] = columnsOf(tree);
  return (
    column !== undefined &&
    others.length === 0 &&
    tree.kind !== 'name' &&
    type.name !== 'ARRAY' &&
    scope.isStoredText(column) &&
    !usesArrays(tree)
  );
}

const usesArrays = (tree: NativeExpression): boolean =>
  tree.kind === 'application' ||
  (tree.kind === 'call' && /^(array|mv|string_to|cartesian)(_|$)/.test(tree.name)) ||
  partsOf(tree).some(usesArrays);

const delegateOf = (node: Node, scope: Scope): Expression =>
  dimensionOf(node.delegate, scope).expression;

// Values are read in the declared type. The rows of a scan show them unchanged.
function asNative(value: Typed, native: string): Typed {
  const type = sqlTypeOfNative(native);
  if (type === undefined || type.name === 'OTHER') return value;
  const isList = value.type.multiValue === true;
  if (isText(type) && value.type.name === 'ARRAY') {
    const type = { ...(value.type.element ?? varchar), multiValue: true };
    return { ...convert(value, arrayOf(varchar)), variant: jsonOf({ ...value, type }) };
  }
  if (isList && (isText(type) || type.name === 'ARRAY')) return value;
  const shown =
    nativeTypeOf(value.type) === nativeTypeOf(type) && !isList
      ? value.variant
      : (value.variant ?? jsonOf(value));
  const read =
    isText(type) && value.type.name === 'OTHER'
      ? value.computedText === undefined
        ? constantOf(null, varchar, value.at)
        : { type: varchar, sql: value.computedText, at: value.at }
      : convert(onlyValue(value), type);
  return { ...read, ...(shown !== undefined && { variant: shown }) };
}

// A path as JSONPath. In jq, `.a[0]."b"` is the same path without the root.
function pathOf(node: Node): string {
  if (has(node, 'pathParts')) {
    const parts = listIn(node, 'pathParts', (part) => nodeOf(part, 'pathParts'));
    return `$${parts.map((part) => (part.type === 'arrayElement' ? `[${String(part.index)}]` : memberPath(asText(part.field)))).join('')}`;
  }
  const path = textIn(node, 'path');
  if (!isOfJq(node)) return path;
  const plain = path
    .replace(/\.?\[?"((?:[^"\\]|\\.)*)"\]?\??/g, (_, name: string) => memberPath(name))
    .replaceAll('?', '');
  return `$${plain === '.' ? '' : plain}`;
}

const isOfJq = (node: Node): boolean => truthOr(node, 'useJqSyntax', false);

const memberPath = (name: string) => `['${name.replaceAll("'", "\\'")}']`;
