// Functions of text. Positions and lengths count UTF-16 units, as in Java.

import { HllSketch } from '../../sketches/hll.ts';
import { QuantilesSketch } from '../../sketches/quantiles.ts';
import { InvalidSketch } from '../../sketches/sketch-error.ts';
import { readTheta } from '../../sketches/theta.ts';
import type { Expression } from '../ast.ts';
import { bindOnce } from '../expressions/bind-once.ts';
import { castTo } from '../expressions/casts.ts';
import { isList } from '../expressions/multi-value.ts';
import { concatenation } from '../expressions/operators.ts';
import { contains } from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';
import {
  groupSql,
  InvalidPattern,
  matchSql,
  readPattern,
  replaceSql,
} from '../regex/pattern-sql.ts';
import { containsInAnyCase } from '../runtime/letter-case.ts';
import { isPlainPadding } from '../runtime/padded-text.ts';
import { failedPlanning, failedQuery, invalidSql, SqlError } from '../sql-error.ts';
import {
  areComparable,
  arrayOf,
  bigint,
  boolean,
  complexType,
  integer,
  isFractional,
  isJson,
  isText as isLetters,
  isTime,
  multiValueVarchar,
  nullType,
  type SqlType,
  varchar,
} from '../types.ts';
import { isPlainAggregate } from './call-kinds.ts';
import { sameInNative } from './same-in-native.ts';
import {
  any,
  asText,
  character,
  druidFunction,
  literalText,
  type ParameterType,
  type ScalarCall,
  type ScalarFunction,
  standardFunction,
  typeOfFirst,
  wholeNumber,
} from './scalar-function.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

// A condition counts as the number 1 or 0.
const textOrNumber: ParameterType = {
  ...asText,
  convert: (arg, zone) =>
    isLetters(arg.type)
      ? arg
      : castTo(arg.type.name === 'BOOLEAN' ? castTo(arg, bigint, zone) : arg, varchar, zone),
};

const ofText = (duckdb: (x: string) => string, fold: (x: string) => string): ScalarFunction =>
  standardFunction([textOrNumber], typeOfFirst, ([x = '']) => duckdb(x), {
    fold: ([x]) => (isText(x) ? fold(x) : undefined),
  });

// The engine computes constants while it plans.
const sideOf = (side: 'left' | 'right'): ScalarFunction =>
  druidFunction([character, wholeNumber], varchar, ([x, size]) => `druid_${side}(${x}, ${size})`, {
    fold([x, size]) {
      if (isText(x) && typeof size === 'bigint' && size < 0n)
        throw failedPlanning(`Function[${side}] needs a positive integer as the second argument`);
      return undefined;
    },
  });

const length: ScalarFunction = standardFunction([asText], integer, ([x]) => `druid_length(${x})`, {
  fold: ([x]) => (isText(x) ? BigInt(x.length) : undefined),
});

// The arguments converted to text and concatenated; null if any is null.
const joinFunction = (
  _: readonly string[],
  { args, at, environment }: Parameters<ScalarFunction['duckdb']>[1],
): string => {
  const [first, ...rest] = args;
  if (!first) return '';
  const { timeZone } = environment;
  return rest.reduce<Typed>(
    (left, right) => concatenation(left, right, at, timeZone),
    castTo(first, varchar, timeZone),
  ).sql;
};

// Refuses neighbours that cannot be compared, unless all are arrays.
function refuseMixed({ args, at }: ScalarCall): void {
  const types = args.map(({ type }) => type);
  if (types.every(({ name }) => name === 'ARRAY')) return;
  const isPlain = types.every(({ name }) => name !== 'ARRAY' && name !== 'OTHER');
  const isEach = types.every((type, index) => areComparable(types[index - 1] ?? type, type));
  if (!isPlain || !isEach) throw invalidSql('Parameters must be of the same type', at);
}

