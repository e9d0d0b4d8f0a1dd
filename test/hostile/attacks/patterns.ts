// Patterns that take a backtracking engine years, patterns that RE2 does not have, and patterns
// that are huge.
import {
  type Attack,
  type AttackClass,
  answered,
  type Ending,
  failed,
  list,
  post,
  quoted,
  refused,
  rows,
  succeeded,
  timedOut,
  value,
} from '../attack.ts';
import { nativeOn, sampled, taskOf } from './bodies.ts';

const victim = "REPEAT('a', 60) || '!'";
const text = `${'a'.repeat(60)}!`;

// None of these matches the whole of the victim in any way, so what is right is known.
const backtracking = [
  '(a+)+$',
  '(a|aa)+$',
  '(a*)*b',
  '([a-zA-Z]+)*\\d',
  '(a|a?)+b',
  '^(a+)+b',
  '(a+){10}$',
  '(.*a){25}$',
  '(?i)(A+)+$',
  '((a+)b?)+$',
];

// What RE2 does not have is refused by name.
const unsupported = [
  '(?=a)b',
  '(?!a)b',
  '(?<=a)b',
  '(?<!a)b',
  '(a)\\1',
  '(?>a+)ab',
  'a++ab',
  '(?<x>a)\\k<x>',
];

const malformed = [
  '(',
  '[',
  '(a',
  'a{2,1}',
  '*a',
  '\\',
  '[z-a]',
  '(?z)a',
  '\\p{Nothing}',
  '(?<>a)',
];

const functions: readonly [name: string, call: (pattern: string) => string, right: Ending][] = [
  [
    'REGEXP_EXTRACT of a group',
    (pattern) => `REGEXP_EXTRACT(${victim}, ${pattern}, 1)`,
    value(null),
  ],
  ['REGEXP_EXTRACT', (pattern) => `REGEXP_EXTRACT(${victim}, ${pattern})`, value(null)],
  ['REGEXP_LIKE', (pattern) => `REGEXP_LIKE(${victim}, ${pattern})`, value(false)],
  ['REGEXP_REPLACE', (pattern) => `REGEXP_REPLACE(${victim}, ${pattern}, 'x')`, value(text)],
  [
    'STRING_TO_ARRAY',
    (pattern) => `ARRAY_LENGTH(STRING_TO_ARRAY(${victim}, ${pattern}))`,
    value(1),
  ],
];

const backtrackingInSql = backtracking.flatMap((pattern): Attack[] =>
  functions.map(([name, call, right]) => ({
    name: `${name} with ${pattern}`,
    as: 'anyone',
    asks: { sql: `SELECT ${call(quoted(pattern))}` },
    expects: [right],
    withinMs: 3000,
    ...(pattern === '(a+)+$' && { stopsBy: ['timeout', 'cancel', 'gone', 'sigterm'] as const }),
  })),
);

const overRows: readonly Attack[] = [
  [
    'REGEXP_LIKE',
    `SELECT COUNT(*) FROM wikipedia WHERE REGEXP_LIKE(${victim} || page, '(a+)+\\t$')`,
    value(0),
  ],
  [
    'REGEXP_EXTRACT',
    `SELECT COUNT(REGEXP_EXTRACT(${victim} || page, '(a+)+\\t$', 1)) FROM wikipedia`,
    value(0),
  ],
  [
    'REGEXP_REPLACE',
    `SELECT COUNT(*) FROM wikipedia WHERE REGEXP_REPLACE(${victim} || page, '(a+)+\\t$', '') <> ${victim} || page`,
    value(0),
  ],
  [
    'MV_FILTER_REGEX',
    `SELECT COUNT(MV_FILTER_REGEX(STRING_TO_MV(${victim} || channel, ','), '(a+)+$')) FROM wikipedia`,
    answered(/^\[\[0\]\]/),
  ],
  [
    'STRING_TO_MV',
    `SELECT MAX(MV_LENGTH(STRING_TO_MV(${victim} || channel, '(a+)+\\t'))) FROM wikipedia`,
    value(1),
  ],
  [
    'a filtered aggregate',
    `SELECT COUNT(*) FILTER (WHERE REGEXP_LIKE(${victim} || page, '(a+)+\\t$')) FROM wikipedia`,
    value(0),
  ],
  [
    'a pattern of each row',
    `SELECT COUNT(*) FROM wikipedia WHERE REGEXP_LIKE(${victim}, '(' || channel || '+)+$')`,
    undefined,
  ],
  ['LIKE with many signs', `SELECT ${victim} LIKE '${'%a'.repeat(50)}%b'`, value(false)],
  [
    'LIKE over rows',
    `SELECT COUNT(*) FROM wikipedia WHERE REPEAT(page, 20) LIKE '${'%a'.repeat(200)}%\\t'`,
    answered(/^\[\[\d+\]\]/),
  ],
  ['SIMILAR TO', `SELECT ${victim} SIMILAR TO '(a+)+'`, value(false)],
  [
    'CONTAINS_STRING of many',
    `SELECT CONTAINS_STRING(REPEAT('a', 100000) || 'b', '${'a'.repeat(50_000)}c')`,
    value(false),
  ],
  ['a long text', `SELECT REGEXP_LIKE(REPEAT('a', 1000000) || '!', '(a+)+$')`, value(false)],
  ['a quadratic pattern', `SELECT REGEXP_EXTRACT(REPEAT('a', 200000), '.*.*=.*')`, value(null)],
].map(
  ([name, sql, right]): Attack => ({
    name: `${name} over rows`,
    as: 'anyone',
    asks: { sql: sql as string, context: { timeout: 8000 } },
    expects:
      right === undefined
        ? [answered(/^\[\[\d+\]\]/), refused(), timedOut]
        : name === 'SIMILAR TO'
          ? [right as Ending, refused()]
          : [right as Ending, timedOut],
  }),
);

