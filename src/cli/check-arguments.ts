// Validation of a line's arguments against its command: an error names the missing or extra word
// and shows a correct line.
import { choicesOf, descriptionOf, isList, isOptional, type Schema } from '../contract/schema.ts';
import type { Command } from './command/command.ts';
import { pageOf } from './command/tree.ts';
import { UsageError } from './process/errors.ts';
import { flagOf, kebab } from './process/flags.ts';

/**
 * Throws a usage error when there are too many words or one is missing. With `mayChoose`, an
 * argument with a list of values may be missing: it is chosen later.
 */
export function checkArguments(
  words: readonly string[],
  command: Command,
  given: readonly string[],
  mayChoose: boolean,
): void {
  const known = Object.entries(command.arguments ?? {});
  const tooMuch = known.some(([, schema]) => isList(schema)) ? undefined : given[known.length];
  if (tooMuch !== undefined) {
    const taken =
      known.length === 0
        ? 'no arguments'
        : `only ${known.map(([name]) => kebab(name)).join(' and ')}`;
    throw new UsageError(
      `Argument [${tooMuch}] is unexpected: svcctl ${words.join(' ')} takes ${taken}`,
      roomFor(tooMuch, words, command),
    );
  }
  const [name, schema] =
    known.find(
      ([name, schema], at) =>
        !isOptional(schema) &&
        given[at] === undefined &&
        !(mayChoose && command.completers?.[name]),
    ) ?? [];
  if (name !== undefined && schema) throw missingArgument(name, schema, command);
}

/** Whether a required argument is missing. */
export const lacksArgument = ({ arguments: known = {} }: Command, given: number): boolean =>
  Object.values(known).some((schema, at) => at >= given && !isOptional(schema));

/** The usage error for a missing argument. */
export const missingArgument = (
  name: string,
  schema: Schema,
  command: Command,
  reason = '',
): UsageError =>
  new UsageError(
    `missing required argument '${kebab(name)}': ${inSentence(schema)}${reason}`,
    whatWouldDo(name, command),
  );

/** Throws a usage error when a required option is missing. */
export function checkOptions(command: Command, given: object): void {
  const [name, schema] =
    Object.entries(command.options ?? {}).find(
      ([name, schema]) => !isOptional(schema) && !(name in given),
    ) ?? [];
  if (name !== undefined && schema)
    throw new UsageError(
      `required option '${flagOf(name)}' not specified: ${inSentence(schema)}`,
      whatWouldDo(name, command),
    );
}

function roomFor(word: string, words: readonly string[], command: Command): string {
  const [option] =
    Object.entries(command.options ?? {}).find(([, schema]) => choicesOf(schema)?.includes(word)) ??
    [];
  if (option !== undefined) return `did you mean ${flagOf(option)} ${word}?`;
  const { usage, arguments: known } = pageOf(words, command);
  return `the usage is ${usage}${known.length > 0 ? '; quote an argument that contains spaces' : ''}`;
}

// The hint for a missing name includes the command that lists the names.
function whatWouldDo(name: string, { examples: [example], completers, hints }: Command): string {
  const listed = completers && name in completers ? hints?.notFound : undefined;
  return `an example: ${example}${listed?.startsWith('svcctl') ? `; ${listed}` : ''}`;
}

const inSentence = (schema: Schema) =>
  descriptionOf(schema).replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
