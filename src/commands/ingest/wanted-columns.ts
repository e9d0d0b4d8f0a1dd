// Choices of the user about delimiter, columns and types.
import { UsageError } from '../../cli/process/errors.ts';
import type { Guess, GuessedColumn, GuessedFormat } from './guess-columns.ts';

const types: Readonly<Record<string, GuessedColumn['type']>> = {
  varchar: 'VARCHAR',
  string: 'VARCHAR',
  bigint: 'BIGINT',
  long: 'BIGINT',
  double: 'DOUBLE',
  float: 'FLOAT',
  json: "TYPE('COMPLEX<json>')",
};

/** The character of --delimiter. Throws UsageError for several characters. */
export function delimiterNamed(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  if (given === 'tab' || given === '\\t') return '\t';
  if ([...given].length === 1 && !'"\r\n'.includes(given)) return given;
  throw new UsageError(
    `Value [${given}] of --delimiter is not one character`,
    'a character, such as ";", or tab',
  );
}

/** The columns with the types of --types. Throws UsageError for an unknown column or type. */
export function withTypes(path: string, guess: Guess, given: readonly string[]): Guess {
  const wanted = typesIn(given);
  for (const name of wanted.keys()) checkKnown(path, guess, name, '--types');
  const columns = guess.columns.map((column) => ({
    ...column,
    type: wanted.get(column.name) ?? column.type,
  }));
  return { ...guess, columns };
}

/** The columns of a file that svcctl cannot read, all from --types. Throws UsageError for none. */
export function declaredColumns(
  path: string,
  format: GuessedFormat,
  given: readonly string[],
): Guess {
  if (given.length === 0)
    throw new UsageError(
      `The columns of [${path}] cannot be guessed: it is not text`,
      'declare them: --types time:varchar,page:varchar,added:bigint',
    );
  const columns = [...typesIn(given)].map(([name, type]) => ({
    name,
    type,
    samples: [],
    isDeclared: true as const,
  }));
  return { format, delimiter: ',', hasHeader: false, columns };
}

function typesIn(given: readonly string[]): ReadonlyMap<string, GuessedColumn['type']> {
  const wanted = new Map<string, GuessedColumn['type']>();
  for (const item of given.flatMap((list) => list.split(','))) {
    const at = item.lastIndexOf(':');
    const [name, word] = [item.slice(0, at), item.slice(at + 1).toLowerCase()];
    const type = at > 0 && Object.hasOwn(types, word) ? types[word] : undefined;
    if (type === undefined)
      throw new UsageError(
        `Value [${item}] of --types is not a NAME:TYPE`,
        `the types are ${Object.keys(types).join(', ')}`,
      );
    wanted.set(name, type);
  }
  return wanted;
}

/** The names of --columns; undefined for all. Throws UsageError for an unknown column. */
export function wantedColumns(
  path: string,
  guess: Guess,
  given: string | undefined,
): readonly string[] | undefined {
  const names = given?.split(',').map((name) => name.trim());
  for (const name of names ?? []) checkKnown(path, guess, name, '--columns');
  return names;
}

function checkKnown(path: string, { columns }: Guess, name: string, flag: string): void {
  if (columns.some((column) => column.name === name)) return;
  throw new UsageError(
    `[${path}] has no column [${name}], named by ${flag}`,
    `its columns are ${columns.map((column) => column.name).join(', ')}`,
  );
}
