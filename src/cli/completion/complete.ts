// Candidates at the cursor: nouns, verbs, flags, allowed values, or live names from the service.
// Reads declarations only and never fails.
import { choicesOf, descriptionOf, isList, type Schema } from '../../contract/schema.ts';
import { nearest } from '../../model/nearest.ts';
import { isVisible } from '../../model/visible-text.ts';
import type { Command } from '../command/command.ts';
import { type Entries, takes } from '../command/tree.ts';
import { flagEntries, flagOf } from '../process/flags.ts';
import type { Io } from '../process/io.ts';
import { type NamedOption, optionNamed, type PlaceOnLine, placeOf } from './place.ts';

export interface Candidate {
  readonly word: string;
  readonly description: string; // may be empty
}

/**
 * Takes the words before the cursor, without svcctl, and the word under it. Returns an empty list
 * where file names may stand. Shells read one candidate per line and show them on the terminal, so
 * names with unprintable characters are left out.
 */
export async function complete(
  words: readonly string[],
  entries: Entries,
  io: Io,
): Promise<readonly Candidate[]> {
  const place = await placeOf(words.slice(0, -1), entries);
  const found = await completeWord(place, words.at(-1) ?? '', io);
  return found
    .filter(isVisible)
    .map((word) => ({ word, description: describeCandidate(place, word) }));
}

function describeCandidate(
  { verbs, command, waiting, literal }: PlaceOnLine,
  word: string,
): string {
  if (waiting !== undefined || literal) return '';
  if (!word.startsWith('-')) return verbs.get(word) ?? '';
  const option = optionNamed(command, word);
  if (option?.schema) return descriptionOf(option.schema);
  return option?.shared?.description ?? programFlags[word] ?? '';
}

const programFlags: Readonly<Record<string, string>> = {
  '--help': 'Explain this command',
  '--version': 'Print the version',
};

async function completeWord(place: PlaceOnLine, typed: string, io: Io): Promise<readonly string[]> {
  const [, flag, part] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? [];
  if (flag !== undefined && !place.literal)
    return (await valuesAt(place, flag, part ?? '', io)).map((value) => `${flag}=${value}`);
  if (place.waiting !== undefined) return valuesAt(place, place.waiting, typed, io);
  const known = await candidates(place, typed, io);
  const found = startingWith(known, typed);
  if (found.length > 0 || typed === '') return found;
  const meant = nearest(typed, typed.startsWith('-') ? known : [...place.verbs.keys()]);
  return meant === undefined ? [] : [meant];
}

async function candidates(place: PlaceOnLine, typed: string, io: Io): Promise<readonly string[]> {
  const { command, verbs, values, literal } = place;
  if (typed.startsWith('-') && !literal) return flagsOf(command);
  const args = Object.entries(command?.arguments ?? {});
  const [name, schema] = args[values.length] ?? args.at(-1) ?? [];
  const more =
    name !== undefined && schema && (values.length < args.length || isList(schema))
      ? await completeNames(place, name, schema, typed, io)
      : [];
  // Before `--`, a name with a leading hyphen would be read as an option.
  return [
    ...verbs.keys(),
    ...more.filter((value) => !values.includes(value) && (literal || !value.startsWith('-'))),
  ];
}

function flagsOf(command: Command | undefined): string[] {
  const own = Object.keys(command?.options ?? {}).map(flagOf);
  const shared = flagEntries.flatMap(([name]) =>
    takes(name, command ?? {}) ? [flagOf(name)] : [],
  );
  return [...new Set([...own, ...shared, '--help', ...(command ? [] : ['--version'])])];
}

// In a comma-separated list, the last name is completed.
async function valuesAt(
  place: PlaceOnLine,
  flag: string,
  typed: string,
  io: Io,
): Promise<readonly string[]> {
  const option = optionNamed(place.command, flag);
  if (!option) return [];
  const isSeveral = option.shared?.several ?? place.command?.commas?.includes(option.name) ?? false;
  const start = isSeveral ? typed.lastIndexOf(',') + 1 : 0;
  const values = await valuesOf(place, option, typed.slice(start), io);
  const before = typed.slice(0, start);
  const named = before.split(',');
  return startingWith(values, typed.slice(start))
    .filter((value) => start === 0 || !named.includes(value))
    .map((value) => before + value);
}

async function valuesOf(
  place: PlaceOnLine,
  option: NamedOption,
  typed: string,
  io: Io,
): Promise<readonly string[]> {
  if (option.schema) return completeNames(place, option.name, option.schema, typed, io);
  if (option.shared?.choices) return option.shared.choices;
  if (option.shared?.completes === 'profiles')
    return (await import('./live-names.ts')).profileNames(io);
  const { columns } = place.command ?? {};
  const names = Array.isArray(columns) ? columns.map(({ name }: { name: string }) => name) : [];
  if (option.name === 'sort') return names.flatMap((name) => [name, `-${name}`]);
  return option.name === 'columns' || option.name === 'where' ? names : [];
}

async function completeNames(
  place: PlaceOnLine,
  name: string,
  schema: Schema,
  typed: string,
  io: Io,
): Promise<readonly string[]> {
  const { command, noun, verb = '', values, given } = place;
  const completer = command?.completers?.[name];
  if (!completer) return choicesOf(schema) ?? [];
  if (typeof completer !== 'function') return completer;
  const { liveNames } = await import('./live-names.ts');
  return liveNames(`${noun}.${verb}.${name}`, completer, { given, values, typed }, io);
}

const startingWith = (words: readonly string[], start: string) =>
  fewOf(words.filter((word) => word.startsWith(start)));

// Thousands of candidates are unreadable: offer their common prefixes, one letter longer than the
// part that all share.
function fewOf(words: readonly string[]): readonly string[] {
  if (words.length <= most) return words;
  const [first = '', ...others] = words.map((word) => Array.from(word));
  let shared = first.length;
  for (const letters of others) {
    let at = 0;
    while (at < shared && letters[at] === first[at]) at++;
    shared = at;
  }
  return [
    ...new Set(
      words.map((word) =>
        Array.from(word)
          .slice(0, shared + 1)
          .join(''),
      ),
    ),
  ];
}

const most = 500;
