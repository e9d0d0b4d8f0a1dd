// Completion in the shell: keywords, tables, columns of the statement's tables, functions, and
// arguments of shell commands.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quotedName } from '../../../model/sql-text.ts';
import {
  contextNames,
  parameterInWords,
  valuesOfParameter,
} from '../../shared/sql/context-parameters.ts';
import type { Names } from './catalog.ts';
import type { Completion } from './line-editor.ts';
import { scan } from './scan.ts';

/**
 * Takes the statement before and after the cursor. Keywords keep the case of the typed text, names
 * have their own.
 */
export function completeSql(before: string, behind: string, names: Names): Completion {
  const setting = completeSetting(
    before,
    /^\s*SET\s+([\w.]*)$/i,
    /^\s*SET\s+([\w.]+)\s*=\s*'?([\w.]*)$/i,
  );
  if (setting) return setting;
  const { rest, inside } = scan(before);
  if (inside === "'" || inside === '*' || inside === '-') return [[], ''];
  const [word = ''] = (inside === '"' ? /"[^"]*$/ : /[\w$]*$/).exec(before) ?? [];
  const ahead = before.slice(0, before.length - word.length);
  const statement = `${rest} ${behind}`;
  const sources = sourcesIn(statement);
  const [, qualifier] = /("[^"]+"|[\w$]+)\.$/.exec(ahead) ?? [];
  if (qualifier !== undefined)
    return [matching(word, behindDot(bare(qualifier), sources, statement, names), true), word];
  if (/\b(FROM|JOIN|INTO|DESCRIBE)\s+$/i.test(ahead) || /\bFROM\s+[^()]*,\s*$/i.test(ahead))
    return [matching(word, [...listNamed(statement, withNames), ...relations(names)], true), word];
  if (/\bAS\s+$/i.test(ahead) && /\bCAST\s*\([^()]*$/i.test(ahead))
    return [matching(word, types, false), word];
  // FROM may come later
  const tables = sources.length > 0 ? sources.map(({ table }) => table) : ofData(names);
  const columns = [...new Set(tables.flatMap((table) => names.columnsOf.get(table) ?? []))];
  const aliases = sources.flatMap(({ alias }) => (alias === undefined ? [] : [alias]));
  const found = matching(word, [...columns, ...aliases], true);
  if (word === '' || word.startsWith('"')) return [found, word];
  const words = matching(word, [...keywords, ...names.functions.map((name) => `${name}(`)], false);
  return [[...new Set([...found, ...words])], word];
}

/**
 * Names of context parameters with their meanings, or the values of one. The patterns find the word
 * that is typed: a name alone, or a value after its name. Undefined where neither matches.
 */
export function completeSetting(
  before: string,
  nameAlone: RegExp,
  nameAndValue: RegExp,
): Completion | undefined {
  const [, word] = nameAlone.exec(before) ?? [];
  if (word !== undefined) {
    const found = contextNames.filter((name) => startsWith(name, word));
    return [found, word, found.map(parameterInWords)];
  }
  const [, name = '', value] = nameAndValue.exec(before) ?? [];
  if (value === undefined) return;
  const found = valuesOfParameter(name).filter((one) => startsWith(one, value));
  return [found, value, [parameterInWords(name)]];
}

/** Table names for \d, with the schema for system tables. */
export function completeTable(word: string, { tables }: Names): Completion {
  const quote = word.startsWith('"') ? '"' : '';
  const all = tables.map(({ schema, name }) =>
    isOfSystem(schema) && quote === '' ? `${schema}.${name}` : `${quote}${name}${quote}`,
  );
  return [all.filter((name) => startsWith(name, word)), word];
}

/** File names; folders end with /. */
export function completeFile(word: string): Completion {
  const folder = word.endsWith('/') ? word : dirname(word);
  try {
    const found = readdirSync(folder || '.', { withFileTypes: true }).map((entry) => {
      const path = word.startsWith('./') || folder !== '.' ? join(folder, entry.name) : entry.name;
      return `${word.startsWith('./') ? './' : ''}${path}${entry.isDirectory() ? '/' : ''}`;
    });
    return [found.filter((path) => path.startsWith(word)).sort(), word];
  } catch {
    return [[], word];
  }
}

export const startsWith = (name: string, word: string) =>
  name.toLowerCase().startsWith(word.toLowerCase());

interface Source {
  readonly table: string;
  readonly alias: string | undefined;
}

