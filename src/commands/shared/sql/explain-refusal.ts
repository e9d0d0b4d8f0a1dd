// Help for a refused statement: its line with a mark below the error, the name that was meant, and
// what stands for the words of other databases.
import type { ServiceError } from '../../../client/errors.ts';
import { nearest } from '../../../model/nearest.ts';
import { isReserved } from '../../../model/reserved-words.ts';
import { quotedName, quotedText } from '../../../model/sql-text.ts';
import type { AskLine } from './ask-lines.ts';
import { functionInstead, signInstead, statementInstead } from './other-dialects.ts';
import { placeInQuery, sentenceOf } from './place-in-query.ts';
import { withoutComments } from './statement-parts.ts';

interface Where {
  readonly ask: AskLine;
  readonly width: number; // of the terminal
  readonly firstLine?: number; // of the statement in its file
  readonly isShell?: boolean;
}

/** Adds the help to an error of the service. Names are looked up for at most a second. */
export async function explainRefusal(
  error: ServiceError,
  statement: string,
  { ask, width, firstLine, isShell = false }: Where,
): Promise<void> {
  const excerpt = placeInQuery(statement, error, width, firstLine);
  const hint =
    statementInstead(statement, isShell) ??
    hintForTask(error, statement) ??
    hintForUnplanned(error) ??
    functionInstead(refusedFunction(error.message)) ??
    signInstead(error, statement) ??
    reservedName(error, statement) ??
    keywordMeant(error, statement) ??
    (await didYouMean(error, statement, ask));
  error.statement = { excerpt, ...(hint !== undefined && { hint }) };
  if (excerpt !== '') error.message = sentenceOf(error.message);
}

// INSERT and REPLACE are tasks, which the endpoint of queries refuses.
const hintForTask = ({ message }: ServiceError, statement: string) =>
  /\bSQL engine\b/i.test(message) &&
  /^(?:INSERT|REPLACE)\b/i.test(withoutComments(statement).trim())
    ? "svcctl ingest sql 'INSERT ...' runs the statement as a task"
    : undefined;

// The statement to write instead of one that the native engine does not plan.
function hintForUnplanned({ message }: ServiceError): string | undefined {
  if (message.includes('requires ordering a table by non-time column'))
    return 'rows of a table are sorted by __time alone: GROUP BY the columns, which sorts by any of them';
  if (/requires a join with '.*' condition/.test(message))
    return 'outer joins compare columns of both sides with =: a condition on one side belongs in a subquery of it';
  return undefined;
}

