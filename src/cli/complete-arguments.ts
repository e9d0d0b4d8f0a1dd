// Arguments of a command: a missing one is chosen from a list on a terminal, and an abbreviated id
// becomes the whole one.
import { descriptionOf, isList, isOptional } from '../contract/schema.ts';
import { beginningOrEndingWith } from '../model/id-parts.ts';
import { missingArgument } from './check-arguments.ts';
import type { Choice, Command, Context, Identified } from './command/command.ts';
import { UsageError } from './process/errors.ts';
import type { ExitCode } from './process/exit-codes.ts';
import { kebab } from './process/flags.ts';
import { outcomeOf } from './process/outcome.ts';

type Input = Parameters<Command['run']>[1];
type Given = Readonly<Record<string, unknown>>;

/**
 * Runs a command with its arguments completed. A whole id costs a command that only reads no
 * further request: abbreviations are looked up after the service has refused the id.
 */
export async function runCompleted(
  command: Command,
  context: Context,
  input: Input,
): Promise<ExitCode | void> {
  const chosen = { ...input, args: await chooseMissing(command, context, input) };
  const isEarly = (command.writes ?? 'none') !== 'none' || hasSeveral(command, chosen.args);
  if (isEarly) return command.run(context, await lengthen(command, context, chosen));
  try {
    return await command.run(context, chosen);
  } catch (error) {
    if (!command.ids || outcomeOf(error) !== 'notFound') throw error;
    const whole = await lengthen(command, context, chosen);
    if (whole === chosen) throw error;
    return command.run(context, whole);
  }
}

const hasSeveral = ({ ids = {} }: Command, args: Given) =>
  Object.keys(ids).some((name) => Array.isArray(args[name]));

async function chooseMissing(
  command: Command,
  context: Context,
  { args: given, options }: Input,
): Promise<Given> {
  const args: Record<string, unknown> = { ...given };
  for (const [name, schema] of Object.entries(command.arguments ?? {})) {
    if (name in args) continue;
    if (isOptional(schema) && !isChosen(command, name, options)) continue;
    const mayChoose = context.ask.possible;
    const choices = mayChoose ? await choicesFor(command, context, name, args) : [];
    if (choices.length === 0) {
      if (isOptional(schema)) continue; // the command says what it needs
      const hasList = mayChoose && (command.completers?.[name] ?? command.ids?.[name]?.choices);
      throw missingArgument(name, schema, command, hasList ? '; there is none to choose from' : '');
    }
    const chosen = await context.ask.search(
      `${descriptionOf(schema)}:`,
      `argument ${kebab(name)}`,
      choices,
    );
    args[name] = isList(schema) ? [chosen] : chosen;
  }
  return args;
}

const isChosen = ({ chosenUnless = {} }: Command, name: string, options: Given) =>
  chosenUnless[name]?.some((option) => String(option) in options) === false;

async function choicesFor(
  { completers, ids = {} }: Command,
  context: Context,
  name: string,
  args: Given,
): Promise<readonly Choice[]> {
  const { choices } = ids[name] ?? {};
  if (choices) return choices(context);
  return (await namesFor(completers, context, name, args)).map((value) => ({ value, name: value }));
}

async function namesFor(
  completers: Command['completers'],
  context: Context,
  name: string,
  args: Given,
): Promise<readonly string[]> {
  const completer = completers?.[name];
  if (typeof completer !== 'function') return completer ?? [];
  const values = Object.entries(args).flatMap(([other, value]) =>
    other === name ? [] : [value].flat().map(String),
  );
  return completer({ ...context, values, typed: '' });
}

// The same input when every id is whole, or unknown.
async function lengthen(command: Command, context: Context, input: Input): Promise<Input> {
  let args: Given = input.args;
  for (const [name, identified] of Object.entries(command.ids ?? {})) {
    const given = args[name];
    if (!identified || given === undefined) continue;
    const list = once(() => namesFor(command.completers, context, name, args));
    const whole: string[] = [];
    for (const id of [given].flat().map(String))
      whole.push(await wholeId(id, identified, { context, list, args }));
    if (String(whole) !== String(given))
      args = { ...args, [name]: Array.isArray(given) ? whole : whole[0] };
  }
  return args === input.args ? input : { ...input, args };
}

interface Lookup {
  readonly context: Context;
  readonly list: () => Promise<readonly string[]>;
  readonly args: Given;
}

async function wholeId(
  id: string,
  { what, exists, meant = beginningOrEndingWith }: Identified,
  { context, list, args }: Lookup,
): Promise<string> {
  if (exists && (await isKnown(exists(context, id)))) return id;
  // A list that cannot be read leaves the refusal to the service.
  const known = await list().catch((): readonly string[] => []);
  if (id === '' || known.includes(id)) return id;
  const ids = meant(id, known, args);
  const [only, ...others] = ids;
  if (only === undefined) return id;
  if (others.length > 0) throw ambiguous(id, what, ids);
  context.out.note(`${capital(what)} [${id}] is [${only}].`);
  return only;
}

const isKnown = (asked: Promise<unknown>) =>
  asked.then(
    () => true,
    (error: unknown) => outcomeOf(error) !== 'notFound', // the command reports other errors
  );

const shownAtOnce = 10;

function ambiguous(id: string, what: string, meant: readonly string[]): UsageError {
  const shown = meant.slice(0, shownAtOnce).map((one) => `[${one}]`);
  const more = meant.length - shown.length;
  return new UsageError(
    `${capital(what)} id [${id}] is ambiguous: it begins or ends ${meant.length} ids: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    'give more of the id',
  );
}

const capital = (word: string) => word.replace(/^./, (letter) => letter.toUpperCase());

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
}
