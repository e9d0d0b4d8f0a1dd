// Random SQL statements over the datasource of `oddRows`: every function, most arguments of a
// fitting type, some of none that fits.
import { findAggregate } from '../../src/sql/functions/aggregates.ts';
import { findFunction } from '../../src/sql/functions/functions.ts';

type Kind = 'text' | 'long' | 'double' | 'boolean' | 'time' | 'texts' | 'longs' | 'json' | 'sketch';

const kinds: readonly Kind[] = [
  'text',
  'long',
  'double',
  'boolean',
  'time',
  'texts',
  'longs',
  'json',
  'sketch',
];

/** The statement that makes the datasource `odd`: each type, nulls, empty and extreme values. */
export const oddRows = `REPLACE INTO odd OVERWRITE ALL
SELECT TIME_PARSE(t) AS __time, s, n, d, f, ARRAY_TO_MV(tags) AS mv, tags AS words, nums, j, s AS "select", n AS "a b" FROM TABLE(EXTERN('${JSON.stringify(
  {
    type: 'inline',
    data: [
      {
        t: '2015-09-12T00:46:58.771Z',
        s: 'alpha',
        n: 1,
        d: 1.5,
        f: 0.5,
        tags: ['a', 'b'],
        nums: [1, 2, null],
        j: { x: 1, y: ['p', { z: null }] },
      },
      {
        t: '2015-09-12T01:00:00Z',
        s: '',
        n: -9007199254740991,
        d: -1e300,
        f: 1e30,
        tags: [],
        nums: [],
        j: [1, 'two', null],
      },
      {
        t: '2016-02-29T23:59:59.999Z',
        s: null,
        n: null,
        d: null,
        f: null,
        tags: null,
        nums: null,
        j: null,
      },
      {
        t: '1969-12-31T23:59:59Z',
        s: '2015-09-12',
        n: 0,
        d: 0,
        f: 0,
        tags: ['a', null],
        nums: [0],
        j: 'text',
      },
      {
        t: '2024-03-10T07:30:00Z',
        s: "it''s 😀",
        n: 2147483648,
        d: 1e-9,
        f: -3.25,
        tags: ['b'],
        nums: [7, 7],
        j: { x: 'b', '1': 2.5 },
      },
      {
        t: '2024-03-10T07:30:00Z',
        s: '42',
        n: 100,
        d: 42,
        f: 42,
        tags: ['42', 'x,y'],
        nums: [42],
        j: 7,
      },
    ]
      .map((row) => JSON.stringify(row))
      .join('\n'),
  },
)}', '{"type":"json"}')) EXTEND (t VARCHAR, s VARCHAR, n BIGINT, d DOUBLE, f FLOAT, tags VARCHAR ARRAY, nums BIGINT ARRAY, j TYPE('COMPLEX<json>'))
PARTITIONED BY ALL`;

const columns: Readonly<Record<Kind, readonly string[]>> = {
  text: ['s', 's', 'mv', '"select"'],
  long: ['n', '"a b"'],
  double: ['d', 'f'],
  boolean: ['(n > 0)'],
  time: ['__time'],
  texts: ['words'],
  longs: ['nums'],
  json: ['j'],
  sketch: ['j'],
};

const literals: Readonly<Record<Kind, readonly string[]>> = {
  text: [
    "''",
    "'a'",
    "'a b'",
    "'42'",
    "'-1.5'",
    "'NaN'",
    "'2015-09-12'",
    "'2015-09-12T01:02:03Z'",
    "'PT1H'",
    "'P1M'",
    "'$.x'",
    "'UTC'",
    "'%'",
    "'[a'",
    "'😀'",
    "','",
    "'1.2.3.4'",
    "'10.0.0.0/8'",
    "'day'",
  ],
  long: [
    '0',
    '1',
    '-1',
    '2',
    '3',
    '63',
    '64',
    '1000',
    '2147483648',
    '9223372036854775807',
    '-9223372036854775808',
    '1442018818771',
    '99999999999999999',
  ],
  double: ['0.0', '1.5', '-2.5', '1e10', '1e300', '-1e-300', '3.0', '0.1'],
  boolean: ['TRUE', 'FALSE', '(1 = 1)'],
  time: [
    "TIMESTAMP '2015-09-12 00:00:00'",
    "TIMESTAMP '1970-01-01 00:00:00'",
    'CURRENT_TIMESTAMP',
    "DATE '2016-02-29'",
    'CURRENT_DATE',
  ],
  texts: ["ARRAY['a', 'b']", "ARRAY['']", 'ARRAY[NULL]'],
  longs: ['ARRAY[1, 2]', 'ARRAY[0]', 'ARRAY[1.5, 2]'],
  json: ['PARSE_JSON(\'{"x":[1,2,{"y":null}]}\')', "TRY_PARSE_JSON('{')", "JSON_OBJECT('a': 1)"],
  sketch: [
    'DS_HLL(n)',
    'DS_THETA(s)',
    'DS_QUANTILES_SKETCH(d)',
    'BLOOM_FILTER(s, 10)',
    'DS_TUPLE_DOUBLES(s, d)',
  ],
};

