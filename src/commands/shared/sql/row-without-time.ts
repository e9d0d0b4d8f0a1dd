// The row behind InsertTimeNull. The service names no row in this error, so the query of the
// statement is run again for one row without a time.
import type { Context } from '../../../cli/command/command.ts';
import { ifKnown } from '../../../cli/command/if-known.ts';
import { CommandError } from '../../../cli/process/errors.ts';
import type { SqlRequest } from '../../../contract/sql.ts';
import { statements } from '../../../contract/statements.ts';
import { formatJson } from '../../../model/json.ts';
import { visibleLine } from '../../../model/visible-text.ts';
import { poll } from '../waiting/poll.ts';
import { partsOf, withoutComments } from './statement-parts.ts';

type Asking = Pick<Context, 'call' | 'out' | 'progress' | 'signal'>;

/** The error of a failed INSERT or REPLACE, with the row that has no time where one is found. */
export async function withRowWithoutTime(
  context: Asking,
  request: Pick<SqlRequest, 'query' | 'parameters'>,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof CommandError) || !/InsertTimeNull/.test(error.message)) return error;
  const query = queryOfRowWithoutTime(request.query);
  if (query === undefined) return error;
  const row = await findRow(context, { ...request, query }).catch(() => undefined);
  return row === undefined
    ? error
    : new CommandError(
        error.outcome,
        `${error.message}\nA row without a time: ${row}`,
        'svcctl help fault InsertTimeNull explains how to correct or to skip such rows',
      );
}

/**
 * The query for one row without a time of an INSERT or REPLACE; undefined for a statement with a
 * list of columns.
 */
export function queryOfRowWithoutTime(statement: string): string | undefined {
  const text = withoutComments(statement);
  const words = topWords(text);
  const at = (names: readonly string[], from = 0) =>
    words.find((word) => word.at >= from && names.includes(word.name))?.at;
  const into = at(['INTO']);
  const begin = at(['SELECT', 'WITH'], into);
  if (into === undefined || begin === undefined) return undefined;
  if (/^INTO\s+(?:"(?:[^"]|"")*"|[\w.]+)\s*\(/i.test(text.slice(into, begin))) return undefined;
  const query = text.slice(begin, at(['PARTITIONED'], begin));
  return `SELECT * FROM (\n${query.trim()}\n) WHERE "__time" IS NULL LIMIT 1`;
}

// The words outside of parentheses, texts and quoted names.
function topWords(text: string): readonly { readonly name: string; readonly at: number }[] {
  const words: { name: string; at: number }[] = [];
  let depth = 0;
  let isInWord = false;
  for (const { kind, at } of partsOf(text)) {
    const sign = kind === 'code' ? (text[at] ?? '') : '';
    if (sign === '(') depth++;
    if (sign === ')') depth--;
    const isLetter = /\w/.test(sign);
    const last = words.at(-1);
    if (isLetter && depth === 0 && isInWord && last) last.name += sign.toUpperCase();
    else if (isLetter && depth === 0) words.push({ name: sign.toUpperCase(), at });
    isInWord = isLetter && depth === 0;
  }
  return words;
}

async function findRow(
  context: Asking,
  { query, parameters }: Pick<SqlRequest, 'query' | 'parameters'>,
): Promise<string | undefined> {
  const { call, progress } = context;
  const body = { query, context: { executionMode: 'ASYNC' }, ...(parameters && { parameters }) };
  const reply = await ifKnown(call(statements.submit, { body }));
  if (!reply || !('queryId' in reply)) return undefined;
  const { queryId } = reply;
  const line = progress('Looking for the row without a time', { afterMs: 1000 });
  const look = () => call(statements.status, { params: { queryId } });
  let hasEnded = false;
  try {
    const what = `Statement [${queryId}] has not ended`;
    for await (const { state, schema, result } of poll(look, context, {
      what,
      maxWait,
      isKnown: true,
    })) {
      hasEnded = state === 'FAILED' || state === 'SUCCESS';
      if (state === 'FAILED') return undefined;
      if (!hasEnded) continue;
      const [row] = result?.sampleRecords ?? [];
      return row && rowInWords(row, schema ?? []);
    }
    return undefined;
  } finally {
    line.done();
    if (!hasEnded) await call(statements.cancel, { params: { queryId } }).catch(() => undefined);
  }
}

const maxWait = 60; // seconds

function rowInWords(
  row: readonly unknown[],
  schema: readonly { readonly name: string }[],
): string | undefined {
  const named = schema.map(({ name }, at) => [name, row[at]] as const);
  const text = visibleLine(formatJson(Object.fromEntries(named.filter(isNotTime))));
  return text.length <= mostLetters ? text : `${text.slice(0, mostLetters - 1)}…`;
}

const mostLetters = 300;

const isNotTime = ([name]: readonly [string, unknown]) => name !== '__time';