function refusedFunction(message: string): string {
  const [, name = ''] =
    /^No match found for function signature (\w+)\(/.exec(message) ??
    /^WITHIN GROUP not allowed with (\w+) function/.exec(message) ??
    [];
  return name;
}

// A reserved word that stands for a name: behind AS, or at the place of the error itself.
function reservedName(
  { message, line = 1, column = 1 }: ServiceError,
  statement: string,
): string | undefined {
  if (!/^(?:Incorrect syntax near|Received an unexpected token)/.test(message)) return undefined;
  const rest = statement
    .split('\n')
    .slice(line - 1)
    .join('\n')
    .slice(column - 1);
  const [, as, word = '', call] = /^(AS\s+)?([a-z_]\w*)(\s*\()?/i.exec(rest) ?? [];
  if (as === undefined && call !== undefined) return functionInstead(word);
  const key = word.toUpperCase();
  if (!isReserved(key) || (as === undefined ? clauseWords : queryWords).has(key)) return undefined;
  return `${word} is a reserved word: a name is written in quotation marks, ${quotedName(word)}`;
}

const queryWords: ReadonlySet<string> = new Set(['SELECT', 'VALUES', 'WITH', 'TABLE']);
const clauseWords: ReadonlySet<string> = new Set([
  ...queryWords,
  ...'FROM WHERE GROUP BY HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT MINUS'.split(
    ' ',
  ),
  ...'JOIN INNER LEFT RIGHT FULL CROSS NATURAL ON USING AND OR NOT IN IS NULL AS LIKE BETWEEN'.split(
    ' ',
  ),
  ...'CASE WHEN THEN ELSE END DISTINCT ALL OVER PARTITION FILTER INSERT INTO SET SHOW'.split(' '),
]);

const firstWords = ['SELECT', 'WITH', 'INSERT', 'REPLACE', 'EXPLAIN'];

/** The keyword that is meant by a mistyped one: at the place of the error, or just before it. */
function keywordMeant(
  { message, line = 1, column = 1 }: ServiceError,
  statement: string,
): string | undefined {
  const [, listed] = /acceptable options: \[(.*)\]/s.exec(message) ?? [];
  const isFirst = /^(?:Non-query expression|Incorrect syntax near)/.test(message);
  const known = isFirst
    ? firstWords
    : [...(listed ?? '').matchAll(/"([A-Z]+)"/g)].map(([, word = '']) => word);
  const lines = statement.split('\n');
  const before = [...lines.slice(0, line - 1), lines[line - 1]?.slice(0, column - 1)].join('\n');
  const [, last = ''] = /(\w+)\s*$/.exec(before) ?? [];
  const explained = statement.replace(/^\s*EXPLAIN\s+PLAN\s+FOR\b/i, '');
  const [, first = ''] =
    /^\s*(\w+)/.exec(isFirst ? explained : statement.slice(before.length)) ?? [];
  for (const word of [first, last]) {
    const near = word.length < 3 ? undefined : nearest(word, known);
    if (near !== undefined && near !== word.toUpperCase()) return `did you mean ${near}?`;
  }
  return undefined;
}

const patienceMs = 1000;

async function didYouMean(
  error: ServiceError,
  statement: string,
  ask: AskLine,
): Promise<string | undefined> {
  const unknown = unknownIn(error, statement);
  if (!unknown) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs);
  });
  const names = ask(namesLike(unknown.kind, statement)).catch(() => []);
  const rows = await Promise.race([names, tooLate]).finally(() => clearTimeout(timer));
  const known = [...new Set((rows ?? []).map(([name = '']) => name))];
  const near = nearest(unknown.name, known);
  return near === undefined || near === unknown.name ? undefined : `did you mean ${near}?`;
}

interface Unknown {
  readonly kind: 'table' | 'column' | 'function';
  readonly name: string;
}

// The sentences of Calcite's validator. In an unknown function, it knows no `*` either.
function unknownIn(
  { message, line = 1, column = 1 }: ServiceError,
  statement: string,
): Unknown | undefined {
  const [, table] = /^Object '(.+?)' not found/.exec(message) ?? [];
  if (table !== undefined) return { kind: 'table', name: table };
  const [, ofTable] = /^Column '(.+?)' not found/.exec(message) ?? [];
  if (ofTable !== undefined) return { kind: 'column', name: ofTable };
  const [, name] = /No match found for function signature ([^\s(]+)\(/.exec(message) ?? [];
  if (name !== undefined) return { kind: 'function', name };
  if (!/^Unknown (?:identifier|field) '\*'/.test(message)) return undefined;
  const before = statement.split('\n')[line - 1]?.slice(0, column - 1) ?? '';
  const [, called] = /(\w+)\s*\(\s*$/.exec(before) ?? [];
  return called === undefined ? undefined : { kind: 'function', name: called };
}

function namesLike(kind: Unknown['kind'], statement: string): string {
  switch (kind) {
    case 'table':
      return 'SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES';
    case 'column': {
      const tables = tablesIn(statement).map(quotedText).join(', ');
      const which = tables === '' ? '' : ` WHERE TABLE_NAME IN (${tables})`;
      return `SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS${which}`;
    }
    case 'function':
      return 'SELECT ROUTINE_NAME FROM INFORMATION_SCHEMA.ROUTINES';
  }
}

const tablesIn = (statement: string): readonly string[] =>
  [...statement.matchAll(/\b(?:FROM|JOIN)\s+(?:(?:"[^"]+"|[\w$]+)\.)?("[^"]+"|[\w$]+)/gi)].map(
    ([, name = '']) => name.replace(/^"(.*)"$/, '$1'),
  );
