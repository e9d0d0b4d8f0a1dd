// Extraction functions (docs/querying/dimensionspecs.md): what they make of a value, as an expression.
import type { Expression, Literal } from '../ast.ts';
import { resolveExpression } from '../resolve-expression.ts';
import type { Scope } from '../typed.ts';
import { isText } from '../types.ts';
import { callTo, castAs, literalOf } from './expressions.ts';
import {
  asText,
  has,
  kindOf,
  listIn,
  malformed,
  NOWHERE,
  type Node,
  nodeOf,
  notSupported,
  numberIn,
  textIn,
  textOr,
  truthOr,
  wholeOr,
} from './members.ts';
import { searchCondition } from './search-query.ts';

/**
 * The expression that an extraction function (parsed JSON) makes of another. Numbers are taken as text, times as milliseconds.
 * @throws SqlError for a function that is malformed, unknown or not available
 */
export function extracted(given: unknown, value: Expression, scope: Scope): Expression {
  const node = nodeOf(given, 'extractionFn');
  return kindOf(functions, node, 'ExtractionFn')(node, value, scope);
}

type Extraction = (node: Node, value: Expression, scope: Scope) => Expression;

const functions: Readonly<Record<string, Extraction>> = {
  identity: (_, value) => value,
  upper: (_, value, scope) => callTo('UPPER', text(value, scope)),
  lower: (_, value, scope) => callTo('LOWER', text(value, scope)),
  strlen: (_, value, scope) => castAs(callTo('CHAR_LENGTH', text(value, scope)), 'VARCHAR'),
  substring(node, value, scope) {
    const length = wholeOr(node, 'length', undefined);
    return callTo(
      'SUBSTRING',
      text(value, scope),
      literalOf(numberIn(node, 'index') + 1),
      ...(length === undefined ? [] : [literalOf(length)]),
    );
  },
  regex(node, value, scope) {
    const subject = text(value, scope);
    const found = callTo('REGEXP_EXTRACT', subject, literalOf(textIn(node, 'expr')), literalOf(wholeOr(node, 'index', 1)));
    return orElse(found, truthOr(node, 'replaceMissingValue', false) ? replacement(node) : subject);
  },
  partial(node, value, scope) {
    const subject = text(value, scope);
    return onlyIf(callTo('REGEXP_LIKE', subject, literalOf(textIn(node, 'expr'))), subject);
  },
  searchQuery(node, value, scope) {
    const subject = text(value, scope);
    return onlyIf(searchCondition(subject, nodeOf(node.query, 'query')), subject);
  },
  timeFormat(node, value) {
    const zone = literalOf(textOr(node, 'timeZone', 'UTC'));
    const time = callTo('MILLIS_TO_TIMESTAMP', castAs(value, 'BIGINT'));
    const floored = has(node, 'granularity') ? callTo('TIME_FLOOR', time, ...periodOf(node.granularity)) : time;
    if (truthOr(node, 'asMillis', false)) return castAs(callTo('TIMESTAMP_TO_MILLIS', floored), 'VARCHAR');
    if (has(node, 'format')) return callTo('TIME_FORMAT', floored, literalOf(textIn(node, 'format')), zone);
    // The usual format writes Z where the zone has no offset.
    return callTo(
      'REPLACE',
      callTo('TIME_FORMAT', floored, literalOf("yyyy-MM-dd'T'HH:mm:ss.SSSZZ"), zone),
      literalOf('+00:00'),
      literalOf('Z'),
    );
  },
  time(node, value, scope) {
    const subject = text(value, scope);
    const time = callTo('TIME_PARSE', subject, literalOf(textIn(node, 'timeFormat')));
    return orElse(callTo('TIME_FORMAT', time, literalOf(textIn(node, 'resultFormat'))), subject);
  },
  registeredLookup(node, value, scope) {
    const subject = text(value, scope);
    const found = callTo('LOOKUP', subject, literalOf(textIn(node, 'lookup')));
    return orElse(found, truthOr(node, 'retainMissingValue', false) ? subject : replacement(node));
  },
  lookup(node, value, scope) {
    const subject = text(value, scope);
    const { map } = nodeOf(node.lookup, 'lookup');
    const whens = Object.entries(nodeOf(map, 'map')).map(([key, to]) => ({
      when: literalOf(key),
      then: literalOf(to === null ? null : String(to)),
    }));
    const otherwise = truthOr(node, 'retainMissingValue', false) ? subject : replacement(node);
    return whens.length === 0 ? castAs(otherwise, 'VARCHAR') : { kind: 'case', operand: subject, whens, otherwise, at: NOWHERE };
  },
  cascade: (node, value, scope) =>
    listIn(node, 'extractionFns', (each) => each).reduce<Expression>((inner, each) => extracted(each, inner, scope), value),
  stringFormat(node, value, scope) {
    const handling = textOr(node, 'nullHandling', 'nullString').toLowerCase();
    const subject = text(value, scope);
    const filled = handling === 'returnnull' ? subject : orElse(subject, literalOf(handling === 'emptystring' ? '' : 'null'));
    const formatted = callTo('STRING_FORMAT', literalOf(textOr(node, 'format', '%s')), filled);
    return handling === 'returnnull'
      ? onlyIf({ kind: 'is', operand: subject, what: 'NULL', negated: true, at: NOWHERE }, formatted)
      : formatted;
  },
  bucket(node, value) {
    const size = has(node, 'size') ? numberIn(node, 'size') : 1;
    const offset = has(node, 'offset') ? numberIn(node, 'offset') : 0;
    const number = castAs(value, 'DOUBLE');
    const shifted = binary('/', binary('-', number, literalOf(offset)), castAs(literalOf(size), 'DOUBLE'));
    const start = binary('+', binary('*', callTo('FLOOR', shifted), literalOf(size)), literalOf(offset));
    return castAs(Number.isInteger(size) && Number.isInteger(offset) ? castAs(start, 'BIGINT') : start, 'VARCHAR');
  },
  javascript() {
    throw malformed('JavaScript is disabled');
  },
};