const concat: ScalarFunction = standardFunction(
  [any],
  varchar,
  (texts, call) => {
    refuseMixed(call);
    // Times are shown as numbers.
    return joinFunction(texts, {
      ...call,
      args: call.args.map((arg) => (isTime(arg.type) ? { ...arg, type: bigint } : arg)),
    });
  },
  { variadic: true },
);

// The engine reads the low 32 bits of a written number.
const low32 = (written: bigint): bigint => BigInt.asIntN(32, written);

const substring: ScalarFunction = druidFunction(
  [character, wholeNumber, wholeNumber],
  (args): SqlType => (args[0]?.type.name === 'CHAR' ? args[0].type : varchar),
  ([x = '', start, size = '(-1)'], { args: [, from, length], call, environment }) => {
    // From 0
    const first = typeof from?.constant === 'bigint' ? low32(from.constant - 1n) : undefined;
    const limit = length ? length.constant : 0x7fff_ffffn;
    const most = typeof limit === 'bigint' ? low32(limit) : undefined;
    const index = first ?? `coalesce(druid_previous(${start}), 0)`;
    const count = (length && most) ?? `coalesce(${size}, 0)`;
    const cut = (text: string) => `druid_substring(${text}, ${index}, ${count})`;
    const isWritten = first !== undefined && most !== undefined;
    if (isWritten && most <= 0n && isExtraction(call.args[0]))
      environment.inPlanning(() => {
        throw failedPlanning('length must be strictly positive');
      });
    if (!isWritten || first < 0n || most <= 0n) return cut(x);
    // Texts of ASCII need no counting of units; a cut beyond the end is null.
    return bindOnce(
      [x],
      ([text = '']) =>
        `(CASE WHEN strlen(${text}) = length(${text}) THEN nullif(substr(${text}, ${first + 1n}, ${most}), '') ELSE ${cut(text)} END)`,
    );
  },
  {
    optional: 1,
    fold: ([x, ...written], { args: [text] }) => {
      const [start, size = -1n] = written;
      if (
        !isText(x) ||
        typeof start !== 'bigint' ||
        typeof size !== 'bigint' ||
        text?.type.name !== 'CHAR'
      )
        return undefined;
      const from = Number(low32(start - 1n));
      if (from < 0) return undefined;
      if (from >= x.length) return null;
      const most = low32(size);
      return x.slice(from, most < 0n ? undefined : from + Number(most));
    },
  },
);

// Text of a column, or of functions with which the engine reads a column, becomes such a function
// itself (Druid: SubstringDimExtractionFn).
function isExtraction(value: Expression | undefined): boolean {
  if (value?.kind === 'cast') return isExtraction(value.operand);
  if (value?.kind === 'call' && ['SUBSTRING', 'SUBSTR', 'LOOKUP'].includes(value.name))
    return isExtraction(value.args[0]);
  return value?.kind === 'identifier';
}

const padding = (side: 'left' | 'right'): ScalarFunction =>
  druidFunction(
    [character, wholeNumber, character],
    varchar,
    ([x = '', size, fill = "' '"], { args: [, length, characters] }) =>
      isPlainPadding(length?.constant, characters ? characters.constant : ' ')
        ? bindOnce([x], ([text]) => `druid_pad_${side}(${text}, ${size}::INTEGER, ${fill})`)
        : `druid_pad(${x}, ${size}, ${fill}::VARCHAR, '${side}')`,
    {
      optional: 1,
    },
  );

const trimming = (duckdb: 'trim' | 'ltrim' | 'rtrim'): ScalarFunction =>
  druidFunction(
    [character, character],
    varchar,
    ([x, characters = "' '"]) => `${duckdb}(${x}, coalesce(${characters}, ' '))`,
    {
      optional: 1,
    },
  );

const knownText = ({ args }: ScalarCall, index: number): string | undefined => {
  const value = args[index]?.constant;
  return typeof value === 'string' ? value : undefined;
};

