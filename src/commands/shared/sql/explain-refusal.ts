// Help for a refused statement: its line with a mark below the error, the name that was meant, and
// the command for a statement of other databases.
import type { ServiceError } from '../../../client/errors.ts';
import { nearest } from '../../../model/nearest.ts';
import { commandLine } from '../../../model/shell-text.ts';
import { quotedText } from '../../../model/sql-text.ts';
import type { AskLine } from './ask-lines.ts';
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
    hintForForeign(statement, isShell) ?? (await didYouMean(error.message, statement, ask));
  error.statement = { excerpt, ...(hint !== undefined && { hint }) };
  if (excerpt !== '') error.message = sentenceOf(error.message);
}

function hintForForeign(statement: string, isShell: boolean): string | undefined {
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
  return /^SHOW\s+FUNCTIONS\b/i.test(text)
    ? isShell
      ? '\\df lists the functions'
      : "svcctl sql 'SELECT ROUTINE_NAME FROM INFORMATION_SCHEMA.ROUTINES'"
    : undefined;
}

const patienceMs = 1000;

async function didYouMean(
  message: string,
  statement: string,
  ask: AskLine,
): Promise<string | undefined> {
  const unknown = unknownIn(message);
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

// The sentences of Calcite's validator.
function unknownIn(message: string): Unknown | undefined {
  const [, table] = /^Object '(.+?)' not found/.exec(message) ?? [];
  if (table !== undefined) return { kind: 'table', name: table };
  const [, column] = /^Column '(.+?)' not found/.exec(message) ?? [];
  if (column !== undefined) return { kind: 'column', name: column };
  const [, name] = /No match found for function signature ([^\s(]+)\(/.exec(message) ?? [];
  return name === undefined ? undefined : { kind: 'function', name };
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