const unsupportedInSql = unsupported.flatMap((pattern): Attack[] =>
  functions.slice(1, 4).map(([name, call]) => ({
    name: `${name} with ${pattern}, which RE2 does not have`,
    as: 'anyone',
    asks: { sql: `SELECT ${call(quoted(pattern))}` },
    expects: [refused(/pattern|regular expression|RE2|look/i)],
  })),
);

const malformedInSql = malformed.map(
  (pattern): Attack => ({
    name: `the malformed pattern ${pattern}`,
    as: 'anyone',
    asks: { sql: `SELECT REGEXP_LIKE(channel, ${quoted(pattern)}) FROM wikipedia LIMIT 1` },
    expects: [refused(/pattern|regular expression|regex/i)],
  }),
);

const huge: readonly Attack[] = [
  ['a{1000}{1000}', 'a{1000}{1000}'],
  ['a class a thousand times', '\\p{L}{1000}'],
  ['(a{1,1000}){1,1000}', '(a{1,1000}){1,1000}'],
  ['(((a{100}){100}){100}){100}', '(((a{100}){100}){100}){100}'],
  ['ten thousand alternatives', list(10_000, (index) => `x${index}y`, '|')],
  ['ten thousand groups in each other', `${'('.repeat(10_000)}a${')'.repeat(10_000)}`],
  ['a million characters', `${'ab?'.repeat(333_333)}$`],
  ['a hundred thousand stars', 'a*'.repeat(100_000)],
].map(
  ([name = '', pattern = '']): Attack => ({
    name: `the huge pattern ${name}`,
    as: 'anyone',
    asks: {
      sql: () => `SELECT COUNT(*) FROM wikipedia WHERE REGEXP_LIKE(page, ${quoted(pattern)})`,
      context: { timeout: 8000 },
    },
    expects: [
      answered(/^\[\[\d+\]\]/),
      refused(/pattern|regular expression|limit|large|long/i),
      timedOut,
    ],
  }),
);