const units = [
  'SECOND',
  'MINUTE',
  'HOUR',
  'DAY',
  'WEEK',
  'MONTH',
  'QUARTER',
  'YEAR',
  'DOW',
  'DOY',
  'EPOCH',
  'ISOYEAR',
  'CENTURY',
  'DECADE',
  'MILLISECOND',
  'FOO',
];
const types = [
  'VARCHAR',
  'BIGINT',
  'DOUBLE',
  'FLOAT',
  'BOOLEAN',
  'TIMESTAMP',
  'DATE',
  'INTEGER',
  'DECIMAL(5, 2)',
  'CHAR(3)',
  'VARCHAR ARRAY',
  'BIGINT ARRAY',
  'REAL',
  'SMALLINT',
];
const zones = [
  "'UTC'",
  "'America/New_York'",
  "'-08:00'",
  "'+0530'",
  "'+05:30'",
  "'Z'",
  "'Etc/GMT+5'",
  "'GMT-3'",
  "'EST'",
  "'Nowhere/City'",
  "''",
  "'+25:00'",
  'NULL',
];
const periods = [
  "'PT1H'",
  "'P1D'",
  "'P1W'",
  "'P1M'",
  "'P3M'",
  "'P1Y'",
  "'PT45M'",
  "'P1M1D'",
  "'PT0S'",
  "'-P1D'",
  "'P'",
  "'p1d'",
  "'P1000Y'",
  "'PT0.001S'",
];

// What a function takes: kinds, or the texts to choose from. A `?` in front of a kind means that it
// may be missing.
type Taken = Kind | `?${Kind}` | readonly string[];

