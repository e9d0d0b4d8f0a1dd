// Candidates at the cursor: nouns, verbs, flags, allowed values, or live names from the service.
// Reads pages only, and the declaration of a command with live names.
import { nearest } from '../../model/nearest.ts';
import { isVisible } from '../../model/visible-text.ts';
import { type Completer, isCommand } from '../command/command.ts';
import type { HelpItem, Page } from '../command/page.ts';
import { flagEntries, flagOf, kebab } from '../process/flags.ts';
import type { Io } from '../process/io.ts';
import { type NamedOption, optionNamed, type PlaceOnLine, type Program, placeOf } from './place.ts';

interface World {
  readonly program: Program;
  readonly io: Io;
}

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
  program: Program,
  io: Io,
): Promise<readonly Candidate[]> {
  const place = await placeOf(words.slice(0, -1), program);
  const found = await completeWord(place, words.at(-1) ?? '', { program, io });
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
  return option?.item?.description ?? option?.shared?.description ?? programFlags[word] ?? '';
}

const programFlags: Readonly<Record<string, string>> = {
  '--help': 'Explain this command',
  '--version': 'Print the version',
};

async function completeWord(
  place: PlaceOnLine,
  typed: string,
  world: World,
): Promise<readonly string[]> {
  const [, flag, part] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? [];
  if (flag !== undefined && !place.literal)
    return (await valuesAt(place, flag, part ?? '', world)).map((value) => `${flag}=${value}`);
  if (place.waiting !== undefined) return valuesAt(place, place.waiting, typed, world);
  const known = await candidates(place, typed, world);
  const found = startingWith(known, typed);
  if (found.length > 0 || typed === '') return found;
  const meant = nearest(typed, typed.startsWith('-') ? known : [...place.verbs.keys()]);
  return meant === undefined ? [] : [meant];
}

async function candidates(
  place: PlaceOnLine,
  typed: string,
  world: World,
): Promise<readonly string[]> {
  const { command, verbs, values, literal } = place;
  if (typed.startsWith('-') && !literal) return flagsOf(command);
  const args = command?.arguments ?? [];
  const item = args[values.length] ?? args.at(-1);
  const more =
    item && (values.length < args.length || item.repeatable)
      ? await completeNames(place, item, typed, world)
      : [];
  // Before `--`, a name with a leading hyphen would be read as an option.
  return [
    ...verbs.keys(),
    ...more.filter((value) => !values.includes(value) && (literal || !value.startsWith('-'))),
  ];
}

function flagsOf(command: Page | undefined): string[] {
  const own = command?.options.map(({ name }) => name) ?? [];
  const shared = command
    ? Object.values(command.shared).flatMap((items) => items.map(({ name }) => name))
    : flagEntries.flatMap(([name, { only }]) => (only === undefined ? [flagOf(name)] : []));
  return [...new Set([...own, ...shared, '--help', ...(command ? [] : ['--version'])])];
}

// In a comma-separated list, the last name is completed.
async function valuesAt(
  place: PlaceOnLine,
  flag: string,
  typed: string,
  world: World,
): Promise<readonly string[]> {
  const option = optionNamed(place.command, flag);
  if (!option) return [];
  const isSeveral = option.shared?.several ?? option.item?.several ?? false;
  const start = isSeveral ? typed.lastIndexOf(',') + 1 : 0;
  const values = await valuesOf(place, option, typed.slice(start), world);
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
  world: World,
): Promise<readonly string[]> {
  if (option.item) return completeNames(place, option.item, typed, world);
  if (option.shared?.choices) return option.shared.choices;
  if (option.shared?.completes === 'profiles')
    return (await import('./live-names.ts')).profileNames(world.io);
  const names = place.command?.columns ?? [];
  if (option.name === 'sort') return names.flatMap((name) => [name, `-${name}`]);
  return option.name === 'columns' || option.name === 'where' ? names : [];
}

async function completeNames(
  place: PlaceOnLine,
  { name, completes, choices = [] }: HelpItem,
  typed: string,
  { program, io }: World,
): Promise<readonly string[]> {
  if (completes !== 'live') return completes ?? choices;
  const { noun = '', verb = '', values, given } = place;
  const completer = await completerOf(program, noun, verb, name);
  if (!completer) return [];
  const { liveNames } = await import('./live-names.ts');
  return liveNames(`${noun}.${verb}.${name}`, completer, { given, values, typed }, io);
}

async function completerOf(
  { entries }: Program,
  noun: string,
  verb: string,
  name: string,
): Promise<Completer | undefined> {
  const loaded = await entries[noun]?.load();
  if (!loaded) return;
  const command = isCommand(loaded)
    ? loaded
    : Object.entries(loaded).find(([key]) => kebab(key) === (verb || 'itself'))?.[1];
  const [, completer] =
    Object.entries(command?.completers ?? {}).find(
      ([key]) => kebab(key) === name.replace(/^--/, ''),
    ) ?? [];
  return typeof completer === 'function' ? completer : undefined;
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