// Until version 37, REGEXP_EXTRACT alone checked its pattern.
function withPattern(call: ScalarCall, read: (pattern: string, name: string) => string): string {
  const { name, environment } = call;
  const pattern = knownText(call, 1) ?? '';
  try {
    return read(pattern, name.toLowerCase());
  } catch (error) {
    if (!(error instanceof InvalidPattern) || environment.version >= 37) throw error;
    const { reason } = error;
    if (name === 'REGEXP_EXTRACT') throw new InvalidPattern(pattern, name, reason);
    environment.inPlanning(() => {
      throw failedPlanning(reason);
    });
    return 'NULL';
  }
}

const regexpExtract = druidFunction(
  [character, literalText, { ...wholeNumber, literal: 'written' }],
  varchar,
  ([x = '', , index = '0'], call) =>
    withPattern(call, (pattern, name) =>
      groupSql(x, pattern, String(call.args[2]?.constant ?? index), name),
    ),
  { optional: 1 },
);

const regexpReplace = druidFunction(
  [character, character, character],
  varchar,
  ([x = '', pattern, replacement], call) => {
    const asIs = `druid_regexp_replace(${x}, ${pattern}, ${replacement})`;
    if (knownText(call, 1) === undefined) return asIs;
    const by = knownText(call, 2);
    return withPattern(call, (known, name) => {
      if (by !== undefined) return replaceSql(x, known, by, name);
      readPattern(known, name);
      return asIs;
    });
  },
);

const regexpLike = druidFunction([character, literalText], boolean, ([x = ''], call) =>
  withPattern(call, (pattern, name) => matchSql(x, pattern, name)),
);

// A replacement that is not longer than the replaced text cannot lengthen the text.
function replaceKnown(
  x: string | undefined,
  from: string | undefined,
  to: string | undefined,
  part: Typed,
  by: Typed | undefined,
): string {
  const isShorter =
    typeof by?.constant === 'string' &&
    Buffer.byteLength(by.constant) <= Buffer.byteLength(String(part.constant));
  return `${isShorter ? 'replace' : 'druid_replace_text'}(${x}, ${from}, ${to})`;
}

// Arguments carry their type, because one list contains all of them. The engine prints the address
// of an array and an internal text of nested data; items and JSON are more useful.
function formatArgument(value: Typed): string {
  if (value.isOfDouble) return `('d' || ${castTo(value, varchar, 'UTC').sql})`;
  const { type, sql } = value;
  if (type.name === 'NULL') return 'NULL::VARCHAR';
  if (isJson(type)) return `('s' || (${sql})::VARCHAR)`;
  if (type.name === 'ARRAY')
    return `('s' || druid_items_text(${castTo(value, arrayOf(varchar), 'UTC').sql}))`;
  if (isLetters(type)) return `('s' || ${sql})`;
  return isFractional(type)
    ? `('d' || druid_double_to_text(${sql}))`
    : `('l' || (${sql})::BIGINT::VARCHAR)`;
}

const stringFormat = druidFunction(
  [
    character,
    {
      text: 'ANY',
      accepts: (type) =>
        asText.accepts(type) || type.name === 'NULL' || type.name === 'ARRAY' || isJson(type),
    },
  ],
  varchar,
  ([pattern], { args }) =>
    `druid_format(${pattern}, [${args.slice(1).map(formatArgument).join(', ')}]::VARCHAR[])`,
  { variadic: true, optional: 1 },
);

