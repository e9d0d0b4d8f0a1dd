// Hints for those who come from another database: the command, the function or the sign that stands
// for one of other dialects of SQL.
import type { ServiceError } from '../../../client/errors.ts';
import { commandLine } from '../../../model/shell-text.ts';
import { quotedText } from '../../../model/sql-text.ts';
import { withoutComments } from './statement-parts.ts';

/** The command for a statement that other databases have. */
export function statementInstead(statement: string, isShell: boolean): string | undefined {
  const text = withoutComments(statement).trim();
  if (/^SHOW\s+(?:TABLES|DATABASES|SCHEMAS)\b/i.test(text))
    return isShell ? '\\d lists the tables' : 'svcctl datasources list';
  const [, columnsOf] = /^SHOW\s+COLUMNS\s+(?:FROM|IN)\s+(\S+)/i.exec(text) ?? [];
  const [, table = columnsOf] = /^DESC(?:RIBE)?\s+(?:TABLE\s+)?([^\s;]+)/i.exec(text) ?? [];
  if (table !== undefined) {
    const name = table.replace(/^"(.*)"$/, '$1');
    return isShell
      ? `\\d ${name} shows the columns`
      : commandLine`svcctl datasources schema ${name}`;
  }
  if (/^SHOW\s+FUNCTIONS\b/i.test(text))
    return isShell
      ? '\\df lists the functions'
      : "svcctl sql 'SELECT ROUTINE_NAME FROM INFORMATION_SCHEMA.ROUTINES'";
  return hintForChange(text, isShell);
}

// Changes of other databases. Here rows are replaced, and a table exists while it has segments.
function hintForChange(text: string, isShell: boolean): string | undefined {
  const [, verb = '', word = ''] =
    /^(DROP|TRUNCATE|CREATE|ALTER|DELETE|UPDATE|USE)\s+(?:TABLE\s+|FROM\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?("[^"]+"|[\w$-]+)/i.exec(
      text,
    ) ?? [];
  const name = word.replace(/^"(.*)"$/, '$1');
  switch (verb.toUpperCase()) {
    case 'DROP':
    case 'TRUNCATE':
      return commandLine`svcctl datasources drop ${name}`;
    case 'CREATE':
    case 'ALTER':
      return 'the first INSERT creates a table, and each one adds the columns that it has: svcctl ingest files FILE --into NAME';
    case 'DELETE':
    case 'UPDATE':
      return `REPLACE INTO ${word} OVERWRITE ALL (or WHERE, a range of __time) SELECT the rows to keep FROM ${word} PARTITIONED BY DAY`;
    case 'USE':
      return isShell ? '\\c PROFILE switches to another service' : 'svcctl profiles use PROFILE';
    default:
      return undefined;
  }
}

// ── Functions ────────────────────────────────────────────────────────────────────────────────────

/** What stands for a function of another dialect; undefined for an unknown name. */
export function functionInstead(name: string): string | undefined {
  const key = name.toUpperCase();
  const instead = Object.hasOwn(functions, key) ? functions[key] : undefined;
  return instead && `instead of ${key}: ${instead}`;
}

const part = (unit: string) => `EXTRACT(${unit} FROM __time)`;
const format = "TIME_FORMAT(__time, 'yyyy-MM-dd HH:mm')";
const parse = "TIME_PARSE(x, 'yyyy-MM-dd HH:mm')";
const shift = "TIME_SHIFT(__time, 'P1D', -1)";
const difference = 'TIMESTAMPDIFF(DAY, a, b)';
const quantile = 'APPROX_QUANTILE_DS(x, 0.5)';
const bucket = "TIME_FLOOR(__time, 'PT5M')";
const position = "STRPOS(x, 'text')";
const choice = 'CASE WHEN condition THEN a ELSE b END';
const counted = 'COUNT(*) FILTER (WHERE condition)';
const ofJson = "JSON_VALUE(x, '$.key')";