const functions: readonly (readonly [string, Kind, readonly Taken[]])[] = [
  ...'ABS CEIL FLOOR EXP LN LOG10 SQRT CBRT SIN COS TAN COT ASIN ACOS ATAN DEGREES RADIANS'
    .split(' ')
    .flatMap((name): [string, Kind, Taken[]][] => [
      [name, 'double', ['double']],
      [name, 'long', ['long']],
    ]),
  ...'ATAN2 POWER MOD DIV SAFE_DIVIDE BITWISE_AND BITWISE_OR BITWISE_XOR BITWISE_SHIFT_LEFT BITWISE_SHIFT_RIGHT GREATEST LEAST'
    .split(' ')
    .flatMap((name): [string, Kind, Taken[]][] => [
      [name, 'long', ['long', 'long']],
      [name, 'double', ['double', 'long']],
    ]),
  ['BITWISE_COMPLEMENT', 'long', ['long']],
  ['BITWISE_CONVERT_DOUBLE_TO_LONG_BITS', 'long', ['double']],
  ['BITWISE_CONVERT_LONG_BITS_TO_DOUBLE', 'double', ['long']],
  ['PI', 'double', []],
  ...'ROUND TRUNCATE TRUNC'.split(' ').flatMap((name): [string, Kind, Taken[]][] => [
    [name, 'double', ['double', '?long']],
    [name, 'long', ['long', '?long']],
  ]),
  ...'HUMAN_READABLE_BINARY_BYTE_FORMAT HUMAN_READABLE_DECIMAL_BYTE_FORMAT HUMAN_READABLE_DECIMAL_FORMAT'
    .split(' ')
    .map((name): [string, Kind, Taken[]] => [name, 'text', ['long', '?long']]),
  ['GREATEST', 'text', ['text', 'text', '?text']],
  ['CONCAT', 'text', ['text', '?text', '?long']],
  ['TEXTCAT', 'text', ['text', 'text']],
  ...'LENGTH CHAR_LENGTH STRLEN'
    .split(' ')
    .map((name): [string, Kind, Taken[]] => [name, 'long', ['text']]),
  ...'LOWER UPPER REVERSE BTRIM LTRIM RTRIM TRIM DECODE_BASE64_UTF8'
    .split(' ')
    .map((name): [string, Kind, Taken[]] => [name, 'text', ['text']]),
  ...'LEFT RIGHT REPEAT'
    .split(' ')
    .map((name): [string, Kind, Taken[]] => [
      name,
      'text',
      ['text', ['0', '1', '3', '-1', 'n', 'NULL']],
    ]),
  ...'SUBSTRING SUBSTR'
    .split(' ')
    .map((name): [string, Kind, Taken[]] => [name, 'text', ['text', 'long', '?long']]),
  ...'LPAD RPAD'
    .split(' ')
    .map((name): [string, Kind, Taken[]] => [
      name,
      'text',
      ['text', ['0', '5', '-1', 'n % 10', 'NULL'], '?text'],
    ]),
  ['REPLACE', 'text', ['text', 'text', 'text']],
  ['STRPOS', 'long', ['text', 'text']],
  ['CONTAINS_STRING', 'boolean', ['text', 'text']],
  ['ICONTAINS_STRING', 'boolean', ['text', 'text']],
  ['REGEXP_EXTRACT', 'text', ['text', ["'a'", "'(a)(b)?'", "'['", "'.'", 's', 'NULL'], '?long']],
  [
    'REGEXP_REPLACE',
    'text',
    ['text', ["'a'", "'(a)'", "'['", 's'], ["'x'", "'$1'", "'$9'", "'\\'", 's']],
  ],
  ['REGEXP_LIKE', 'boolean', ['text', ["'a'", "'[a-'", "'^$'", 's']]],
  [
    'STRING_FORMAT',
    'text',
    [["'%s'", "'%d'", "'%5.2f'", "'%'", "'%q'", 's', 'NULL'], '?text', '?long', '?double'],
  ],
  ['LOOKUP', 'text', ['text', ["'none'", 's'], '?text']],
  ['COMPLEX_DECODE_BASE64', 'sketch', [["'hyperUnique'", "'thetaSketch'", "'x'"], 'text']],
  ['DECODE_BASE64_COMPLEX', 'sketch', [["'hyperUnique'", "'thetaSketch'", "'x'"], 'text']],
  ['PARSE_LONG', 'long', ['text', '?long']],
  ['NVL', 'text', ['text', 'text']],
  ['NULLIF', 'long', ['long', 'long']],
  ['COALESCE', 'double', ['long', 'double', '?double']],
  [
    'TIME_FLOOR',
    'time',
    ['time', periods, ['NULL', "TIMESTAMP '2015-01-01 00:00:00'", '__time'], zones],
  ],
  ['TIME_FLOOR', 'time', ['time', periods]],
  ['TIME_CEIL', 'time', ['time', periods, ['NULL', "TIMESTAMP '2015-01-01 00:00:00'"], zones]],
  ['TIME_SHIFT', 'time', ['time', periods, 'long', zones]],
  ['TIME_SHIFT', 'time', ['time', periods, ['1', '-1', '5']]],
  ['TIME_EXTRACT', 'long', ['time', units.map((unit) => `'${unit}'`), zones]],
  [
    'TIME_PARSE',
    'time',
    ['text', ["'yyyy-MM-dd'", "'x'", 'NULL', "'yyyy''", "'MMM d, yyyy h:mm a'"], zones],
  ],
  ['TIME_PARSE', 'time', ['text']],
  [
    'TIME_FORMAT',
    'text',
    ['time', ["'yyyy-MM-dd HH:mm:ss z'", "'Q'", "''", "'ee YYYY ww D'", 'NULL'], zones],
  ],
  ['TIME_FORMAT', 'text', ['time']],
  [
    'TIME_IN_INTERVAL',
    'boolean',
    ['time', ["'2015-09-12/P1D'", "'2015/2016'", "'x'", "'2016/2015'", 's']],
  ],
  ['DATE_TRUNC', 'time', [units.map((unit) => `'${unit.toLowerCase()}'`), 'time']],
  ['MILLIS_TO_TIMESTAMP', 'time', ['long']],
  ['TIMESTAMP_TO_MILLIS', 'long', ['time']],
  ['TIMESTAMPADD', 'time', [units, 'long', 'time']],
  ['TIMESTAMPDIFF', 'long', [units, 'time', 'time']],
  ...['SECOND', 'YEAR', 'DAY'].map((unit): [string, Kind, Taken[]] => [unit, 'long', ['time']]),
  ...'APPEND PREPEND'.split(' ').flatMap((end): [string, Kind, Taken[]][] => [
    [`ARRAY_${end}`, 'texts', end === 'APPEND' ? ['texts', 'text'] : ['text', 'texts']],
    [`ARRAY_${end}`, 'longs', end === 'APPEND' ? ['longs', 'long'] : ['long', 'longs']],
    [`MV_${end}`, 'text', end === 'APPEND' ? ['text', 'text'] : ['text', 'text']],
  ]),
  ...(['texts', 'longs'] as const).flatMap((list): [string, Kind, Taken[]][] => [
    ['ARRAY_CONCAT', list, [list, list]],
    ['ARRAY_CONTAINS', 'boolean', [list, list]],
    ['ARRAY_OVERLAP', 'boolean', [list, list]],
    ['ARRAY_LENGTH', 'long', [list]],
    ['ARRAY_QUANTILE', 'double', [list, ['0.5', '0', '1', '2.5', '-1.0']]],
    ['ARRAY_OFFSET', 'text', [list, 'long']],
    ['ARRAY_ORDINAL', 'text', [list, 'long']],
    ['ARRAY_OFFSET_OF', 'long', [list, list === 'texts' ? 'text' : 'long']],
    ['ARRAY_ORDINAL_OF', 'long', [list, list === 'texts' ? 'text' : 'long']],
    ['ARRAY_SLICE', list, [list, 'long', '?long']],
    ['ARRAY_TO_STRING', 'text', [list, 'text']],
    ['ARRAY_TO_MV', 'text', [list]],
    ['SCALAR_IN_ARRAY', 'boolean', [list === 'texts' ? 'text' : 'long', list]],
  ]),
  ['STRING_TO_ARRAY', 'texts', ['text', ["','", "''", "'['", "'.'"]]],
  ['STRING_TO_MV', 'text', ['text', ["','", "''", "'.'"]]],
  ['MV_CONCAT', 'text', ['text', 'text']],
  ['MV_CONTAINS', 'boolean', ['text', 'texts']],
  ['MV_OVERLAP', 'boolean', ['text', 'texts']],
  ['MV_LENGTH', 'long', ['text']],
  ['MV_OFFSET', 'text', ['text', 'long']],
  ['MV_ORDINAL', 'text', ['text', 'long']],
  ['MV_OFFSET_OF', 'long', ['text', 'text']],
  ['MV_ORDINAL_OF', 'long', ['text', 'text']],
  ['MV_SLICE', 'text', ['text', 'long', '?long']],
  ['MV_TO_STRING', 'text', ['text', 'text']],
  ['MV_TO_ARRAY', 'texts', [['mv', 's', "'a'"]]],
  ['MV_FILTER_ONLY', 'text', ['text', 'texts']],
  ['MV_FILTER_NONE', 'text', ['text', 'texts']],
  ['MV_FILTER_REGEX', 'text', ['text', ["'a'", "'['"]]],
  ['MV_FILTER_PREFIX', 'text', ['text', 'text']],
  ['PARSE_JSON', 'json', ['text']],
  ['TRY_PARSE_JSON', 'json', ['text']],
  ['TO_JSON_STRING', 'text', ['json']],
  ['JSON_MERGE', 'json', ['json', 'json']],
  ['JSON_PATHS', 'texts', ['json']],
  ['JSON_KEYS', 'texts', ['json', ["'$'", "'$.x'", "'$['", 's']]],
  [
    'JSON_VALUE',
    'text',
    [
      'json',
      [
        "'$.x'",
        "'$.y[1].z'",
        "'$'",
        "'x'",
        "'$.x' RETURNING BIGINT",
        "'$.x' RETURNING DOUBLE",
        "'$.y' RETURNING VARCHAR ARRAY",
        "'$[-1]'",
      ],
    ],
  ],
  ['JSON_QUERY', 'json', ['json', ["'$.x'", "'$'", "'$.y[*]'"]]],
  ['JSON_QUERY_ARRAY', 'json', ['json', ["'$.y'", "'$'"]]],
  ['IPV4_PARSE', 'long', ['text']],
  ['IPV4_STRINGIFY', 'text', ['long']],
  ['IPV4_MATCH', 'boolean', ['text', ["'10.0.0.0/8'", "'x'", 's']]],
  ['IPV6_MATCH', 'boolean', ['text', ["'::/0'", "'x'"]]],
  ...'HLL_SKETCH_ESTIMATE HLL_SKETCH_ESTIMATE_WITH_ERROR_BOUNDS THETA_SKETCH_ESTIMATE THETA_SKETCH_ESTIMATE_WITH_ERROR_BOUNDS DS_TUPLE_DOUBLES_METRICS_SUM_ESTIMATE'
    .split(' ')
    .map((name): [string, Kind, Taken[]] => [name, 'double', ['sketch']]),
  ...'HLL_SKETCH_TO_STRING DS_QUANTILE_SUMMARY'
    .split(' ')
    .map((name): [string, Kind, Taken[]] => [name, 'text', ['sketch']]),
  ...'THETA_SKETCH_UNION THETA_SKETCH_INTERSECT THETA_SKETCH_NOT HLL_SKETCH_UNION DS_TUPLE_DOUBLES_UNION DS_TUPLE_DOUBLES_INTERSECT DS_TUPLE_DOUBLES_NOT'
    .split(' ')
    .map((name): [string, Kind, Taken[]] => [name, 'sketch', ['sketch', 'sketch']]),
  ['DS_GET_QUANTILE', 'double', ['sketch', ['0.5', '2', 'NULL']]],
  ['DS_GET_QUANTILES', 'longs', ['sketch', '?double', '?double']],
  ['DS_RANK', 'double', ['sketch', 'double']],
  ['DS_CDF', 'longs', ['sketch', 'double', '?double']],
  ['DS_HISTOGRAM', 'longs', ['sketch', 'double']],
  ['BLOOM_FILTER_TEST', 'boolean', ['text', "'AAAA'".split(' ')]],
];

