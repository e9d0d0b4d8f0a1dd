// Functions of text. Positions and lengths count UTF-16 units, as Java does.

import { quoted } from '../duckdb-text.ts';
import { concatenation } from '../operators.ts';
import type { Typed } from '../typed.ts';
import { bigint, boolean, integer, type SqlType, varchar } from '../types.ts';
import { asText, character, druidFunction, literalText, type ScalarFunction, standardFunction, wholeNumber } from './scalar-function.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

const ofText = (duckdb: (x: string) => string, fold: (x: string) => string): ScalarFunction =>
  standardFunction([character], varchar, ([x = '']) => duckdb(x), { fold: ([x]) => (isText(x) ? fold(x) : undefined) });

const length: ScalarFunction = standardFunction([asText], integer, ([x]) => `druid_length(${x})`, {
  fold: ([x]) => (isText(x) ? BigInt(x.length) : undefined),
});

// Both arguments become text; null when either is.
const joined = (_: readonly string[], { args, at, environment }: Parameters<ScalarFunction['duckdb']>[1]): string => {
  const [first, ...rest] = args;
  return first ? rest.reduce<Typed>((left, right) => concatenation(left, right, at, environment.timeZone), first).sql : '';
};

const substring: ScalarFunction = standardFunction(
  [asText, wholeNumber, wholeNumber],
  (args): SqlType => (args[0]?.type.name === 'CHAR' ? args[0].type : varchar),
  ([x, start, size = '(-1)']) => `druid_substring(${x}, greatest(${start} - 1, 0), ${size})`,
  {
    optional: 1,
    fold: ([x, start, size = -1n], { args: [text] }) => {
      if (!isText(x) || typeof start !== 'bigint' || typeof size !== 'bigint' || text?.type.name !== 'CHAR') return undefined;
      const from = Number(start > 0n ? start - 1n : 0n);
      const part = x.slice(from, size < 0n ? undefined : from + Number(size));
      return part.padEnd(text.type.precision ?? 0); // a CHAR(n) constant is filled up with blanks
    },
  },
);

const padding = (side: 'left' | 'right'): ScalarFunction =>
  druidFunction([asText, wholeNumber, character], varchar, ([x, size, fill = "' '"]) => `druid_pad(${x}, ${size}, ${fill}, '${side}')`, {
    optional: 1,
  });

const trimming = (duckdb: 'trim' | 'ltrim' | 'rtrim'): ScalarFunction =>
  druidFunction([asText, character], varchar, ([x, characters = "' '"]) => `${duckdb}(${x}, coalesce(${characters}, ' '))`, {
    optional: 1,
  });

export const textFunctions: Record<string, ScalarFunction> = {
  CONCAT: standardFunction([asText], varchar, joined, { variadic: true }),
  TEXTCAT: druidFunction([asText, asText], varchar, joined),
  LENGTH: length,
  CHAR_LENGTH: length,
  CHARACTER_LENGTH: length,
  STRLEN: length,
  LOWER: ofText(
    (x) => `lower(${x})`,
    (x) => x.toLowerCase(),
  ),
  UPPER: ofText(
    (x) => `upper(${x})`,
    (x) => x.toUpperCase(),
  ),
  LEFT: druidFunction([asText, wholeNumber], varchar, ([x, size]) => `druid_left(${x}, ${size})`),
  RIGHT: druidFunction([asText, wholeNumber], varchar, ([x, size]) => `druid_right(${x}, ${size})`),
  SUBSTRING: substring,
  SUBSTR: substring,
  LPAD: padding('left'),
  RPAD: padding('right'),
  BTRIM: trimming('trim'),
  LTRIM: trimming('ltrim'),
  RTRIM: trimming('rtrim'),
  REPEAT: druidFunction([asText, wholeNumber], varchar, ([x, times]) => `druid_repeat(${x}, ${times})`),
  REVERSE: druidFunction([character], varchar, ([x]) => `reverse(${x})`),
  REPLACE: standardFunction([asText, asText, asText], varchar, ([x, from, to]) => `replace(${x}, ${from}, ${to})`),
  STRPOS: druidFunction([asText, character], integer, ([x, part]) => `druid_position(${x}, ${part})`),
  CONTAINS_STRING: druidFunction([asText, literalText], boolean, ([x, part]) => `contains(${x}, ${part})`),
  ICONTAINS_STRING: druidFunction(
    [asText, literalText],
    boolean,
    ([x], { args }) => `contains(lower(${x}), ${quoted(String(args[1]?.constant).toLowerCase())})`,
  ),
  PARSE_LONG: druidFunction([character, wholeNumber], bigint, ([x, radix = '10::BIGINT']) => `druid_parse_long(${x}, ${radix})`, {
    optional: 1,
  }),
};
