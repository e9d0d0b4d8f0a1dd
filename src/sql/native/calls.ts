// Native functions as the SQL that means the same (docs/querying/math-expr.md, docs/querying/sql-scalar.md).
import type { Cast, Expression, Position } from '../ast.ts';
import { nativeMathFunctions } from '../functions/native-math.ts';
import { sqlTypeOfNative } from '../types.ts';
import { invalidNative } from './tokenize.ts';

export interface NativeCall {
  readonly text: string; // the whole expression, for messages
  readonly name: string;
  readonly nameAt: Position;
  readonly args: readonly Expression[];
  readonly at: Position;
}

/** @throws SqlError when there is no such function, or its arguments cannot be */
export function callOf(native: NativeCall): Expression {
  const key = native.name.toLowerCase();
  const form = Object.hasOwn(FORMS, key) ? FORMS[key] : undefined;
  if (form !== undefined) {
    return form(native);
  }
  // SQL has its names in capitals: those in small letters are out of its reach.
  const own = Object.hasOwn(nativeMathFunctions, key) ? key : undefined;
  const name = Object.hasOwn(RENAMED, key) ? RENAMED[key] : SAME.has(key) ? native.name.toUpperCase() : own;
  if (name === undefined) {
    throw invalidNative(native.text, native.nameAt, `function '${native.name}' is not defined.`);
  }
  return sql(native, name, native.args);
}

/** `[1, 2]`, `<LONG>[1, 2]` and `ARRAY<LONG>[1, 2]`; an empty one must say its type. @throws SqlError */
export function typedArray(items: readonly Expression[], element: string | undefined, at: Position, text: string): Expression {
  if (element === undefined) {
    return { kind: 'array', items, at };
  }
  if (items.length === 0) {
    // SQL has no empty array to write: nothing is left of an array of one item.
    const one: Expression = { kind: 'array', items: [castTo(literalNull(at), element, at, text)], at };
    return { kind: 'call', name: 'ARRAY_SLICE', nameAt: at, args: [one, integer(0, at), integer(0, at)], at };
  }
  return { kind: 'array', items: items.map((item) => castTo(item, element, at, text)), at };
}

const sql = ({ nameAt, at }: NativeCall, name: string, args: readonly Expression[]): Expression => ({
  kind: 'call',
  name,
  nameAt,
  args,
  at,
});

const integer = (value: number, at: Position): Expression => ({ kind: 'literal', type: 'integer', text: String(value), at });

const literalNull = (at: Position): Expression => ({ kind: 'literal', type: 'null', text: 'NULL', at });

function castTo(operand: Expression, native: string, at: Position, text: string): Cast {
  const name = native.toUpperCase();
  const array = /^ARRAY<(.*)>$/.exec(name)?.[1];
  const scalar = SQL_NAMES[array ?? name];
  if (scalar !== undefined) {
    return { kind: 'cast', operand, safe: false, type: { name: scalar, array: array !== undefined, native: false, at }, at };
  }
  if (sqlTypeOfNative(native) === undefined) {
    throw invalidNative(text, at, `[${native}] is no type; STRING, LONG, DOUBLE, FLOAT, ARRAY<...> and COMPLEX<...> are`);
  }
  return { kind: 'cast', operand, safe: false, type: { name: native, array: false, native: true, at }, at };
}

const SQL_NAMES: Readonly<Record<string, string>> = { STRING: 'VARCHAR', LONG: 'BIGINT', DOUBLE: 'DOUBLE', FLOAT: 'FLOAT' };

// Times are numbers of milliseconds in the native language.
const asLong = (operand: Expression): Expression => ({
  kind: 'cast',
  operand,
  safe: false,
  type: { name: 'BIGINT', array: false, native: false, at: operand.at },
  at: operand.at,
});

const asTime = (native: NativeCall, value: Expression): Expression => sql(native, 'MILLIS_TO_TIMESTAMP', [asLong(value)]);

const asMillis = (native: NativeCall, time: Expression): Expression => sql(native, 'TIMESTAMP_TO_MILLIS', [time]);

function argumentsOf(native: NativeCall, least: number, most = least): readonly Expression[] {
  const { args, text, nameAt, name } = native;
  if (args.length < least || args.length > most) {
    const wanted = least === most ? `[${least}]` : `[${least}] to [${most}]`;
    throw invalidNative(text, nameAt, `Function[${name}] requires ${wanted} arguments, but has [${args.length}]`);
  }
  return args;
}