const aggregates: readonly (readonly [string, Kind, readonly Taken[]])[] = [
  [
    'COUNT',
    'long',
    [['*', 's', 'DISTINCT n', 'DISTINCT mv', 'DISTINCT d', 'nums', 'DISTINCT words']],
  ],
  ...'SUM AVG MIN MAX VAR_POP VAR_SAMP STDDEV_POP STDDEV'
    .split(' ')
    .flatMap((name): [string, Kind, Taken[]][] => [
      [name, 'double', ['double']],
      [name, 'long', ['long']],
    ]),
  ['MAX', 'time', ['time']],
  ['APPROX_COUNT_DISTINCT', 'long', ['text']],
  ['APPROX_COUNT_DISTINCT_DS_HLL', 'long', ['text']],
  ['APPROX_COUNT_DISTINCT_DS_HLL_UTF8', 'long', ['text']],
  ['APPROX_COUNT_DISTINCT_DS_THETA', 'long', ['long']],
  ...'EARLIEST LATEST ANY_VALUE'.split(' ').flatMap((name): [string, Kind, Taken[]][] => [
    [name, 'text', ['text', ['10', '1024']]],
    [name, 'long', ['long']],
  ]),
  ...'EARLIEST_BY LATEST_BY'
    .split(' ')
    .map((name): [string, Kind, Taken[]] => [name, 'double', ['double', 'time']]),
  ['ARRAY_AGG', 'texts', ['text']],
  ['ARRAY_AGG', 'longs', ['long', '?long']],
  ['ARRAY_CONCAT_AGG', 'longs', ['longs']],
  ['STRING_AGG', 'text', ['text', ["','", "''"]]],
  ['LISTAGG', 'text', ['text', ["','"]]],
  ...'BIT_AND BIT_OR BIT_XOR'
    .split(' ')
    .map((name): [string, Kind, Taken[]] => [name, 'long', ['long']]),
  ['GROUPING', 'long', [['s', 'n', 's, n']]],
  ['DS_HLL', 'sketch', ['text']],
  ['DS_THETA', 'sketch', ['long']],
  ['DS_QUANTILES_SKETCH', 'sketch', ['double']],
  ['DS_TUPLE_DOUBLES', 'sketch', ['text', 'double']],
  ['BLOOM_FILTER', 'sketch', ['text', ['100', '-1', '0']]],
  ['APPROX_QUANTILE_DS', 'double', ['double', ['0.5', '2']]],
  ['APPROX_QUANTILE', 'double', ['double', ['0.5']]],
  ['APPROX_QUANTILE_FIXED_BUCKETS', 'double', ['double', ['0.5'], ['10'], ['0'], ['100']]],
];

