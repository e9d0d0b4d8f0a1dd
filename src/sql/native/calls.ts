// Native functions as equivalent SQL calls (docs/querying/math-expr.md,
// docs/querying/sql-scalar.md).

import { InvalidTime, parseInstant } from '../../model/instant.ts';
import type { Expression, Position } from '../ast.ts';
import { scalarFunctionTable } from '../functions/functions.ts';
import { nativeArrayFunctions } from '../functions/native-arrays.ts';
import { nativeMathFunctions } from '../functions/native-math.ts';
import { specialFunctionTable } from '../functions/special.ts';
import { applicationNames } from './applications.ts';
import { binary, callTo, castAs, literalOf } from './expressions.ts';
import { malformed, NOWHERE } from './members.ts';
import { ownForms } from './own-forms.ts';
import { invalidNative } from './tokenize.ts';

interface CallForm {
  readonly least: number;
  readonly most: number;
  readonly texts?: number; // how many of the first arguments are converted to text
  readonly form: (args: readonly Expression[]) => Expression;
}

/** Throws SqlError for an unknown function or a wrong number of arguments. */
export function checkCall(
  text: string,
  name: string,
  written: string,
  count: number,
  at: Position,
): void {
  if (applicationNames.has(name))
    throw invalidNative(text, at, `Function[${written}] needs a lambda as its first argument`);
  if (refused.has(name))
    throw invalidNative(
      text,
      at,
      `Function[${written}] is not supported here: a sketch is not a value of a row; aggregate with [hyperUnique]`,
    );
  const arity = arityOf(name);
  if (arity === undefined) throw invalidNative(text, at, `function '${written}' is not defined.`);
  if (count >= arity.least && count <= arity.most) return;
  const { least, most } = arity;
  const wanted =
    least === most
      ? `[${least}]`
      : most === Number.POSITIVE_INFINITY
        ? `at least [${least}]`
        : `[${least}] to [${most}]`;
  throw invalidNative(
    text,
    at,
    `Function[${written}] requires ${wanted} arguments, but has [${count}]`,
  );
}

function arityOf(name: string): Omit<CallForm, 'form'> | undefined {
  if (Object.hasOwn(ownForms, name)) return ownForms[name];
  if (Object.hasOwn(forms, name)) return forms[name];
  if (Object.hasOwn(counted, name)) return counted[name];
  // SQL checks the number itself
  return sqlNameOf(name) === undefined ? undefined : { least: 0, most: Number.POSITIVE_INFINITY };
}

// Functions whose number of arguments differs from SQL.
const counted: Readonly<Record<string, Omit<CallForm, 'form'>>> = {
  lpad: { least: 3, most: 3 },
  rpad: { least: 3, most: 3 },
  json_query: { least: 2, most: 2 },
};

/** A call as SQL. The arguments are already SQL. */
export function callOf(name: string, args: readonly Expression[]): Expression {
  return Object.hasOwn(forms, name)
    ? (forms[name] as CallForm).form(args)
    : callTo(sqlNameOf(name) ?? name, ...args);
}

/**
 * How many of the first arguments of a function are converted to text, if its SQL function does not
 * convert them itself.
 */
export const textsOf = (name: string): number =>
  Object.hasOwn(forms, name) ? (forms[name]?.texts ?? 0) : 0;

/**
 * The SQL function for a native name. Functions that exist only in native expressions keep their
 * name in small letters.
 */
export function sqlNameOf(name: string): string | undefined {
  if (Object.hasOwn(nativeMathFunctions, name) || Object.hasOwn(nativeArrayFunctions, name))
    return name;
  return Object.hasOwn(renamed, name)
    ? renamed[name]
    : same.has(name)
      ? name.toUpperCase()
      : undefined;
}

// Functions that change one sketch with each row.
const refused: ReadonlySet<string> = new Set(['hyper_unique', 'hyper_unique_add']);

const one = literalOf(1);
const nothing = literalOf(null);

// In the native language, times are numbers of milliseconds.
const asTime = (value: Expression = nothing): Expression =>
  callTo('MILLIS_TO_TIMESTAMP', castAs(value, 'BIGINT'));
const asMillis = (time: Expression): Expression => callTo('TIMESTAMP_TO_MILLIS', time);

const of = (least: number, most: number, form: CallForm['form']): CallForm => ({
  least,
  most,
  form,
});
const ofTexts = (texts: number, least: number, most: number, form: CallForm['form']): CallForm => ({
  least,
  most,
  texts,
  form,
});

const ofTime = (name: string, least: number, most: number, isTime: boolean): CallForm =>
  of(least, most, ([value, ...rest]) => {
    const called = callTo(name, asTime(value), ...rest);
    return isTime ? asMillis(called) : called;
  });

const bucketOf = (name: string): CallForm =>
  of(2, 4, ([value, period = nothing, origin, zone]) =>
    asMillis(
      callTo(
        name,
        asTime(value),
        period,
        ...(origin ? [originOf(origin, zone)] : []),
        ...(zone ? [zone] : []),
      ),
    ),
  );

