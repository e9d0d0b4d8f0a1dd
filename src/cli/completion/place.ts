// Position of the cursor on a command line: the command, and whether a flag needs a value. Reads
// only declarations, so that help and completion need not load commander.
import { isFlag, type Schema } from '../../contract/schema.ts';
import { type Command, isCommand, type Noun } from '../command/command.ts';
import { hiddenOptions } from '../command/spellings.ts';
import type { Entries } from '../command/tree.ts';
import { topicNames } from '../help/help.ts';
import { type Flag, flagEntries, flagOf, flags, kebab } from '../process/flags.ts';

export interface PlaceOnLine {
  readonly noun: string | undefined;
  readonly verb: string | undefined;
  readonly command: Command | undefined;
  readonly verbs: readonly string[]; // candidates for the next word
  readonly values: readonly string[]; // of arguments so far
  readonly waiting: string | undefined; // a flag without its value
  readonly literal: boolean; // after `--`
  readonly given: Readonly<Record<string, unknown>>; // the shared flags on the line
}

/** Parses the words of a line as far as possible; never throws. */
export async function placeOf(words: readonly string[], entries: Entries): Promise<PlaceOnLine> {
  let noun: string | undefined;
  let verb: string | undefined;
  let command: Command | undefined;
  let verbs: readonly string[] = [...Object.keys(entries), 'help'];
  let loaded: Awaited<ReturnType<Entries[string]['load']>> | undefined;
  let waiting: string | undefined;
  let literal = false;
  const values: string[] = [];
  const given: Record<string, unknown> = {};
  for (const word of words) {
    if (waiting !== undefined) {
      keep(given, waiting, word);
      waiting = undefined;
    } else if (literal) values.push(word);
    else if (word === '--') literal = true;
    else if (word.startsWith('-') && word.length > 1) {
      const [flag = word, value] = word.split(/=(.*)/s);
      if (value !== undefined) keep(given, flag, value);
      else if (optionNamed(command, flag)?.takesValue) waiting = flag;
      else keep(given, flag, true);
    } else if (noun === undefined) {
      noun = word;
      loaded = await entries[word]?.load();
      if (loaded && isCommand(loaded))
        [command, verbs] = [loaded, word === 'man' ? Object.keys(entries) : []];
      else if (loaded) [command, verbs] = [loaded.itself, verbsOf(loaded)];
      else verbs = word === 'help' ? [...Object.keys(entries), ...topicNames] : [];
    } else if (noun === 'help' || noun === 'man') {
      const explained = await entries[word]?.load();
      verbs =
        explained && !isCommand(explained)
          ? verbsOf(explained)
          : noun === 'help'
            ? await namesIn(word)
            : [];
    } else if (verbs.includes(word) && values.length === 0 && loaded && !isCommand(loaded)) {
      verb = word;
      command = Object.entries(loaded).find(([name]) => kebab(name) === word)?.[1];
      verbs = [];
    } else {
      values.push(word);
      verbs = [];
    }
  }
  return { noun, verb, command, verbs, values, waiting, literal, given };
}

const verbsOf = (noun: Noun) =>
  Object.keys(noun)
    .filter((verb) => verb !== 'itself')
    .map(kebab);

// Values of the second word of a help topic.
async function namesIn(topic: string): Promise<readonly string[]> {
  if (topic === 'fault') return (await import('../help/faults.ts')).faultCodes;
  return topic === 'schema' ? [...(await import('../help/schemas.ts')).replySchemas().keys()] : [];
}

export interface NamedOption {
  readonly name: string;
  readonly takesValue: boolean;
  readonly schema?: Schema;
  readonly shared?: Flag;
}

/** The option or shared flag of a command with this spelling. */
export function optionNamed(command: Command | undefined, flag: string): NamedOption | undefined {
  for (const [name, schema] of Object.entries(command?.options ?? {})) {
    if (flag === flagOf(name) || flag === `-${command?.shorts?.[name]}`)
      return { name, schema, takesValue: !isFlag(schema) && !(name in (command?.bare ?? {})) };
  }
  for (const { name, schema, short } of command ? hiddenOptions(command) : [])
    if (flag === flagOf(name) || flag === `-${short}`) return { name, schema, takesValue: true };
  for (const [name, shared] of flagEntries) {
    if (flag === flagOf(name) || flag === `-${shared.short}`)
      return { name, shared, takesValue: shared.kind !== 'flag' && !shared.optionalValue };
  }
  return;
}

function keep(given: Record<string, unknown>, flag: string, value: string | true) {
  const name = Object.keys(flags).find(
    (known) =>
      flagOf(known) === flag || `-${(flags as Record<string, Flag>)[known]?.short}` === flag,
  );
  if (name !== undefined) given[name] = value;
}