const evil = '(a+)+$';
const nativePlaces: readonly Attack[] = [
  [
    'the regex filter',
    {
      queryType: 'timeseries',
      granularity: 'all',
      filter: { type: 'regex', dimension: 'v', pattern: evil },
      aggregations: [{ type: 'count', name: 'n' }],
    },
  ],
  [
    'the regex filter with look-around',
    {
      queryType: 'timeseries',
      granularity: 'all',
      filter: { type: 'regex', dimension: 'v', pattern: '(?=a)b' },
      aggregations: [{ type: 'count', name: 'n' }],
    },
    refused(/pattern|RE2|regular/i),
  ],
  [
    'the regex extraction',
    {
      queryType: 'groupBy',
      granularity: 'all',
      dimensions: [
        {
          type: 'extraction',
          dimension: 'v',
          outputName: 'd',
          extractionFn: {
            type: 'regex',
            expr: evil,
            index: 1,
            replaceMissingValue: true,
            replaceMissingValueWith: 'none',
          },
        },
      ],
    },
  ],
  [
    'the partial extraction',
    {
      queryType: 'groupBy',
      granularity: 'all',
      dimensions: [
        {
          type: 'extraction',
          dimension: 'v',
          outputName: 'd',
          extractionFn: { type: 'partial', expr: evil },
        },
      ],
    },
  ],
  [
    'the extraction of a filter',
    {
      queryType: 'timeseries',
      granularity: 'all',
      filter: {
        type: 'selector',
        dimension: 'v',
        value: 'x',
        extractionFn: { type: 'regex', expr: evil },
      },
      aggregations: [{ type: 'count', name: 'n' }],
    },
  ],
  [
    'a regexFiltered dimension',
    {
      queryType: 'groupBy',
      granularity: 'all',
      dimensions: [{ type: 'regexFiltered', delegate: 'v', pattern: evil }],
    },
  ],
  [
    'a searched regex',
    {
      queryType: 'search',
      granularity: 'all',
      searchDimensions: ['page'],
      query: { type: 'regex', pattern: evil },
    },
  ],
  [
    'the like filter',
    {
      queryType: 'timeseries',
      granularity: 'all',
      filter: { type: 'like', dimension: 'v', pattern: `${'%a'.repeat(60)}%b` },
      aggregations: [{ type: 'count', name: 'n' }],
    },
  ],
  [
    'regexp_like in an expression filter',
    {
      queryType: 'timeseries',
      granularity: 'all',
      filter: { type: 'expression', expression: `regexp_like(v, '${evil}')` },
      aggregations: [{ type: 'count', name: 'n' }],
    },
  ],
  [
    'regexp_extract in an expression',
    {
      queryType: 'groupBy',
      granularity: 'all',
      virtualColumns: [
        {
          type: 'expression',
          name: 'w',
          expression: `regexp_extract(v, '${evil}', 1)`,
          outputType: 'STRING',
        },
      ],
      dimensions: ['w'],
    },
  ],
  [
    'regexp_replace in an expression',
    {
      queryType: 'groupBy',
      granularity: 'all',
      virtualColumns: [
        {
          type: 'expression',
          name: 'w',
          expression: `regexp_replace(v, '${evil}', '')`,
          outputType: 'STRING',
        },
      ],
      dimensions: ['w'],
    },
  ],
  [
    'string_to_array in an expression',
    {
      queryType: 'groupBy',
      granularity: 'all',
      virtualColumns: [
        {
          type: 'expression',
          name: 'w',
          expression: `array_length(string_to_array(v, '${evil}'))`,
          outputType: 'LONG',
        },
      ],
      dimensions: ['w'],
    },
  ],
  [
    'a javascript filter',
    {
      queryType: 'timeseries',
      granularity: 'all',
      filter: {
        type: 'javascript',
        dimension: 'channel',
        function: 'function(x) { while (true) {} }',
      },
      aggregations: [{ type: 'count', name: 'n' }],
    },
    refused(),
  ],
  [
    'a javascript aggregator',
    {
      queryType: 'timeseries',
      granularity: 'all',
      aggregations: [
        {
          type: 'javascript',
          name: 'j',
          fieldNames: ['added'],
          fnAggregate: 'function(a,b){while(1);}',
          fnCombine: 'function(a,b){return a}',
          fnReset: 'function(){return 0}',
        },
      ],
    },
    refused(),
  ],
].map(
  ([name, query, right]): Attack => ({
    name: `${name} of a native query`,
    as: 'anyone',
    asks: {
      native: nativeOn({
        virtualColumns: [
          {
            type: 'expression',
            name: 'v',
            expression: "concat(repeat('a', 60), '!')",
            outputType: 'STRING',
          },
        ],
        ...(query as object),
        context: { timeout: 8000 },
      }),
    },
    expects: right === undefined ? [answered(), refused(/support/i)] : [right as Ending],
    ...(name === 'the regex filter' && { stopsBy: ['timeout', 'cancel', 'gone'] as const }),
  }),
);

