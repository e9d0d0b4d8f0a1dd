// Extraction functions (docs/querying/dimensionspecs.md) as expressions.
import { type Granularity, parseGranularity } from '../../model/granularity.ts';
import { InvalidTime } from '../../model/instant.ts';
import { eternity } from '../../model/interval.ts';
import { formatPeriod } from '../../model/period.ts';
import type { Expression, Literal } from '../ast.ts';
import type { Scope } from '../expressions/typed.ts';
import { checkLimit } from '../limits.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { fitsText } from '../runtime/java-format.ts';
import { checkPattern } from '../runtime/joda-pattern.ts';
import { isFractional, isText } from '../types.ts';
import { callTo, castAs, literalOf } from './expressions.ts';
import {
  asText,
  cannotRun,
  has,
  isNode,
  javaClasses,
  kindOf,
  listIn,
  malformed,
  NOWHERE,
  type Node,
  nodeOf,
  notSupported,
  numberOr,
  textIn,
  textOr,
  truthOr,
  wholeOr,
} from './members.ts';
import { searchCondition } from './search-query.ts';

/**
 * The expression of an extraction function (parsed JSON) applied to `value`. Numbers are read as
 * text, times as milliseconds.
 * Throws SqlError for a function that is malformed, unknown or not available.
 */
export function extract(given: unknown, value: Expression, scope: Scope): Expression {
  const node = nodeOf(given, 'extractionFn');
  return kindOf(functions, node, 'ExtractionFn')(node, value, scope);
}

/**
 * Whether each value has a result of its own: an identity, a lookup that is declared so, or several
 * of these (Druid: ExtractionFn.ExtractionType).
 */
export function isInjective(given: unknown): boolean {
  const node = nodeOf(given, 'extractionFn');
  if (node.type === 'identity') return true;
  if (node.type === 'cascade') {
    const steps = listIn(node, 'extractionFns', (each) => each);
    return steps.length > 0 && steps.every(isInjective);
  }
  if (node.type !== 'lookup' && node.type !== 'registeredLookup') return false;
  const { lookup } = node;
  const isOneToOne = typeof lookup === 'object' && lookup !== null && 'isOneToOne' in lookup;
  return truthOr(node, 'injective', isOneToOne && lookup.isOneToOne === true);
}

type Extraction = (node: Node, value: Expression, scope: Scope) => Expression;

