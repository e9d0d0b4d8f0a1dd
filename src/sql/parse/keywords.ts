// Keywords of the language (Apache Calcite's grammar as Druid configures it): reserved words that
// are also functions, and those that may begin a part of a statement.

/** Whether a reserved word, in upper case, is also a function with the ordinary call syntax. */
export const isReservedFunction = (word: string): boolean => RESERVED_FUNCTIONS.has(word);

/** Whether a word, in upper case, is a function written without parentheses. */
export const isBareFunction = (word: string): boolean => BARE_FUNCTIONS.has(word);

/**
 * Whether a word without parentheses is a column name. Standard SQL has a function of that name,
 * but the engine does not.
 */
export const isColumnWord = (word: string): boolean => COLUMN_WORDS.has(word);

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const RESERVED_FUNCTIONS = words(`
  ABS AVG CARDINALITY CHAR CHAR_LENGTH CHARACTER_LENGTH COALESCE COLLECT CONVERT COVAR_POP COVAR_SAMP CUME_DIST COUNT
  DENSE_RANK ELEMENT EVERY EXP FIRST_VALUE FUSION INTERSECTION GROUPING HOUR LAG LEAD LEFT LAST_VALUE LN LOWER MAX MIN MINUTE MOD MONTH
  NTH_VALUE NTILE NULLIF OCTET_LENGTH PERCENTILE_CONT PERCENTILE_DISC PERCENT_RANK POWER RANK REGR_COUNT REGR_SXX REGR_SYY RIGHT ROW_NUMBER
  SECOND SOME SQRT STDDEV_POP STDDEV_SAMP SUM TRANSLATE UPPER TRUNCATE USER VAR_POP VAR_SAMP YEAR
`);

const BARE_FUNCTIONS = words(`
  CURRENT_CATALOG CURRENT_DATE CURRENT_DEFAULT_TRANSFORM_GROUP CURRENT_PATH CURRENT_ROLE CURRENT_SCHEMA CURRENT_TIME CURRENT_TIMESTAMP
  CURRENT_USER LOCALTIME LOCALTIMESTAMP PI SESSION_USER SYSTEM_USER USER
`);

const COLUMN_WORDS = words(`
  CURRENT_CATALOG CURRENT_DEFAULT_TRANSFORM_GROUP CURRENT_PATH CURRENT_ROLE CURRENT_SCHEMA CURRENT_USER SESSION_USER SYSTEM_USER USER
`);

/** The engine's list of possible starts of an expression, for messages only. */
export const EXPRESSION_STARTS: readonly string[] = [
  ...[
    '+',
    '-',
    'NOT',
    'EXISTS',
    'UNIQUE',
    'INTERVAL',
    '<UNSIGNED_INTEGER_LITERAL>',
    '<DECIMAL_NUMERIC_LITERAL>',
    'DECIMAL',
  ],
  ...[
    '<APPROX_NUMERIC_LITERAL>',
    '<BINARY_STRING_LITERAL>',
    '<PREFIXED_STRING_LITERAL>',
    '<QUOTED_STRING>',
    '<UNICODE_STRING_LITERAL>',
  ],
  ...[
    'TRUE',
    'FALSE',
    'UNKNOWN',
    'NULL',
    'DATE',
    'DATETIME',
    'TIME',
    'UUID',
    'TIMESTAMP',
    '?',
    'CAST',
    'SAFE_CAST',
    'TRY_CAST',
    'EXTRACT',
  ],
  ...[
    'POSITION',
    'CONVERT',
    'TRANSLATE',
    'OVERLAY',
    'FLOOR',
    'CEIL',
    'CEILING',
    'SUBSTRING',
    'TRIM',
    'JSON_EXISTS',
    'JSON_VALUE',
  ],
  ...[
    'JSON_QUERY',
    'JSON_OBJECT',
    'JSON_OBJECTAGG',
    'JSON_ARRAY',
    'JSON_ARRAYAGG',
    'ARRAY',
    'PERCENTILE_CONT',
    'PERCENTILE_DISC',
  ],
  ...[
    '<IDENTIFIER>',
    ...RESERVED_FUNCTIONS,
    ...[...BARE_FUNCTIONS].filter((word) => word !== 'PI'),
    'CASE',
    'ROW',
    '(',
  ],
];