const windows: readonly (readonly [string, Kind, readonly Taken[]])[] = [
  ...'ROW_NUMBER RANK DENSE_RANK PERCENT_RANK CUME_DIST'
    .split(' ')
    .map((name): [string, Kind, Taken[]] => [name, 'long', []]),
  ['NTILE', 'long', [['1', '4', '0', 'n']]],
  ...'LAG LEAD'
    .split(' ')
    .map((name): [string, Kind, Taken[]] => [name, 'text', ['text', '?long']]),
  ...'FIRST_VALUE LAST_VALUE'
    .split(' ')
    .map((name): [string, Kind, Taken[]] => [name, 'long', ['long']]),
  ['SUM', 'long', ['long']],
  ['COUNT', 'long', [['*', 's', 'n']]],
  ['MIN', 'double', ['double']],
  ['AVG', 'double', ['long']],
];

// Arguments at the edges of their types, and of none that fits. Numbers are computed so that the
// planner cannot refuse them as literals.
const edges: readonly string[] = [
  'NULL',
  "''",
  "'abc'",
  '0',
  '-1',
  '9223372036854775807',
  '-9223372036854775807 - 1',
  '4611686018427387904',
  '99999999999999999999',
  '1e308',
  '-1e308',
  '1e-320',
  "CAST('NaN' AS DOUBLE)",
  'd * 1e308 * 10',
  '(d - d) / (d - d)',
  '-n * 9223372036854775807',
  'd / 0',
  "TIMESTAMP '9999-12-31 23:59:59'",
  "TIMESTAMP '0001-01-01 00:00:00'",
  "TIMESTAMP '999999-01-01 00:00:00'",
  'MILLIS_TO_TIMESTAMP(9000000000000000000)',
  'MILLIS_TO_TIMESTAMP(n * 9000000000000000000)',
  "'P100000Y'",
  "'P1000000000Y'",
  "'PT9223372036854775807S'",
  'TRUE',
  'ARRAY[1, NULL]',
  "ARRAY['a', NULL]",
  'ARRAY[1e308, 0.5]',
  'j',
  'mv',
  'words',
  "REPEAT('////', 1000)",
  "'2015-09-12T00:00:00Z/P100000Y'",
];