const at = (args: readonly Expression[], index: number): Expression => {
  const arg = args[index];
  if (arg === undefined) {
    throw new Error(`Argument [${index}] was counted`);
  }
  return arg;
};

function literalText(native: NativeCall, arg: Expression): string {
  if (arg.kind !== 'literal' || arg.type !== 'string') {
    throw invalidNative(native.text, arg.at, `Function[${native.name}] needs a STRING literal here`);
  }
  return arg.text;
}

const is =
  (what: 'NULL' | 'TRUE' | 'FALSE', negated: boolean) =>
  (native: NativeCall): Expression => ({
    kind: 'is',
    operand: at(argumentsOf(native, 1), 0),
    what,
    negated,
    at: native.at,
  });

const times =
  (name: string, most: number, toMillis: boolean) =>
  (native: NativeCall): Expression => {
    const [value, ...rest] = argumentsOf(native, 1, most);
    const time = sql(native, name, [asTime(native, value ?? literalNull(native.at)), ...rest]);
    return toMillis ? asMillis(native, time) : time;
  };

const parsedTime =
  (most: number) =>
  (native: NativeCall): Expression =>
    asMillis(native, sql(native, 'TIME_PARSE', argumentsOf(native, 1, most)));

const comparing =
  (operator: 'IS DISTINCT FROM' | 'IS NOT DISTINCT FROM') =>
  (native: NativeCall): Expression => {
    const args = argumentsOf(native, 2);
    return { kind: 'binary', operator, left: at(args, 0), right: at(args, 1), at: native.at };
  };

const FORMS: Readonly<Record<string, (native: NativeCall) => Expression>> = {
  if: (native) => {
    const args = argumentsOf(native, 3);
    return { kind: 'case', whens: [{ when: at(args, 0), then: at(args, 1) }], otherwise: at(args, 2), at: native.at };
  },
  case_searched: (native) => cases(native, native.args, undefined),
  case_simple: (native) => cases(native, native.args.slice(1), native.args[0]),
  nvl: (native) => sql(native, 'COALESCE', argumentsOf(native, 2)),
  cast: (native) => {
    const args = argumentsOf(native, 2);
    return castTo(at(args, 0), literalText(native, at(args, 1)), native.at, native.text);
  },
  isnull: is('NULL', false),
  notnull: is('NULL', true),
  istrue: is('TRUE', false),
  isfalse: is('FALSE', false),
  isdistinctfrom: comparing('IS DISTINCT FROM'),
  notdistinctfrom: comparing('IS NOT DISTINCT FROM'),
  nottrue: is('TRUE', true),
  notfalse: is('FALSE', true),
  like: (native) => {
    const [operand, pattern, escaped] = argumentsOf(native, 2, 3);
    const text = operand ?? literalNull(native.at);
    const wanted = pattern ?? literalNull(native.at);
    return {
      kind: 'like',
      operator: 'LIKE',
      operand: text,
      pattern: wanted,
      ...(escaped === undefined ? {} : { escape: escaped }),
      negated: false,
      at: native.at,
    };
  },
  // 0-based, and a negative length means: to the end.
  substring: (native) => {
    const [text, index, length] = argumentsOf(native, 3);
    const start: Expression = {
      kind: 'binary',
      operator: '+',
      left: index ?? literalNull(native.at),
      right: integer(1, native.at),
      at: native.at,
    };
    const open = length?.kind === 'unary' && length.operator === '-';
    return sql(native, 'SUBSTRING', [text ?? literalNull(native.at), start, ...(open || length === undefined ? [] : [length])]);
  },
  // 0-based, -1 for not found.
  strpos: (native) => {
    const args = argumentsOf(native, 2, 3);
    const [text = literalNull(native.at), part = literalNull(native.at), from] = args;
    const position =
      from === undefined
        ? sql(native, 'STRPOS', [text, part])
        : sql(native, 'POSITION', [part, text, { kind: 'binary', operator: '+', left: from, right: integer(1, native.at), at: native.at }]);
    return { kind: 'binary', operator: '-', left: position, right: integer(1, native.at), at: native.at };
  },
  array: (native) => ({ kind: 'array', items: native.args, at: native.at }),
  timestamp: parsedTime(2),
  timestamp_parse: parsedTime(3),
  unix_timestamp: (native) => ({
    kind: 'binary',
    operator: '/',
    left: parsedTime(2)(native),
    right: integer(1000, native.at),
    at: native.at,
  }),
  timestamp_floor: times('TIME_FLOOR', 4, true),
  timestamp_ceil: times('TIME_CEIL', 4, true),
  timestamp_shift: times('TIME_SHIFT', 4, true),
  timestamp_extract: times('TIME_EXTRACT', 3, false),
  timestamp_format: times('TIME_FORMAT', 3, false),
  now: (native) =>
    asMillis(native, { kind: 'call', name: 'CURRENT_TIMESTAMP', nameAt: native.nameAt, args: [], bare: true, at: native.at }),
  pi: (native) => ({ kind: 'call', name: 'PI', nameAt: native.nameAt, args: [], bare: true, at: native.at }),
  json_value: (native) => {
    const [document = literalNull(native.at), path = literalNull(native.at), type] = argumentsOf(native, 2, 3);
    const returning = type === undefined ? undefined : castTo(document, literalText(native, type), native.at, native.text).type;
    const { nameAt, at: place } = native;
    return {
      kind: 'call',
      name: 'JSON_VALUE',
      nameAt,
      args: [document, path],
      ...(returning === undefined ? {} : { json: { returning } }),
      at: place,
    };
  },
};