// Starts of expressions, in the order of the engine's parser.
const STARTS_IN_ORDER: readonly string[] = [
  '+ - NOT EXISTS UNIQUE INTERVAL <UNSIGNED_INTEGER_LITERAL>',
  '<DECIMAL_NUMERIC_LITERAL> DECIMAL <APPROX_NUMERIC_LITERAL> <BINARY_STRING_LITERAL> <PREFIXED_STRING_LITERAL> <QUOTED_STRING>',
  '<UNICODE_STRING_LITERAL> <C_STYLE_ESCAPED_STRING_LITERAL> <BIG_QUERY_DOUBLE_QUOTED_STRING> <BIG_QUERY_QUOTED_STRING> TRUE',
  'FALSE UNKNOWN NULL <LBRACE_D> <LBRACE_T> <LBRACE_TS> DATE DATETIME TIME UUID TIMESTAMP ? CAST SAFE_CAST TRY_CAST EXTRACT',
  'POSITION CONVERT TRANSLATE OVERLAY FLOOR CEIL CEILING SUBSTRING TRIM CLASSIFIER MATCH_NUMBER RUNNING PREV NEXT JSON_EXISTS',
  'JSON_VALUE JSON_QUERY JSON_OBJECT JSON_OBJECTAGG JSON_ARRAY JSON_ARRAYAGG <LBRACE_FN> MULTISET ARRAY PERIOD PERCENTILE_CONT',
  'PERCENTILE_DISC SPECIFIC <IDENTIFIER> ABS AVG CARDINALITY CHAR CHAR_LENGTH CHARACTER_LENGTH COALESCE COLLECT COVAR_POP',
  'COVAR_SAMP CUME_DIST COUNT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DENSE_RANK ELEMENT EVERY EXP FIRST_VALUE FUSION',
  'INTERSECTION GROUPING HOUR LAG LEAD LEFT LAST_VALUE LN LOCALTIME LOCALTIMESTAMP LOWER MAX MIN MINUTE MOD MONTH NTH_VALUE',
  'NTILE NULLIF OCTET_LENGTH PERCENT_RANK POWER RANK REGR_COUNT REGR_SXX REGR_SYY RIGHT ROW_NUMBER SECOND SOME SQRT STDDEV_POP',
  'STDDEV_SAMP SUM UPPER TRUNCATE USER VAR_POP VAR_SAMP YEAR CURRENT_CATALOG CURRENT_DEFAULT_TRANSFORM_GROUP CURRENT_PATH',
  'CURRENT_ROLE CURRENT_SCHEMA CURRENT_USER SESSION_USER SYSTEM_USER NEW CASE CURRENT CURSOR ROW',
].flatMap((line) => line.split(' '));

/**
 * The engine's list of possible starts of a query after the target of an INSERT, in its order, for
 * messages only.
 */
export const INSERT_QUERY_STARTS: readonly string[] = [
  ...'/*+ EXTEND ( . AS WITH SELECT VALUES VALUE TABLE'.split(' '),
  ...STARTS_IN_ORDER,
];

/**
 * Possible starts of an item of SELECT, in the engine's order. Names and literals are token classes
 * in angle brackets.
 */
export const SELECT_ITEM_STARTS: readonly string[] = ['*', ...STARTS_IN_ORDER, '('];

/**
 * The engine's list of possible continuations of an item of SELECT, in its order, for messages
 * only.
 */
export const AFTER_SELECT_ITEM: readonly string[] = [
  'AS <IDENTIFIER> <QUOTED_STRING> . NOT IN < <= > >= = <> != BETWEEN LIKE SIMILAR << + - * / % || AND OR IS MEMBER SUBMULTISET CONTAINS',
  'OVERLAPS ^ EQUALS & PRECEDES SUCCEEDS MULTISET [',
].flatMap((line) => line.split(' '));

/** The engine's list of possible continuations of an expression, for messages only. */
export const OPERATORS: readonly string[] = [
  ...[
    '.',
    'NOT',
    'IN',
    '<',
    '<=',
    '>',
    '>=',
    '=',
    '<>',
    '!=',
    'BETWEEN',
    'LIKE',
    'ILIKE',
    'RLIKE',
    'SIMILAR',
    '+',
    '-',
    '*',
    '/',
    '%',
    '||',
  ],
  ...['AND', 'OR', 'IS', '['],
];
