// Answers of a guided builder: a flag answers a question, a terminal is asked, and elsewhere the
// guess stands.
import type { Context } from '../../../cli/command/command.ts';

interface Question<T> {
  readonly flag: string;
  readonly given: T | undefined; // by the flag
  readonly guess?: T;
}

/** A text. Throws UsageError where it is neither given nor guessed and cannot be asked for. */
export async function textOf(
  { ask }: Pick<Context, 'ask'>,
  question: string,
  { flag, given, guess }: Question<string>,
): Promise<string> {
  if (given !== undefined) return given;
  if (!ask.possible && guess !== undefined) return guess;
  return ask.text(question, flag, guess);
}

/** The name of a file. Throws UsageError where it is not given and cannot be asked for. */
export const fileOf = async (
  { ask }: Pick<Context, 'ask'>,
  question: string,
  { flag, given }: Question<string>,
): Promise<string> => given ?? ask.file(question, flag);

/** One of several words, the guess first. */
export async function choiceOf(
  { ask }: Pick<Context, 'ask'>,
  question: string,
  choices: readonly string[],
  { flag, given, guess }: Question<string>,
): Promise<string> {
  if (given !== undefined) return given;
  if (!ask.possible && guess !== undefined) return guess;
  const ordered =
    guess === undefined ? choices : [guess, ...choices.filter((choice) => choice !== guess)];
  return ask.choice(question, flag, ordered);
}

/** Yes or no; no where it cannot be asked. */
export async function truthOf(
  { ask }: Pick<Context, 'ask'>,
  question: string,
  { flag, given }: Question<boolean>,
): Promise<boolean> {
  if (given !== undefined) return given;
  return ask.possible && (await ask.yes(question, flag));
}
