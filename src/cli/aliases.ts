// Short and singular forms of nouns and verbs: `task ls` is `tasks list`.

import { isCommand } from './command/command.ts';
import type { Entries } from './command/tree.ts';
import { optionNamed } from './completion/place.ts';

// Nouns with a verb that runs when the line names none.
const shortNouns: Readonly<Record<string, readonly [noun: string, ...verb: string[]]>> = {
  ds: ['datasources', 'list'],
  ls: ['datasources', 'list'],
  ps: ['tasks', 'list', '--unfinished-first'],
};
const shortVerbs: Readonly<Record<string, string>> = { ls: 'list' };

/** The words of a line, with every alias written out. */
export async function withoutAliases(
  words: readonly string[],
  entries: Entries,
): Promise<readonly string[]> {
  const [first] = words;
  if (first === '__complete') {
    const start = words[1] === '--describe' ? 3 : words[1] === '--' ? 2 : 1;
    const before = await writtenOut(words.slice(start, -1), entries, false);
    return [...words.slice(0, start), ...before, ...words.slice(-1)];
  }
  if (first === 'help' || first === 'man')
    return [first, ...(await writtenOut(words.slice(1), entries, false))];
  return writtenOut(words, entries, true);
}

async function writtenOut(
  words: readonly string[],
  entries: Entries,
  runs: boolean, // completion and help need no verb
): Promise<readonly string[]> {
  const at = placeOfNoun(words);
  const given = words[at];
  if (given === undefined) return words;
  const [noun, ...verb] = nounMeant(given, entries);
  const [next = '', ...others] = words.slice(at + 1);
  const before = [...words.slice(0, at), noun];
  const long = Object.hasOwn(shortVerbs, next) ? shortVerbs[next] : undefined;
  if (long !== undefined && (await hasVerb(long, noun, entries)))
    return [...before, long, ...others];
  // gh api has the same default.
  if (noun === 'api' && next.startsWith('/')) return [...before, 'GET', ...words.slice(at + 1)];
  const asksHelp = words.includes('--help') || words.includes('-h');
  const isAlone = next === '' || next.startsWith('-');
  const added = runs && isAlone && !asksHelp ? verb : [];
  return [...before, ...added, ...words.slice(at + 1)];
}

// The first word that is neither an option nor its value.
function placeOfNoun(words: readonly string[]): number {
  let at = 0;
  for (let word = words[at]; word?.startsWith('-') && word !== '--'; word = words[at])
    at += !word.includes('=') && optionNamed(undefined, word)?.takesValue ? 2 : 1;
  return at;
}

function nounMeant(word: string, entries: Entries): readonly [noun: string, ...verb: string[]] {
  if (word in entries) return [word];
  const short = Object.hasOwn(shortNouns, word) ? shortNouns[word] : undefined;
  return short ?? [`${word}s` in entries ? `${word}s` : word];
}

async function hasVerb(verb: string, noun: string, entries: Entries): Promise<boolean> {
  const loaded = await entries[noun]?.load();
  return loaded !== undefined && !isCommand(loaded) && verb in loaded;
}