/** Finds texts in a lookup; a text that is not found may stay unchanged. */
const lookupOf = (isRetained: boolean) =>
  druidFunction(
    [{ ...character, whole: true }, literalText, literalText],
    ([key]) => (key && isList(key) ? multiValueVarchar : varchar),
    ([x = '', , replacement], { args: [key, lookupName], call, environment }) => {
      if (key?.type.name === 'NULL') throw invalidSql("Illegal use of 'NULL'", key.at);
      const name = String(lookupName?.constant);
      const relation = environment.lookup(name);
      if (relation === undefined) {
        environment.inPlanning(() => {
          throw failedQuery(`Lookup [${name}] not found`, 'org.apache.druid.java.util.common.ISE');
        });
        return 'NULL::VARCHAR';
      }
      const found = (value: string, given: string) => {
        const otherwise = isRetained ? given : replacement;
        return otherwise === undefined ? value : `coalesce(${value}, ${otherwise})`;
      };
      if (!key || !isList(key)) {
        // DuckDB computes windows and aggregates of constants only in the query of their rows. The
        // keys of a map are searched one by one.
        const [written] = call.args;
        const isOfRows = written !== undefined && contains(written, isOfManyRows);
        const value = isOfRows
          ? `map_extract_value((SELECT map(list(k), list(v)) FROM ${relation}), ${x})`
          : `(SELECT any_value(lookup.v) FROM ${relation} AS lookup WHERE lookup.k = ${x})`;
        return found(value, x);
      }
      // A lambda cannot contain a subquery: the values are joined with the lookup and collected in
      // order. A row without values is one missing key.
      const keys =
        replacement === undefined ? x : `CASE WHEN len(${x}) > 0 THEN ${x} ELSE [NULL] END`;
      const items = `(SELECT unnest(${keys}) AS k, generate_subscripts(${keys}, 1) AS i) AS item`;
      return `(SELECT list(${found('lookup.v', 'item.k')} ORDER BY item.i) FROM ${items} LEFT JOIN ${relation} AS lookup ON lookup.k = item.k)`;
    },
    { optional: 1, holdsQuery: true, form: '<expr>, <lookupName>, [<replaceMissingValueWith>]' },
  );

const isOfManyRows = (part: Expression): boolean =>
  part.kind === 'call' &&
  (part.over !== undefined || (isPlainAggregate(part) && !part.args.some(readsColumn)));

const readsColumn = (argument: Expression): boolean =>
  contains(argument, ({ kind }) => kind === 'identifier');

/** The extraction function of a lookup that keeps texts that it does not find. */
export const retainingLookup: ScalarFunction = lookupOf(true);

// Nested data is JSON text, and tuple sketches are lists. The bytes of the real engine are not
// supported for them.
function readableComplex([named]: readonly Typed[]): SqlType {
  const name = String(named?.constant);
  if (Object.hasOwn(readers, name)) return complexType(name);
  throw new SqlError(
    `Function[decode_base64_complex] reads values of the types [${Object.keys(readers).join(', ')}], but the first argument names [${name}]. Make sketches of their values, as with DS_TUPLE_DOUBLES, and read nested data with PARSE_JSON.`,
    { code: 'general' },
  );
}

// The functions that read the base64 of a type; some also validate it.
const readers: Readonly<Record<string, string>> = {
  hyperUnique: 'druid_decode_complex',
  bloom: 'druid_decode_complex',
  HLLSketch: 'druid_hll_read',
  thetaSketch: 'druid_theta_read',
  quantilesDoublesSketch: 'druid_doubles_read',
  arrayOfDoublesSketch: 'druid_tuple_read',
};

// An invalid sketch is refused during planning if its text is known.
function checkSketch(type: string, base64: string): void {
  const read = {
    HLLSketch: HllSketch.fromBytes,
    thetaSketch: readTheta,
    quantilesDoublesSketch: QuantilesSketch.fromBytes,
  }[type];
  try {
    read?.(Buffer.from(base64, 'base64'));
  } catch (error) {
    if (!(error instanceof InvalidSketch)) throw error;
    throw new SqlError(error.message, { code: 'general' });
  }
}

const trimFunctions = { BOTH: 'trim', LEADING: 'ltrim', TRAILING: 'rtrim' } as const;