// case_searched(c1, r1, c2, r2, else), case_simple(x, v1, r1, else).
function cases(native: NativeCall, parts: readonly Expression[], operand: Expression | undefined): Expression {
  if (parts.length < 2) {
    throw invalidNative(native.text, native.nameAt, `Function[${native.name}] must have at least one condition with its result`);
  }
  const pairs = Math.floor(parts.length / 2);
  const whens = Array.from({ length: pairs }, (_, index) => ({ when: at(parts, 2 * index), then: at(parts, 2 * index + 1) }));
  const otherwise = parts.length % 2 === 1 ? parts.at(-1) : undefined;
  return {
    kind: 'case',
    ...(operand === undefined ? {} : { operand }),
    whens,
    ...(otherwise === undefined ? {} : { otherwise }),
    at: native.at,
  };
}

const RENAMED: Readonly<Record<string, string>> = {
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
  human_readable_binary_byte_format: 'HUMAN_READABLE_BINARY_BYTE_FORMAT',
  complex_decode_base64: 'DECODE_BASE64_COMPLEX',
};

// Those whose SQL function has the same name and the same meaning.
const SAME: ReadonlySet<string> = new Set([
  ...[
    'abs',
    'acos',
    'asin',
    'atan',
    'atan2',
    'cbrt',
    'ceil',
    'cos',
    'cot',
    'div',
    'exp',
    'floor',
    'log10',
    'round',
    'safe_divide',
    'sin',
    'sqrt',
    'tan',
  ],
  ...[
    'coalesce',
    'greatest',
    'least',
    'concat',
    'lookup',
    'parse_long',
    'regexp_extract',
    'regexp_like',
    'regexp_replace',
    'contains_string',
  ],
  ...['icontains_string', 'replace', 'right', 'left', 'ltrim', 'rtrim', 'lower', 'upper', 'reverse', 'repeat', 'lpad', 'rpad'],
  ...['decode_base64_utf8', 'human_readable_decimal_byte_format', 'human_readable_decimal_format', 'bloom_filter_test'],
  ...['ipv4_match', 'ipv4_parse', 'ipv4_stringify', 'ipv6_match', 'array_length', 'array_offset', 'array_ordinal', 'array_contains'],
  ...[
    'array_overlap',
    'scalar_in_array',
    'array_offset_of',
    'array_ordinal_of',
    'array_prepend',
    'array_append',
    'array_concat',
    'array_slice',
  ],
  ...['array_to_string', 'string_to_array', 'array_to_mv', 'mv_to_array', 'json_query', 'json_query_array', 'json_object', 'parse_json'],
  ...['try_parse_json', 'to_json_string', 'json_keys', 'json_paths', 'json_merge', 'hyper_unique_estimate'],
]);