// An origin is a number of milliseconds, or a text in the zone of the buckets (Druid:
// ExprUtils.toPeriodGranularity).
function originOf(origin: Expression, zone: Expression | undefined): Expression {
  if (origin.kind !== 'literal' || origin.type === 'null') return nothing;
  if (origin.type !== 'string') return asTime(origin);
  try {
    parseInstant(origin.text);
  } catch (error) {
    throw error instanceof InvalidTime ? malformed(error.message) : error;
  }
  return callTo('TIME_PARSE', origin, nothing, ...(zone ? [zone] : []));
}

const parsedTime = ([text = nothing, pattern, ...zone]: readonly Expression[]): Expression =>
  asMillis(callTo('TIME_PARSE', text, ...(pattern ? [pattern] : []), ...zone));

const forms: Readonly<Record<string, CallForm>> = {
  // The index is 0-based. A negative length reads to the end of the text.
  substring: ofTexts(1, 3, 3, ([text = nothing, index = nothing, length = nothing]) =>
    callTo('SUBSTRING', text, binary('+', index, one), length),
  ),
  // 0-based, -1 for not found.
  strpos: ofTexts(2, 2, 3, ([text = nothing, part = nothing, from]) =>
    binary(
      '-',
      from === undefined
        ? callTo('STRPOS', text, part)
        : callTo('POSITION', part, text, binary('+', from, one)),
      one,
    ),
  ),
  concat: ofTexts(Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY, (args) =>
    args.length === 0 ? nothing : callTo('CONCAT', ...args),
  ),
  like: ofTexts(1, 2, 3, ([operand = nothing, pattern = nothing, mark]) => ({
    kind: 'like',
    operator: 'LIKE',
    operand,
    pattern,
    ...(mark && { escape: mark }),
    negated: false,
    at: NOWHERE,
  })),
  timestamp: ofTexts(1, 1, 2, parsedTime),
  timestamp_parse: ofTexts(1, 1, 3, parsedTime),
  unix_timestamp: ofTexts(1, 1, 2, (args) => binary('/', parsedTime(args), literalOf(1000))),
  timestamp_floor: bucketOf('TIME_FLOOR'),
  timestamp_ceil: bucketOf('TIME_CEIL'),
  timestamp_shift: ofTime('TIME_SHIFT', 3, 4, true),
  timestamp_extract: ofTime('TIME_EXTRACT', 2, 3, false),
  timestamp_format: of(1, 3, ([value, pattern = nothing, ...zone]) => {
    const isUsual = pattern.kind === 'literal' && pattern.type === 'null';
    const text = callTo(
      'TIME_FORMAT',
      asTime(value),
      isUsual ? literalOf("yyyy-MM-dd'T'HH:mm:ss.SSSZZ") : pattern,
      ...zone,
    );
    // The default pattern prints Z if the zone has no offset.
    return isUsual ? callTo('REPLACE', text, literalOf('+00:00'), literalOf('Z')) : text;
  }),
  // Always doubles, also of longs.
  ceil: of(1, 1, ([value = nothing]) => callTo('CEIL', castAs(value, 'DOUBLE'))),
  floor: of(1, 1, ([value = nothing]) => callTo('FLOOR', castAs(value, 'DOUBLE'))),
  pi: of(0, 0, () => ({ ...callTo('PI'), bare: true })),
  hyper_unique_round_estimate: of(1, 1, (args) =>
    castAs(callTo('ROUND', callTo('HYPER_UNIQUE_ESTIMATE', ...args)), 'BIGINT'),
  ),
};

const renamed: Readonly<Record<string, string>> = {
  format: 'STRING_FORMAT',
  strlen: 'CHAR_LENGTH',
  trim: 'BTRIM',
  log: 'LN',
  pow: 'POWER',
  todegrees: 'DEGREES',
  toradians: 'RADIANS',
  bitwiseand: 'BITWISE_AND',
  bitwisecomplement: 'BITWISE_COMPLEMENT',
  bitwiseconvertdoubletolongbits: 'BITWISE_CONVERT_DOUBLE_TO_LONG_BITS',
  bitwiseconvertlongbitstodouble: 'BITWISE_CONVERT_LONG_BITS_TO_DOUBLE',
  bitwiseor: 'BITWISE_OR',
  bitwiseshiftleft: 'BITWISE_SHIFT_LEFT',
  bitwiseshiftright: 'BITWISE_SHIFT_RIGHT',
  bitwisexor: 'BITWISE_XOR',
  complex_decode_base64: 'DECODE_BASE64_COMPLEX',
};

// Functions whose SQL function has the same name and meaning.
const same: ReadonlySet<string> = new Set([
  ...Object.entries({ ...scalarFunctionTable, ...specialFunctionTable }).flatMap(([name, row]) =>
    row.isNative ? [name.toLowerCase()] : [],
  ),
  'hyper_unique_estimate',
]);
