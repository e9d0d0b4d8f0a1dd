// Source of a native query: an argument, a file or standard input.

import { readInput } from '../../cli/input/read-json.ts';
import { UsageError } from '../../cli/process/errors.ts';
import type { Io } from '../../cli/process/io.ts';
import type { NativeQuery } from '../../contract/native.ts';
import { native } from '../../contract/native.ts';
import { check, fileName, optional, text } from '../../contract/schema.ts';
import { parseJson } from '../../model/json.ts';

export const queryArgument = {
  query: optional(text, 'Query as JSON (default: read from --file or standard input)'),
};

export const fileOption = {
  file: optional(fileName, 'Read the query from this file; - reads stdin'),
};

export interface QueryInput {
  readonly args: { readonly query?: string };
  readonly options: { readonly file?: string };
}

/**
 * The query, with the members that all types share checked. No request is sent yet: errors in the
 * query are usage errors.
 */
export async function queryOf(
  { args: { query }, options: { file } }: QueryInput,
  io: Io,
): Promise<NativeQuery> {
  if (query !== undefined && query !== '-' && file !== undefined)
    throw new UsageError(
      'The query is given twice: as an argument and by --file',
      'omit one of them',
    );
  const content = query !== undefined && query !== '-' ? query : await readInput(file ?? '-', io);
  try {
    return check(native.query.body, parseJson(content));
  } catch (error) {
    throw new UsageError(
      `The query cannot be used: ${(error as Error).message}`,
      'it is a JSON object with queryType and dataSource',
    );
  }
}