const decodedComplex = sameInNative(
  druidFunction([literalText, character], readableComplex, ([, x], { args: [name, text] }) => {
    const type = String(name?.constant);
    if (typeof text?.constant === 'string') checkSketch(type, text.constant);
    return `${readers[type]}(${x})`;
  }),
);

export const textFunctions: Record<string, ScalarFunction> = {
  CONCAT: concat,
  TEXTCAT: druidFunction([character, character], varchar, joinFunction),
  LENGTH: length,
  CHAR_LENGTH: length,
  CHARACTER_LENGTH: length,
  STRLEN: length,
  LOWER: sameInNative(
    ofText(
      (x) => `druid_lower(${x})`,
      (x) => x.toLowerCase(),
    ),
  ),
  UPPER: sameInNative(
    ofText(
      (x) => `druid_upper(${x})`,
      (x) => x.toUpperCase(),
    ),
  ),
  LEFT: sameInNative(sideOf('left')),
  RIGHT: sameInNative(sideOf('right')),
  SUBSTRING: substring,
  SUBSTR: substring,
  LPAD: sameInNative(padding('left')),
  RPAD: sameInNative(padding('right')),
  // The side is part of the syntax.
  TRIM: standardFunction(
    [asText, asText],
    (args) => (args[0]?.type.name === 'NULL' ? nullType : varchar),
    ([x, characters = "' '"], { call: { trim = 'BOTH' } }) =>
      `${trimFunctions[trim]}(${x}, ${characters})`,
    { optional: 1 },
  ),
  BTRIM: trimming('trim'),
  LTRIM: sameInNative(trimming('ltrim')),
  RTRIM: sameInNative(trimming('rtrim')),
  REPEAT: sameInNative(
    druidFunction(
      [character, wholeNumber],
      varchar,
      ([x, times]) => `druid_repeat(${x}, ${times})`,
    ),
  ),
  REVERSE: sameInNative(druidFunction([character], varchar, ([x]) => `druid_reverse(${x})`)),
  REPLACE: sameInNative(
    standardFunction([asText, asText, asText], varchar, ([x, from, to], { args: [, part, by] }) =>
      part?.constant ? replaceKnown(x, from, to, part, by) : `druid_replace(${x}, ${from}, ${to})`,
    ),
  ),
  STRPOS: druidFunction(
    [character, character],
    integer,
    ([x, part]) => `druid_position(${x}, ${part})`,
  ),
  CONTAINS_STRING: sameInNative(
    druidFunction([character, literalText], boolean, ([x, part]) => `contains(${x}, ${part})`),
  ),
  ICONTAINS_STRING: sameInNative(
    druidFunction([character, literalText], boolean, ([x = ''], { args }) =>
      containsInAnyCase(x, String(args[1]?.constant)),
    ),
  ),
  REGEXP_EXTRACT: sameInNative(regexpExtract),
  REGEXP_REPLACE: sameInNative(regexpReplace),
  REGEXP_LIKE: sameInNative(regexpLike),
  STRING_FORMAT: stringFormat,
  LOOKUP: sameInNative(lookupOf(false)),
  DECODE_BASE64_UTF8: sameInNative(
    druidFunction([character], varchar, ([x]) => `druid_decode_base64(${x})`),
  ),
  COMPLEX_DECODE_BASE64: decodedComplex,
  DECODE_BASE64_COMPLEX: decodedComplex,
  POSITION: standardFunction(
    [asText, asText, wholeNumber],
    integer,
    ([part, x, start]) =>
      start === undefined
        ? `druid_position(${x}, ${part})`
        : `druid_position_from(${x}, ${part}, ${start})`,
    { optional: 1 },
  ),
  PARSE_LONG: sameInNative(
    druidFunction(
      [character, wholeNumber],
      bigint,
      ([x, radix = '10::BIGINT']) => `druid_parse_long(${x}, ${radix})`,
      {
        optional: 1,
      },
    ),
  ),
};