const functions: Readonly<Record<string, Extraction>> = {
  identity: (_, value) => value,
  upper: (_, value, scope) => callTo('UPPER', text(value, scope)),
  lower: (_, value, scope) => callTo('LOWER', text(value, scope)),
  strlen: (_, value, scope) => castAs(callTo('CHAR_LENGTH', text(value, scope)), 'VARCHAR'),
  substring(node, value, scope) {
    const length = wholeOr(node, 'length', undefined);
    if (length !== undefined && length <= 0) throw malformed('length must be strictly positive');
    const index = wholeOr(node, 'index', 0);
    if (index < 0) return callTo('before_text', text(value, scope), literalOf(index));
    return callTo(
      'SUBSTRING',
      text(value, scope),
      literalOf(index + 1),
      ...(length === undefined ? [] : [literalOf(length)]),
    );
  },
  regex(node, value, scope) {
    const otherwise = truthOr(node, 'replaceMissingValue', false) ? [replacement(node)] : [];
    return callTo(
      'regex_or_else',
      text(value, scope),
      literalOf(textIn(node, 'expr')),
      literalOf(wholeOr(node, 'index', 1)),
      ...otherwise,
    );
  },
  partial: (node, value, scope) =>
    callTo('matching_only', text(value, scope), literalOf(textIn(node, 'expr'))),
  searchQuery(node, value, scope) {
    const subject = text(value, scope);
    return onlyIf(searchCondition(subject, nodeOf(node.query, 'query')), subject);
  },
  timeFormat(node, value, scope) {
    const isMillis = truthOr(node, 'asMillis', false);
    const { type } = resolveExpression(value, scope);
    const millis = isText(type)
      ? callTo('millis_or_fail', value, literalOf(isMillis ? 1 : 0))
      : isFractional(type)
        ? callTo('no_time', value)
        : castAs(value, 'BIGINT');
    const time = floor(node, millis);
    const lacking = ['timeZone', 'locale'].find((key) => has(node, key));
    if (isMillis && !has(node, 'format') && lacking)
      throw malformed(`[${lacking}] of [timeFormat] requires a format`);
    if (isMillis && !has(node, 'format')) return castAs(time, 'VARCHAR');
    const zone = literalOf(textOr(node, 'timeZone', 'UTC'));
    const locale = textOr(node, 'locale', undefined);
    const format = textOr(node, 'format', undefined);
    if (format !== undefined) {
      patternIn(node, 'format');
      return locale === undefined || /^en\b/.test(locale)
        ? callTo('TIME_FORMAT', callTo('MILLIS_TO_TIMESTAMP', time), literalOf(format), zone)
        : callTo('format_in_locale', time, literalOf(format), zone, literalOf(locale));
    }
    // The default format prints Z if the zone has no offset.
    const usual = callTo(
      'TIME_FORMAT',
      callTo('MILLIS_TO_TIMESTAMP', time),
      literalOf("yyyy-MM-dd'T'HH:mm:ss.SSSZZ"),
      zone,
    );
    return callTo('REPLACE', usual, literalOf('+00:00'), literalOf('Z'));
  },
  time: (node, value, scope) =>
    callTo(
      'time_or_itself',
      text(value, scope),
      literalOf(patternIn(node, 'timeFormat')),
      literalOf(patternIn(node, 'resultFormat')),
    ),
  registeredLookup(node, value, scope) {
    // The lookup is only resolved when the query runs.
    if (isTwofold(node)) throw cannotRun(twofold);
    const subject = text(value, scope);
    const name = literalOf(textIn(node, 'lookup'));
    if (truthOr(node, 'retainMissingValue', false))
      return callTo('lookup_or_itself', subject, name);
    return orElse(callTo('LOOKUP', subject, name), replacement(node));
  },
  lookup(node, value, scope) {
    const { type } = nodeOf(node.lookup, 'lookup');
    if (type !== 'map')
      throw malformed(
        `[lookup] of [lookup] must be of type [map], not [${String(type)}]`,
        'typeId',
      );
    if (isTwofold(node)) throw malformed(twofold);
    const subject = text(value, scope);
    const { map } = nodeOf(node.lookup, 'lookup');
    const pairs = Object.entries(nodeOf(map, 'map')).flatMap(([key, to]) => [
      literalOf(key),
      to === null ? nullText : literalOf(asText(to)),
    ]);
    const isRetained = literalOf(truthOr(node, 'retainMissingValue', false) ? 1 : 0);
    const otherwise = has(node, 'replaceMissingValueWith') ? replacement(node) : nullText;
    return callTo('mapped_text', subject, isRetained, otherwise, ...pairs);
  },
  cascade(node, value, scope) {
    const steps = listIn(node, 'extractionFns', (each) => each);
    checkLimit('cascadedFunctions', functionsIn(node));
    if (repeatsIn(node) > mostRepeats)
      throw notSupported(
        `A [cascade] holds at most [${mostRepeats}] functions of the types [${[...repeating].join(', ')}]`,
      );
    if (steps.length === 0) return castAs(literalOf(null), 'VARCHAR');
    return steps.reduce<Expression>((inner, each) => extract(each, inner, scope), value);
  },
  stringFormat(node, value, scope) {
    const handling = textOr(node, 'nullHandling', 'nullString').toLowerCase();
    if (!['nullstring', 'emptystring', 'returnnull'].includes(handling))
      throw malformed(`Unknown nullHandling [${handling}] of [stringFormat]`);
    if (textIn(node, 'format') === '') throw malformed('format string should not be empty');
    const format = textOr(node, 'format', '%s');
    if (!fitsText(format)) throw cannotRun(`The format [${format}] does not take one text`);
    const subject = text(value, scope);
    const filled =
      handling === 'returnnull'
        ? subject
        : orElse(subject, literalOf(handling === 'emptystring' ? '' : 'null'));
    const formatted = callTo('STRING_FORMAT', literalOf(format), filled);
    return handling === 'returnnull'
      ? onlyIf(
          { kind: 'is', operand: subject, what: 'NULL', negated: true, at: NOWHERE },
          formatted,
        )
      : formatted;
  },
  bucket(node, value, scope) {
    const { type } = resolveExpression(value, scope);
    // A truth is not a number here.
    const isNumber: Expression = {
      kind: 'unary',
      operator: 'NOT',
      operand: callTo('REGEXP_LIKE', value, literalOf('^(?i)(true|false)$')),
      at: NOWHERE,
    };
    const number = isText(type) ? onlyIf(isNumber, value) : value;
    const size = numberOr(node, 'size', 1);
    const offset = numberOr(node, 'offset', 0);
    return callTo(
      'bucket_text',
      castAs(number, 'DOUBLE'),
      castAs(literalOf(size), 'DOUBLE'),
      castAs(literalOf(offset), 'DOUBLE'),
    );
  },
  javascript() {
    throw cannotRun('JavaScript is disabled', javaClasses.javaState);
  },
};