const binary = (operator: '+' | '-' | '*' | '/', left: Expression, right: Expression): Expression => ({
  kind: 'binary',
  operator,
  left,
  right,
  at: NOWHERE,
});

const orElse = (value: Expression, otherwise: Expression): Expression => callTo('COALESCE', value, otherwise);

const onlyIf = (condition: Expression, value: Expression): Expression => ({
  kind: 'case',
  whens: [{ when: condition, then: value }],
  at: NOWHERE,
});

const replacement = (node: Node): Literal => literalOf(textOr(node, 'replaceMissingValueWith', null));

/** A granularity as the period and zone of TIME_FLOOR. */
function periodOf(given: unknown): Literal[] {
  const node = typeof given === 'string' ? undefined : nodeOf(given, 'granularity');
  if (node?.type === 'period') return [literalOf(textIn(node, 'period')), literalOf(null), literalOf(textOr(node, 'timeZone', 'UTC'))];
  const period = node === undefined ? simplePeriods[String(given).toLowerCase()] : undefined;
  if (period === undefined)
    throw notSupported(`Granularity [${asText(node?.type ?? given)}] of a [timeFormat] is not supported: use a period`);
  return [literalOf(period)];
}

const simplePeriods: Readonly<Record<string, string>> = {
  second: 'PT1S',
  minute: 'PT1M',
  five_minute: 'PT5M',
  ten_minute: 'PT10M',
  fifteen_minute: 'PT15M',
  thirty_minute: 'PT30M',
  hour: 'PT1H',
  six_hour: 'PT6H',
  eight_hour: 'PT8H',
  day: 'P1D',
  week: 'P1W',
  month: 'P1M',
  quarter: 'P3M',
  year: 'P1Y',
};

const text = (value: Expression, scope: Scope): Expression =>
  isText(resolveExpression(value, scope).type) ? value : castAs(value, 'VARCHAR');
