// What every command takes that sends a statement: where its text comes from, parameters, context.
import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { UsageError } from '../../cli/errors.ts';
import type { Io } from '../../cli/io.ts';
import { listOf, optional, text } from '../../contract/schema.ts';
import type { SqlRequest } from '../../contract/sql.ts';
import { parseJson } from '../../model/json.ts';

export const statementArgument = {
  statement: optional(
    text,
    'The statement; without one it is read from --file or standard input, and on a terminal svcctl sql opens a shell',
  ),
};

export const statementOptions = {
  file: optional(text, 'Read the statement from this file; - is standard input'),
  param: optional(listOf(text), 'A value for the next ? of the statement, as TYPE:VALUE (BIGINT:42)'),
  context: optional(listOf(text), 'A context parameter, as KEY=VALUE (sqlTimeZone=Europe/Paris)'),
};

export interface StatementInput {
  readonly args: { readonly statement?: string };
  readonly options: { readonly file?: string; readonly param?: readonly string[]; readonly context?: readonly string[] };
}

/** The statement with its parameters and context. Nothing is sent yet: what is wrong with it is a usage error. */
export async function requestOf({ args, options }: StatementInput, io: Io): Promise<Pick<SqlRequest, 'context' | 'parameters' | 'query'>> {
  const query = (await statementText(args.statement, options.file, io)).trim();
  if (query === '') throw new UsageError('The statement is empty', "svcctl sql 'SELECT 1' runs one");
  return {
    query,
    ...besidesStatement(options),
  };
}

/** The parameters and the context that were given. Throws UsageError. */
export const besidesStatement = ({ param, context }: StatementInput['options']): Pick<SqlRequest, 'context' | 'parameters'> => ({
  ...(param && { parameters: param.map(parameterOf) }),
  ...contextOf(context),
});

/** The context of a request, of what --context was given; nothing without. Throws UsageError for what is not KEY=VALUE. */
export const contextOf = (given: readonly string[] | undefined): Pick<SqlRequest, 'context'> =>
  given ? { context: Object.fromEntries(given.map(contextEntryOf)) } : {};

async function statementText(given: string | undefined, file: string | undefined, { stdin }: Io): Promise<string> {
  if (given !== undefined && file !== undefined) throw new UsageError('The statement is given twice: as an argument and by --file');
  if (given !== undefined && given !== '-') return given;
  if (file !== undefined && file !== '-') {
    return readFile(file, 'utf8').catch((error: Error) => {
      throw new UsageError(`File [${file}] given by --file cannot be read: ${error.message}`);
    });
  }
  if (stdin.isTTY)
    throw new UsageError('There is no statement', "give it as an argument, with --file, or on standard input: svcctl sql 'SELECT 1'");
  return textOf(stdin);
}

/** A value for a `?`, of TYPE:VALUE. Throws UsageError. */
export function parameterOf(given: string) {
  const colon = given.indexOf(':');
  if (colon <= 0) throw new UsageError(`Invalid value for --param: [${given}] is not TYPE:VALUE`, 'an example: --param VARCHAR:Paris');
  const type = given.slice(0, colon).toUpperCase();
  return { type, value: parameterValue(type, given.slice(colon + 1), given) };
}

function parameterValue(type: string, value: string, given: string): unknown {
  if (value === 'NULL') return null;
  if (type === 'ARRAY' || ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'DOUBLE', 'FLOAT', 'REAL', 'DECIMAL', 'BOOLEAN'].includes(type)) {
    try {
      return parseJson(value);
    } catch {
      throw new UsageError(`Invalid value for --param: [${given}] is no ${type}`);
    }
  }
  return value;
}

function contextEntryOf(given: string): [string, unknown] {
  const equals = given.indexOf('=');
  if (equals <= 0)
    throw new UsageError(`Invalid value for --context: [${given}] is not KEY=VALUE`, 'an example: --context sqlTimeZone=Europe/Paris');
  return [given.slice(0, equals), contextValueOf(given.slice(equals + 1))];
}

/** The value of a context parameter: JSON, or a text, which need not be quoted. */
export function contextValueOf(given: string): unknown {
  try {
    return parseJson(given);
  } catch {
    return given;
  }
}
