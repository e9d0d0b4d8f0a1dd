// Input files, read, parsed and checked before any request. `-` is stdin.
import { readFileSync } from 'node:fs';
import { check, type Schema, type Value } from '../../contract/schema.ts';
import { UsageError } from '../process/errors.ts';
import type { Io } from '../process/io.ts';

/** The text of a file; throws a usage error with its name. */
export async function readInput(file: string, { stdin }: Pick<Io, 'stdin'>): Promise<string> {
  if (file === '-' && stdin.isTTY)
    throw new UsageError(
      'Standard input is the terminal, so there is no document to read',
      'give a file, or redirect one: < FILE',
    );
  try {
    return file === '-'
      ? await process.getBuiltinModule('node:stream/consumers').text(stdin)
      : readFileSync(file, 'utf8');
  } catch (error) {
    throw cannotBeUsed(file, error);
  }
}

/** The JSON of a file, checked against a schema. */
export async function readJson<S extends Schema>(
  schema: S,
  file: string,
  io: Pick<Io, 'stdin'>,
): Promise<Value<S>> {
  const content = await readInput(file, io);
  const { parseJson } = await import('../../model/json.ts');
  try {
    return check(schema, parseJson(content));
  } catch (error) {
    throw error instanceof SyntaxError
      ? await notJson(file, content, error)
      : cannotBeUsed(file, error);
  }
}

/** The usage error for a text that is not JSON, with the position of its first error. */
export async function notJson(file: string, content: string, error: SyntaxError) {
  const { faultInJson } = await import('../../model/json-fault.ts');
  const fault = faultInJson(content);
  if (!fault) return cannotBeUsed(file, error);
  const { line, column, problem } = fault;
  return new UsageError(
    `File [${file}] is not JSON: line [${line}], column [${column}]: ${problem.replaceAll('\n', '\\n')}`,
  );
}

const cannotBeUsed = (file: string, error: unknown) =>
  (error as NodeJS.ErrnoException).code === 'ENOENT'
    ? new UsageError(`File [${file}] does not exist`)
    : new UsageError(
        `File [${file}] cannot be used: ${(error as Error).message.replaceAll('\n', '\\n')}`,
      ); // quotes the file on one line
