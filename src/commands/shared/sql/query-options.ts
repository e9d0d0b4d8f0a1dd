// Shared options of commands that send a statement: source of the text, parameters, context.
import { text as textOf } from 'node:stream/consumers';
import { readInput } from '../../../cli/input/read-json.ts';
import { UsageError } from '../../../cli/process/errors.ts';
import type { Io } from '../../../cli/process/io.ts';
import { fileName, listOf, optional, text } from '../../../contract/schema.ts';
import { type SqlRequest, sqlTypes } from '../../../contract/sql.ts';
import { parseJson } from '../../../model/json.ts';
import { nearest } from '../../../model/nearest.ts';
import { contextNames } from './context-parameters.ts';

export const statementArgument = {
  statement: optional(
    text,
    'SQL statement (default: from --file or standard input; on a terminal svcctl sql opens a shell)',
  ),
};

export const statementOptions = {
  file: optional(fileName, 'Read the statement from this file; - reads stdin'),
  param: optional(listOf(text), 'Value of the next ? as TYPE:VALUE, such as BIGINT:42'),
  context: optional(
    listOf(text),
    'Context parameter as KEY=VALUE, such as sqlTimeZone=Europe/Paris',
  ),
};

export const statementHints = {
  unknownName: 'svcctl datasources list shows what can be queried',
  noStatement: 'a statement begins with SELECT, WITH, EXPLAIN, INSERT or REPLACE',
};

/** Completion of their values. */
export const statementCompleters = {
  param: sqlTypes.map((type) => `${type}:`),
  context: contextNames.map((name) => `${name}=`),
};

export interface StatementInput {
  readonly args: { readonly statement?: string };
  readonly options: {
    readonly file?: string;
    readonly param?: readonly string[];
    readonly context?: readonly string[];
  };
}

/**
 * The statement with its parameters and context. No request is sent yet: errors in it are usage
 * errors.
 */
export async function requestOf(
  { args, options }: StatementInput,
  io: Io,
): Promise<Pick<SqlRequest, 'context' | 'parameters' | 'query'>> {
  // Empty lines at the beginning stay: errors name lines of the file.
  const query = (await statementText(args.statement, options.file, io)).trimEnd();
  if (query === '')
    throw new UsageError(
      'The statement is empty',
      'give it as an argument, with --file, or on standard input',
    );
  return {
    query,
    ...besidesStatement(options),
  };
}

/** The given parameters and context. Throws UsageError. */
export const besidesStatement = ({
  param,
  context,
}: StatementInput['options']): Pick<SqlRequest, 'context' | 'parameters'> => ({
  ...(param && { parameters: param.map(parameterOf) }),
  ...contextOf(context),
});

/**
 * The context of a request from the values of --context; empty without them. Throws UsageError for
 * anything but KEY=VALUE.
 */
export const contextOf = (given: readonly string[] | undefined): Pick<SqlRequest, 'context'> =>
  given ? { context: Object.fromEntries(given.map(contextEntryOf)) } : {};

async function statementText(
  given: string | undefined,
  file: string | undefined,
  io: Io,
): Promise<string> {
  if (given !== undefined && file !== undefined)
    throw new UsageError(
      'The statement is given twice: as an argument and by --file',
      'omit one of them',
    );
  if (given !== undefined && given !== '-') return given;
  if (file !== undefined && file !== '-') return readInput(file, io);
  if (io.stdin.isTTY)
    throw new UsageError(
      'There is no statement',
      "give it as an argument, with --file, or on standard input: svcctl sql 'SELECT 1'",
    );
  return textOf(io.stdin);
}

/**
 * The value of a `?` from TYPE:VALUE. Throws UsageError for an unknown type, and for a value that
 * does not fit it.
 */
export function parameterOf(given: string) {
  const colon = given.indexOf(':');
  if (colon <= 0)
    throw new UsageError(
      `Invalid value for --param: [${given}] is not TYPE:VALUE`,
      'an example: --param VARCHAR:Paris',
    );
  const type = given.slice(0, colon).toUpperCase();
  if (!sqlTypes.includes(type)) {
    const near = nearest(type, sqlTypes);
    throw new UsageError(
      `Invalid value for --param: [${given}]: [${type}] is not a SQL type; there are ${sqlTypes.join(', ')}`,
      near && `did you mean ${near}?`,
    );
  }
  return { type, value: parameterValue(type, given.slice(colon + 1), given) };
}

function parameterValue(type: string, text: string, given: string): unknown {
  if (text === 'NULL') return null;
  const form = forms.find(({ types }) => types.includes(type));
  if (!form) return text;
  const value = form.read(text);
  if (value === undefined)
    throw new UsageError(
      `Invalid value for --param: [${given}] is not of type ${type}; expected ${form.like}`,
    );
  return value;
}

interface Form {
  readonly types: readonly string[];
  readonly like: string;
  readonly read: (text: string) => unknown; // undefined for an invalid value
}

// The service would accept 5.5 as the INTEGER 5, and its errors for other values are unspecific.
const forms: readonly Form[] = [
  {
    types: ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT'],
    like: 'a whole number',
    read: (text) =>
      /^-?\d+$/.test(text) ? parseJson(text.replace(/^(-?)0+(?=\d)/, '$1')) : undefined,
  },
  {
    types: ['DOUBLE', 'FLOAT', 'REAL', 'DECIMAL', 'NUMERIC'],
    like: 'a number, as in 2.5',
    read: (text) =>
      /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)
        ? parseJson(text.replace(/^(-?)0+(?=\d)/, '$1'))
        : undefined,
  },
  {
    types: ['BOOLEAN'],
    like: 'true or false',
    read: (text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined),
  },
  {
    types: ['TIMESTAMP'],
    like: 'a time, as in 2024-05-01T12:00:00Z, 2024-05-01 12:00:00, or milliseconds since 1970',
    read: (text) =>
      /^-?\d+$/.test(text) && !/^\d{4}$/.test(text)
        ? parseJson(text)
        : Number.isNaN(Date.parse(text))
          ? undefined
          : text,
  },
  {
    types: ['DATE'],
    like: 'a day, as in 2024-05-01',
    read: (text) => (/^\d{4}-\d{2}-\d{2}$/.test(text) ? text : undefined),
  },
  { types: ['ARRAY'], like: 'a JSON array, as in [1,2]', read: arrayIn },
];

function arrayIn(text: string): unknown {
  try {
    const value = parseJson(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function contextEntryOf(given: string): [string, unknown] {
  const equals = given.indexOf('=');
  if (equals <= 0)
    throw new UsageError(
      `Invalid value for --context: [${given}] is not KEY=VALUE`,
      'an example: --context sqlTimeZone=Europe/Paris',
    );
  return [given.slice(0, equals), contextValueOf(given.slice(equals + 1))];
}

/** The value of a context parameter: JSON, or an unquoted text. */
export function contextValueOf(given: string): unknown {
  try {
    return parseJson(given);
  } catch {
    return given;
  }
}