const lines = `${text}\n${text}\n`;
const ingestion: readonly Attack[] = [
  {
    name: 'the pattern of an input format in the sampler',
    as: 'anyone',
    asks: post(
      '/svc/indexer/v1/sampler',
      sampled(lines, { type: 'regex', pattern: evil, columns: ['a'] }),
    ),
    expects: [answered(/unparseable|"numRowsRead"/i)],
  },
  {
    name: 'the pattern of an input format in a task',
    as: 'anyone',
    asks: {
      task: taskOf({
        inputSource: { type: 'inline', data: lines },
        inputFormat: { type: 'regex', pattern: evil, columns: ['t'] },
      }),
    },
    expects: [succeeded, failed(), refused()],
  },
  {
    name: 'the pattern of an input format with look-around in a task',
    as: 'anyone',
    asks: {
      task: taskOf({
        inputSource: { type: 'inline', data: lines },
        inputFormat: { type: 'regex', pattern: '(?=a)(a+)+b', columns: ['t'] },
      }),
    },
    expects: [refused(/pattern|RE2|regular/i), failed(/pattern|RE2|regular/i)],
  },
  {
    name: 'the pattern of EXTERN',
    as: 'anyone',
    asks: {
      sqlTask: `INSERT INTO "patterns" SELECT TIME_PARSE("a") AS __time FROM TABLE(EXTERN('${JSON.stringify({ type: 'inline', data: lines })}', '${JSON.stringify({ type: 'regex', pattern: evil, columns: ['a'] })}')) EXTEND ("a" VARCHAR) PARTITIONED BY ALL`,
    },
    expects: [succeeded, failed(), refused()],
  },
  {
    name: 'the expression of a transform',
    as: 'anyone',
    asks: {
      task: taskOf({
        inputSource: { type: 'inline', data: `{"t":"2024-01-01","page":"${text}"}` },
        transforms: [
          { type: 'expression', name: 'e', expression: `regexp_extract(page, '${evil}', 1)` },
        ],
      }),
    },
    expects: [succeeded, failed(), refused()],
  },
  {
    name: 'the filter of a transform specification',
    as: 'anyone',
    asks: {
      task: taskOf({
        inputSource: { type: 'inline', data: `{"t":"2024-01-01","page":"${text}"}` },
        filter: { type: 'regex', dimension: 'page', pattern: evil },
      }),
    },
    expects: [succeeded, failed(), refused()],
  },
  {
    name: 'a JSONPath filter with a pattern',
    as: 'anyone',
    asks: post(
      '/svc/indexer/v1/sampler',
      sampled(`{"t":"2024-01-01","a":[{"b":"${text}"}]}`, {
        type: 'json',
        flattenSpec: { fields: [{ type: 'path', name: 'p', expr: `$.a[?(@.b =~ /${evil}/)]` }] },
      }),
    ),
    expects: [answered(), refused()],
  },
  {
    name: 'a jq program without an end',
    as: 'anyone',
    asks: post(
      '/svc/indexer/v1/sampler',
      sampled('{"t":"2024-01-01"}', {
        type: 'json',
        flattenSpec: { fields: [{ type: 'jq', name: 'p', expr: 'def f: f; f' }] },
      }),
    ),
    expects: [refused(), answered(/unparseable|error/i)],
  },
  ...[
    '*a*a*a*a*a*a*a*a*a*a*a*b',
    '*?*?*?*?*?*?*?*?*?*?*?*?b',
    `{${list(50, (index) => `*a${index}`, ',')}}`,
    `${'[a-z]*'.repeat(14)}0`,
    `${'**/'.repeat(12)}b`,
  ].map(
    (filter): Attack => ({
      name: `the file filter ${filter.slice(0, 40)}`,
      as: 'anyone',
      asks: { task: taskOf({ inputSource: { type: 'local', baseDir: 'ALLOWED_FOLDER', filter } }) },
      expects: [failed(), succeeded, refused()],
      withinMs: 8000,
    }),
  ),
];

export const patterns: AttackClass = {
  name: 'patterns',
  attacks: [
    ...backtrackingInSql,
    ...overRows,
    ...unsupportedInSql,
    ...malformedInSql,
    ...huge,
    ...nativePlaces,
    ...ingestion,
    {
      name: 'many evil patterns in one query',
      as: 'anyone',
      asks: { sql: `SELECT ${list(50, (index) => `REGEXP_LIKE(${victim}, '(a+)+${index}$')`)}` },
      expects: [rows(Array.from({ length: 50 }, () => false))],
    },
    {
      name: 'a pattern as a parameter',
      as: 'anyone',
      asks: {
        sql: `SELECT REGEXP_LIKE(${victim}, ?)`,
        parameters: [{ type: 'VARCHAR', value: evil }],
      },
      expects: [value(false), refused()],
    },
    {
      name: 'the query blocklist takes no patterns',
      as: 'anyone',
      asks: {
        sql: `SELECT COUNT(*) FROM wikipedia WHERE REGEXP_EXTRACT(${victim}, '(a+)+$', 99) IS NULL`,
      },
      expects: [value(39244), refused()],
    },
  ],
};