function patternIn(node: Node, key: string): string {
  const pattern = textIn(node, key);
  if (pattern === '') throw malformed('Invalid pattern specification');
  checkPattern(pattern);
  return pattern;
}

// Functions whose expression uses the value more than once.
const repeating: ReadonlySet<string> = new Set([
  'searchQuery',
  'lookup',
  'registeredLookup',
  'stringFormat',
]);
const mostRepeats = 8;

function functionsIn(node: Node): number {
  if (node.type !== 'cascade') return 1;
  const inner = listIn(node, 'extractionFns', (each) => nodeOf(each, 'extractionFn'));
  return inner.reduce((count, each) => count + functionsIn(each), 0);
}

function repeatsIn(node: Node): number {
  const own = repeating.has(String(node.type)) ? 1 : 0;
  return node.type === 'cascade'
    ? listIn(node, 'extractionFns', (each) => repeatsIn(nodeOf(each, 'extractionFn'))).reduce(
        (a, b) => a + b,
        0,
      )
    : own;
}

const twofold = 'Cannot specify a [replaceMissingValueWith] and set [retainMissingValue] to true';
const isTwofold = (node: Node): boolean =>
  truthOr(node, 'retainMissingValue', false) && textOr(node, 'replaceMissingValueWith', '') !== '';

const orElse = (value: Expression, otherwise: Expression): Expression =>
  callTo('COALESCE', value, otherwise);

const onlyIf = (condition: Expression, value: Expression): Expression => ({
  kind: 'case',
  whens: [{ when: condition, then: value }],
  at: NOWHERE,
});

const nullText = castAs(literalOf(null), 'VARCHAR');

const replacement = (node: Node): Literal =>
  literalOf(textOr(node, 'replaceMissingValueWith', null));

// A time in milliseconds, rounded down to the granularity.
function floor(node: Node, time: Expression): Expression {
  if (!has(node, 'granularity')) return time;
  const granularity = readGranularity(node.granularity);
  switch (granularity.type) {
    case 'none':
      return time;
    case 'all':
      return literalOf(BigInt(eternity.start));
    case 'duration':
      return callTo(
        'floor_to_duration',
        time,
        literalOf(granularity.durationMs),
        literalOf(granularity.origin),
      );
    case 'period': {
      const { period, timeZone, origin } = granularity;
      const start =
        origin === undefined
          ? literalOf(null)
          : callTo('MILLIS_TO_TIMESTAMP', literalOf(BigInt(origin)));
      const cut = callTo(
        'TIME_FLOOR',
        callTo('MILLIS_TO_TIMESTAMP', time),
        literalOf(formatPeriod(period)),
        start,
        literalOf(timeZone.id),
      );
      return callTo('TIMESTAMP_TO_MILLIS', cut);
    }
  }
}

const isOfTime = (given: unknown) =>
  isNode(given) && (given.type === 'duration' || given.type === 'period');

function readGranularity(given: unknown): Granularity {
  try {
    return parseGranularity(given);
  } catch (error) {
    if (error instanceof InvalidTime)
      throw malformed(
        `Invalid [granularity] of [timeFormat]: ${error.message}`,
        typeof given === 'string' || isOfTime(given) ? 'construction' : 'mismatch',
      );
    throw error;
  }
}

function text(value: Expression, scope: Scope): Expression {
  const { type } = resolveExpression(value, scope);
  if (isText(type)) return value;
  if (type.name === 'OTHER') return castAs(literalOf(null), 'VARCHAR'); // it has no text
  return type.name === 'FLOAT' ? callTo('float_text', value) : castAs(value, 'VARCHAR');
}