/**
 * Each function with each edge as each of its arguments, the others being columns: over the rows,
 * and where it can be without them.
 */
export function* edgeStatements(): Generator<string> {
  const plain = (taken: Taken): string =>
    typeof taken === 'string' ? (columns[kindOf(taken)][0] ?? '') : (taken[0] ?? '');
  const known = (taken: Taken): string =>
    typeof taken === 'string' ? (literals[kindOf(taken)][1] ?? '') : (taken[0] ?? '');
  for (const [name, , taken] of [...functions, ...aggregates]) {
    for (const at of taken.keys()) {
      for (const edge of edges) {
        const call = (other: (taken: Taken) => string) =>
          `${name}(${taken.map((one, index) => (index === at ? edge : other(one))).join(', ')})`;
        yield `SELECT ${call(plain)} FROM odd`;
        if (functions.some(([other]) => other === name) && !/\b(d|n|j|mv|words)\b/.test(edge))
          yield `SELECT ${call(known)}`;
      }
    }
  }
}

const kindOf = (taken: string) => (taken.startsWith('?') ? taken.slice(1) : taken) as Kind;

/** Names of functions that no statement would call, which is a mistake of the tables above. */
export const uncalledFunctions = (names: readonly string[]): readonly string[] => {
  const called = new Set([...functions, ...aggregates, ...windows].map(([name]) => name));
  return names.filter(
    (name) =>
      !called.has(name) && (findFunction(name) !== undefined || findAggregate(name) !== undefined),
  );
};

/** Statements, the same ones for the same numbers. */
export class RandomStatements {
  readonly #random: () => number;
  constructor(random: () => number) {
    this.#random = random;
  }