// FROM sys.segments AS s, JOIN "my table": the table without its schema.
function sourcesIn(statement: string): readonly Source[] {
  const name = '(?:"[^"]+"|[\\w$]+)';
  const pattern = new RegExp(
    `\\b(?:FROM|JOIN|INTO)\\s+(?:${name}\\.)?(${name})(?:\\s+(?:AS\\s+)?(${name}))?`,
    'gi',
  );
  return [...statement.matchAll(pattern)].map(([, table = '', alias]) => ({
    table: bare(table),
    alias: alias === undefined || keywords.includes(alias.toUpperCase()) ? undefined : bare(alias),
  }));
}

// Names defined in the statement: a table in `WITH edits AS (`, a column in `SUM(added) AS total`.
const withNames = /\b(?:WITH|,)\s*("[^"]+"|[\w$]+)\s+AS\s*\(/gi;
const columnNames = /\bAS\s+("[^"]+"|[\w$]+)(?!\s*\()/gi;

const listNamed = (statement: string, pattern: RegExp) =>
  [...statement.matchAll(pattern)]
    .map(([, name = '']) => bare(name))
    .filter((name) => !types.includes(name.toUpperCase()));

function behindDot(
  qualifier: string,
  sources: readonly Source[],
  statement: string,
  { tables, columnsOf }: Names,
): readonly string[] {
  const ofSchema = tables
    .filter(({ schema }) => schema.toLowerCase() === qualifier.toLowerCase())
    .map(({ name }) => name);
  if (ofSchema.length > 0) return ofSchema;
  const table = sources.find(({ alias }) => alias === qualifier)?.table ?? qualifier;
  // A subquery or a WITH query has the columns of the tables that it reads, and those that it
  // defines.
  return (
    columnsOf.get(table) ?? [
      ...new Set([
        ...listNamed(statement, columnNames),
        ...sources.flatMap((source) => columnsOf.get(source.table) ?? []),
      ]),
    ]
  );
}

const ofData = ({ tables }: Names) =>
  tables.filter(({ schema }) => !isOfSystem(schema)).map(({ name }) => name);

const relations = (names: Names) => [
  ...ofData(names),
  ...new Set(names.tables.map(({ schema }) => schema).filter(isOfSystem)),
];

/** Whether a schema describes the service and holds no user data. */
export const isOfSystem = (schema: string) => schema === 'sys' || schema === 'INFORMATION_SCHEMA';

function matching(word: string, found: readonly string[], areNames: boolean): readonly string[] {
  const isQuoted = word.startsWith('"');
  const typed = isQuoted ? word.slice(1) : word;
  const kept = found.filter((name) => startsWith(name, typed));
  if (areNames)
    return kept.map((name) =>
      isQuoted || !/^[A-Za-z_]\w*$/.test(name) || reserved.has(name.toUpperCase())
        ? quotedName(name)
        : name,
    );
  return typed !== '' && typed === typed.toLowerCase()
    ? kept.map((name) => name.toLowerCase())
    : kept;
}

const types =
  'ARRAY BIGINT BOOLEAN CHAR DATE DECIMAL DOUBLE FLOAT INTEGER REAL SMALLINT TIMESTAMP TINYINT VARCHAR'.split(
    ' ',
  );

const bare = (name: string) => (name.startsWith('"') ? name.slice(1, -1) : name);

const keywords =
  'ALL AND AS ASC BETWEEN BY CASE CAST CLUSTERED CROSS CUBE CURRENT_TIMESTAMP DATE DESC DISTINCT ELSE END ESCAPE EXCEPT EXISTS EXPLAIN EXTEND EXTERN FALSE FILTER FOLLOWING FOR FROM FULL GROUP GROUPING HAVING IN INNER INSERT INTERVAL INTO IS JOIN LEFT LIKE LIMIT NOT NULL OFFSET ON OR ORDER OUTER OVER OVERWRITE PARTITION PARTITIONED PIVOT PLAN PRECEDING RANGE REPLACE RIGHT ROLLUP ROWS SELECT SET SETS TABLE THEN TIMESTAMP TRUE UNBOUNDED UNION UNNEST UNPIVOT USING VALUES WHEN WHERE WITH'.split(
    ' ',
  );
const reserved = new Set([
  ...keywords,
  'DAY',
  'HOUR',
  'LANGUAGE',
  'MINUTE',
  'MONTH',
  'POSITION',
  'SECOND',
  'TIME',
  'USER',
  'VALUE',
  'YEAR',
]);
