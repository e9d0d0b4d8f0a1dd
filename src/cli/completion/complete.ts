// What could stand at the cursor: a noun, a verb, a flag, a value that the flag before it allows, or a live name from the service.
// Works on declarations, not on commander, so that nothing is parsed and nothing can fail.
import { choicesOf, isList, type Schema } from '../../contract/schema.ts';
import type { Command } from '../command.ts';
import { flagEntries, flagOf } from '../flags.ts';
import { nearest } from '../help/nearest.ts';
import { type Entries, takes } from '../help/tree.ts';
import type { Io } from '../io.ts';
import { type Named, optionNamed, type Place, placeOf } from './place.ts';

/** The words before the cursor, without svcctl, and the one under it; an empty list where files may stand. */
export async function complete(words: readonly string[], entries: Entries, io: Io): Promise<readonly string[]> {
  const typed = words.at(-1) ?? '';
  const place = await placeOf(words.slice(0, -1), entries);
  const [, flag, part] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? [];
  if (flag !== undefined && !place.literal) return (await valuesAt(place, flag, part ?? '', io)).map((value) => `${flag}=${value}`);
  if (place.waiting !== undefined) return valuesAt(place, place.waiting, typed, io);
  const known = await candidates(place, typed, io);
  const found = startingWith(known, typed);
  if (found.length > 0 || typed === '') return found;
  const meant = nearest(typed, typed.startsWith('-') ? known : place.verbs);
  return meant === undefined ? [] : [meant];
}

async function candidates(place: Place, typed: string, io: Io): Promise<readonly string[]> {
  const { command, verbs, values, literal } = place;
  if (typed.startsWith('-') && !literal) return flagsOf(command);
  const args = Object.entries(command?.arguments ?? {});
  const [name, schema] = args[values.length] ?? args.at(-1) ?? [];
  const more = name !== undefined && schema && (values.length < args.length || isList(schema)) ? await named(place, name, schema, io) : [];
  return [...verbs, ...more.filter((value) => !values.includes(value))];
}

function flagsOf(command: Command | undefined): string[] {
  const own = Object.keys(command?.options ?? {}).map(flagOf);
  const shared = flagEntries.flatMap(([name]) => (takes(name, command ?? {}) ? [flagOf(name)] : []));
  return [...new Set([...own, ...shared, '--help', ...(command ? [] : ['--version'])])];
}

// Of a list with commas, the last name is completed.
async function valuesAt(place: Place, flag: string, typed: string, io: Io): Promise<readonly string[]> {
  const option = optionNamed(place.command, flag);
  if (!option) return [];
  const values = await valuesOf(place, option, io);
  const isSeveral = option.shared?.several ?? place.command?.commas?.includes(option.name) ?? false;
  const start = isSeveral ? typed.lastIndexOf(',') + 1 : 0;
  const before = typed.slice(0, start);
  const named = before.split(',');
  return startingWith(values, typed.slice(start))
    .filter((value) => start === 0 || !named.includes(value))
    .map((value) => before + value);
}

async function valuesOf(place: Place, option: Named, io: Io): Promise<readonly string[]> {
  if (option.schema) return named(place, option.name, option.schema, io);
  if (option.shared?.choices) return option.shared.choices;
  if (option.shared?.completes === 'profiles') return (await import('./live-names.ts')).profileNames(io);
  const { columns } = place.command ?? {};
  const names = Array.isArray(columns) ? columns.map(({ name }: { name: string }) => name) : [];
  if (option.name === 'sort') return names.flatMap((name) => [name, `-${name}`]);
  return option.name === 'columns' || option.name === 'where' ? names : [];
}

async function named({ command, noun, values, given }: Place, name: string, schema: Schema, io: Io): Promise<readonly string[]> {
  const completer = command?.completers?.[name];
  if (!completer) return choicesOf(schema) ?? [];
  if (typeof completer !== 'function') return completer;
  const { liveNames } = await import('./live-names.ts');
  return liveNames(`${noun}.${name}.${values.join('.')}`, completer, given, io);
}

const startingWith = (words: readonly string[], start: string) => words.filter((word) => word.startsWith(start));