const functions: Readonly<Record<string, string>> = {
  NOW: 'CURRENT_TIMESTAMP',
  GETDATE: 'CURRENT_TIMESTAMP',
  SYSDATE: 'CURRENT_TIMESTAMP',
  CURDATE: 'CURRENT_DATE',
  TODAY: 'CURRENT_DATE',
  YEAR: part('YEAR'),
  QUARTER: part('QUARTER'),
  MONTH: part('MONTH'),
  WEEK: part('WEEK'),
  DAY: part('DAY'),
  HOUR: part('HOUR'),
  MINUTE: part('MINUTE'),
  SECOND: part('SECOND'),
  DAYOFWEEK: part('DOW'),
  DAYOFYEAR: part('DOY'),
  DATE_PART: part('HOUR'),
  DATEPART: part('HOUR'),
  DATE: 'CAST(__time AS DATE)',
  DATE_BIN: bucket,
  TIME_BUCKET: bucket,
  DATE_FORMAT: format,
  TO_CHAR: format,
  STRFTIME: format,
  FORMAT_DATETIME: format,
  STR_TO_DATE: parse,
  TO_DATE: parse,
  TO_TIMESTAMP: parse,
  PARSE_DATETIME: parse,
  DATE_ADD: shift,
  DATE_SUB: shift,
  DATEADD: shift,
  DATEDIFF: difference,
  DATE_DIFF: difference,
  UNIX_TIMESTAMP: 'TIMESTAMP_TO_MILLIS(__time) / 1000',
  FROM_UNIXTIME: 'MILLIS_TO_TIMESTAMP(x * 1000)',
  MEDIAN: quantile,
  QUANTILE: quantile,
  PERCENTILE: quantile,
  PERCENTILE_CONT: quantile,
  PERCENTILE_DISC: quantile,
  PERCENTILE_APPROX: quantile,
  APPROX_PERCENTILE: quantile,
  UNIQ: 'APPROX_COUNT_DISTINCT(x)',
  NDV: 'APPROX_COUNT_DISTINCT(x)',
  COUNT_IF: counted,
  COUNTIF: counted,
  SUMIF: 'SUM(x) FILTER (WHERE condition)',
  GROUP_CONCAT: "STRING_AGG(x, ',')",
  FIRST: 'EARLIEST(x)',
  LAST: 'LATEST(x)',
  ARGMAX: 'LATEST_BY(x, time)',
  MAX_BY: 'LATEST_BY(x, time)',
  ARGMIN: 'EARLIEST_BY(x, time)',
  MIN_BY: 'EARLIEST_BY(x, time)',
  IF: choice,
  IIF: choice,
  DECODE: choice,
  ISNULL: 'COALESCE(a, b)',
  LEN: 'CHAR_LENGTH(x)',
  INSTR: position,
  CHARINDEX: position,
  LOCATE: position,
  SPLIT: "STRING_TO_ARRAY(x, ',')",
  SPLIT_PART: "ARRAY_OFFSET(STRING_TO_ARRAY(x, ','), 0)",
  STARTS_WITH: "x LIKE 'text%'",
  REGEXP: "REGEXP_LIKE(x, 'pattern')",
  REGEXP_MATCHES: "REGEXP_LIKE(x, 'pattern')",
  REGEXP_SUBSTR: "REGEXP_EXTRACT(x, 'pattern')",
  ARRAY_JOIN: "ARRAY_TO_STRING(x, ',')",
  EXPLODE: 'CROSS JOIN UNNEST(x) AS u (item)',
  JSON_EXTRACT: ofJson,
  JSON_EXTRACT_SCALAR: ofJson,
  GET_JSON_OBJECT: ofJson,
  POW: 'POWER(x, 2)',
  LOG: 'LN(x) or LOG10(x)',
};

// ── Signs ────────────────────────────────────────────────────────────────────────────────────────

/** What stands for a sign or a clause of other dialects at the place of an error. */
export function signInstead(
  { message, line = 1, column = 1 }: ServiceError,
  statement: string,
): string | undefined {
  if (message.startsWith("'LIMIT start, count'")) return 'LIMIT count OFFSET start';
  const [, unknown] = /^Column '(.+?)' not found/.exec(message) ?? [];
  const lines = statement.split('\n');
  const rest = (lines[line - 1] ?? '').slice(column - 1);
  if (unknown !== undefined)
    return rest.startsWith(`"${unknown}"`) && /\W/.test(unknown)
      ? `a name has quotation marks, a text has apostrophes: ${quotedText(unknown)}`
      : undefined;
  if (!syntaxErrors.test(message)) return undefined;
  const before = (lines[line - 1] ?? '').slice(0, column - 1);
  if (rest.startsWith('`')) return 'a name that needs quotes has quotation marks: "name"';
  if (rest.startsWith('::')) return 'a cast is written CAST(x AS TYPE)';
  if (rest.startsWith('==') || (rest.startsWith('=') && before.endsWith('=')))
    return 'equality has one sign: a = b';
  if (/\bTOP\s+$/i.test(before)) return 'LIMIT, at the end of the statement, instead of TOP';
  if (/\bINTERVAL\s+(?:'[^']*'?\s*)?$/i.test(before))
    return "an interval has its unit behind the text: INTERVAL '1' DAY";
  if (/^REGEXP\b/i.test(rest)) return "REGEXP_LIKE(x, 'pattern') instead of REGEXP";
  return undefined;
}

const syntaxErrors = /^(?:Incorrect syntax near|Received an unexpected token|Lexical error)/;