  next(): string {
    const source = this.#among([
      'odd',
      'odd',
      'odd',
      '(SELECT * FROM odd LIMIT 4)',
      '(SELECT __time, s, n, d, f, mv, words, nums, j, "select", "a b" FROM odd WHERE n IS NOT NULL)',
    ]);
    const where = this.#chance(0.3) ? ` WHERE ${this.#condition(2)}` : '';
    const shape = this.#random();
    if (shape < 0.35) return this.#plain(source, where);
    if (shape < 0.75) return this.#grouped(source, where);
    if (shape < 0.85) return this.#windowed(source, where);
    if (shape < 0.9) return `SELECT ${this.#of(3)}`;
    return this.#nested(source, where);
  }

  #plain(source: string, where: string): string {
    const items = this.#some(2, () => this.#of(3));
    const order = this.#chance(0.2)
      ? ` ORDER BY ${this.#chance(0.5) ? '1' : this.#of(1)}${this.#chance(0.3) ? ' DESC' : ''}`
      : '';
    return `SELECT ${this.#chance(0.1) ? 'DISTINCT ' : ''}${items.join(', ')} FROM ${source}${where}${order}${this.#chance(0.3) ? ' LIMIT 3' : ''}`;
  }

  #grouped(source: string, where: string): string {
    const keys = this.#some(2, () => this.#of(2));
    const item = () =>
      this.#chance(0.6) ? this.#aggregate(2) : this.#over(this.#aggregate(1), this.#among(keys));
    const items = this.#some(2, item);
    const shown = keys.filter(() => this.#chance(0.8));
    const by = this.#chance(0.25) ? '' : ` GROUP BY ${this.#grouping(keys)}`;
    const having = this.#chance(0.2)
      ? ` HAVING ${this.#aggregate(1)} ${this.#among(['>', '=', '<>', 'IS NOT NULL AND 1 ='])} ${this.#literal()}`
      : '';
    const order = this.#chance(0.3)
      ? ` ORDER BY ${this.#chance(0.5) ? '1' : item()}${this.#chance(0.5) ? ' DESC' : ''}`
      : '';
    const list = [...(by === '' ? [] : shown), ...items].join(', ');
    return `SELECT ${list} FROM ${source}${where}${by}${having}${order}${this.#chance(0.3) ? ' LIMIT 2' : ''}`;
  }

  #grouping(keys: readonly string[]): string {
    const list = keys.join(', ');
    return this.#among([
      list,
      list,
      list,
      `ROLLUP (${list})`,
      `CUBE (${list})`,
      `GROUPING SETS ((${list}), ())`,
      '1',
    ]);
  }

  #windowed(source: string, where: string): string {
    const items = this.#some(
      2,
      () => `${this.#called(this.#among(windows), 1)} OVER (${this.#window()})`,
    );
    const own = this.#chance(0.3);
    const by = own ? ` GROUP BY s, n` : '';
    return `SELECT ${own ? 's, n' : 's'}, ${items.join(', ')}${own && this.#chance(0.5) ? `, SUM(${this.#called(['SUM', 'long', ['long']], 0)}) OVER ()` : ''} FROM ${source}${where}${by}${this.#chance(0.2) ? ' ORDER BY 1' : ''}`;
  }

  #window(): string {
    const partition = this.#chance(0.5)
      ? `PARTITION BY ${this.#chance(0.6) ? 's' : this.#of(1)}`
      : '';
    const order = this.#chance(0.7)
      ? `ORDER BY ${this.#chance(0.6) ? this.#among(['n', 's', 'n DESC, s']) : this.#of(1)}`
      : '';
    const frame = this.#chance(0.2)
      ? this.#among([
          'ROWS 1 PRECEDING',
          'ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW',
          'RANGE UNBOUNDED PRECEDING',
          'ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING',
        ])
      : '';
    return [partition, order, frame].filter((part) => part !== '').join(' ');
  }

  #nested(source: string, where: string): string {
    const inner = `SELECT ${this.#of(2)} AS x, ${this.#of(2)} AS y FROM ${source}${where}`;
    return this.#among([
      `SELECT x, COUNT(*), MAX(y) FROM (${inner}) GROUP BY x ORDER BY 2`,
      `SELECT ${this.#over('x', 'y')} FROM (${inner})`,
      `SELECT x + 1 FROM (${inner}) GROUP BY x ORDER BY 1`,
      `WITH q AS (${inner}) SELECT a.x, b.y FROM q a JOIN q b ON a.x = b.x`,
      `SELECT s FROM odd WHERE ${this.#of(1)} IN (SELECT x FROM (${inner}))`,
      `SELECT s FROM odd WHERE n > (SELECT COUNT(x) FROM (${inner}))`,
      `${inner} UNION ALL ${inner}`,
      `SELECT u, COUNT(*) FROM odd, UNNEST(${this.#among(['words', 'nums', 'MV_TO_ARRAY(mv)', this.#value(this.#among(['texts', 'longs']), 1)])}) AS t(u) GROUP BY u`,
    ]);
  }

  // An aggregate inside of something else.
  #over(aggregate: string, key: string): string {
    return this.#among([
      `ABS(${aggregate})`,
      `${aggregate} + 1`,
      `${aggregate} / ${this.#among(['0', '2', '0.0', 'COUNT(*)'])}`,
      `MOD(${aggregate}, 2)`,
      `CASE WHEN ${aggregate} > 0 THEN ${aggregate} END`,
      `COALESCE(${aggregate}, ${this.#literal()})`,
      `CAST(${aggregate} AS ${this.#among(types)})`,
      `${this.#among(functions)[0]}(${aggregate})`,
      `${this.#among(functions)[0]}(${aggregate}, ${this.#literal()})`,
      `${aggregate} IS NULL`,
      `CONCAT(${key}, ${aggregate})`,
      `(${aggregate}) || 'x'`,
      `-(${aggregate})`,
      `SUM(${aggregate}) OVER ()`,
      `RANK() OVER (ORDER BY ${aggregate})`,
    ]);
  }

  #of(depth: number): string {
    return this.#value(this.#among(kinds.slice(0, 8)), depth);
  }

  #value(wanted: Kind, depth: number): string {
    const kind = this.#chance(0.015) ? this.#among(kinds.slice(0, 8)) : wanted;
    if (this.#chance(0.02)) return 'NULL';
    if (depth <= 0 || kind === 'sketch' || this.#chance(0.15))
      return this.#chance(0.6) ? this.#among(columns[kind]) : this.#among(literals[kind]);
    if (kind === 'boolean' && this.#chance(0.7)) return `(${this.#condition(depth)})`;
    if (this.#chance(0.12)) return this.#chosen(kind, depth);
    if ((kind === 'long' || kind === 'double') && this.#chance(0.3))
      return `(${this.#value(kind, depth - 1)} ${this.#among(['+', '-', '*', '/', '%'])} ${this.#value(kind, depth - 1)})`;
    if (kind === 'time' && this.#chance(0.3))
      return `(${this.#value('time', depth - 1)} ${this.#among(['+', '-'])} INTERVAL '${this.#among(['1', '100', '-3'])}' ${this.#among(['DAY', 'MONTH', 'SECOND', 'YEAR', 'HOUR'])})`;
    if (kind === 'time' && this.#chance(0.3))
      return `${this.#among(['FLOOR', 'CEIL'])}(${this.#value('time', depth - 1)} TO ${this.#among(units)})`;
    if (kind === 'long' && this.#chance(0.1))
      return `EXTRACT(${this.#among(units)} FROM ${this.#value('time', depth - 1)})`;
    if (kind === 'long' && this.#chance(0.05))
      return `POSITION(${this.#value('text', depth - 1)} IN ${this.#value('text', depth - 1)})`;
    if (kind === 'text' && this.#chance(0.05))
      return `OVERLAY(${this.#value('text', depth - 1)} PLACING ${this.#value('text', depth - 1)} FROM 2 FOR 1)`;
    if (kind === 'text' && this.#chance(0.1))
      return `(${this.#value('text', depth - 1)} || ${this.#value('text', depth - 1)})`;
    if (kind === 'text' && this.#chance(0.05))
      return `TRIM(${this.#among(['BOTH', 'LEADING', 'TRAILING'])} ${this.#value('text', 0)} FROM ${this.#value('text', depth - 1)})`;
    if (kind === 'texts' || kind === 'longs')
      if (this.#chance(0.2))
        return `ARRAY[${this.#some(3, () => this.#value(kind === 'texts' ? 'text' : 'long', depth - 1)).join(', ')}]`;
    const fitting = functions.filter(([, made]) => made === kind);
    return fitting.length === 0
      ? this.#among(columns[kind])
      : this.#called(this.#among(fitting), depth - 1);
  }

  #chosen(kind: Kind, depth: number): string {
    return this.#among([
      () =>
        `CASE WHEN ${this.#condition(depth - 1)} THEN ${this.#value(kind, depth - 1)} ELSE ${this.#value(kind, depth - 1)} END`,
      () =>
        `CASE ${this.#value('text', depth - 1)} WHEN ${this.#value('text', 0)} THEN ${this.#value(kind, depth - 1)} END`,
      () => `CAST(${this.#of(depth - 1)} AS ${this.#among(types)})`,
      () => `COALESCE(${this.#value(kind, depth - 1)}, ${this.#value(kind, depth - 1)})`,
      () => `NULLIF(${this.#value(kind, depth - 1)}, ${this.#value(kind, depth - 1)})`,
      () => `NVL(${this.#value(kind, depth - 1)}, ${this.#value(kind, 0)})`,
      () => `(${this.#value('texts', depth - 1)})[1]`,
    ])();
  }

  #condition(depth: number): string {
    const kind = this.#among(kinds.slice(0, 7));
    const one = () => this.#value(kind, depth - 1);
    return this.#among([
      () =>
        `${one()} ${this.#among(['=', '<>', '<', '>=', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM'])} ${one()}`,
      () => `${one()} IS ${this.#among(['NULL', 'NOT NULL'])}`,
      () =>
        `(${this.#value('boolean', depth - 1)}) IS ${this.#among(['TRUE', 'NOT TRUE', 'FALSE', 'UNKNOWN'])}`,
      () => `${one()} ${this.#among(['', 'NOT '])}IN (${this.#some(3, one).join(', ')})`,
      () => `${one()} BETWEEN ${one()} AND ${one()}`,
      () =>
        `${this.#value('text', depth - 1)} LIKE ${this.#value('text', 0)}${this.#chance(0.2) ? " ESCAPE '!'" : ''}`,
      () => `NOT ${this.#value('boolean', depth - 1)}`,
      () =>
        `(${this.#value('boolean', depth - 1)} ${this.#among(['AND', 'OR'])} ${this.#value('boolean', depth - 1)})`,
      () => `(s, n) = (${this.#value('text', 0)}, ${this.#value('long', 0)})`,
    ])();
  }

  #aggregate(depth: number): string {
    const call = this.#called(this.#among(aggregates), depth);
    return this.#chance(0.15) ? `${call} FILTER (WHERE ${this.#condition(1)})` : call;
  }

  #called([name, , taken]: (typeof functions)[number], depth: number): string {
    const args = taken.flatMap((one) => {
      if (typeof one !== 'string') return this.#among(one as readonly string[]);
      const isOptional = one.startsWith('?');
      if (isOptional && this.#chance(0.5)) return [];
      return this.#value((isOptional ? one.slice(1) : one) as Kind, depth);
    });
    if (this.#chance(0.01)) args.push('NULL');
    return `${name}(${args.join(', ')})`;
  }

  #literal(): string {
    return this.#among(literals[this.#among(kinds.slice(0, 5))]);
  }

  #some<Item>(most: number, make: () => Item): Item[] {
    return Array.from({ length: 1 + Math.floor(this.#random() * most) }, make);
  }

  #among<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }
}
