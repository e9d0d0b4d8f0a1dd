// Commands that a line means whose words come from other tools: `get tasks`, `describe`, `logs`.
import { isCommand } from './command/command.ts';
import type { Entries } from './command/tree.ts';

/** Verbs of other tools, and the verbs here that do the same, the best first. */
const verbsFor: Readonly<Record<string, readonly string[]>> = {
  add: ['create', 'add', 'set'],
  create: ['set', 'apply', 'submit'],
  delete: ['drop', 'remove', 'cancel', 'terminate', 'kill'],
  describe: ['get', 'status'],
  kill: ['cancel', 'terminate'],
  logs: ['log'],
  remove: ['drop', 'delete', 'cancel', 'terminate'],
  rm: ['drop', 'delete', 'remove', 'cancel', 'terminate'],
  show: ['get', 'list'],
  stop: ['cancel', 'suspend', 'terminate'],
  tail: ['log'],
};

const commandsFor: Readonly<Record<string, string>> = {
  jobs: 'tasks list',
  log: 'tasks log',
  logs: 'tasks log',
  query: 'sql',
  tables: 'datasources list',
  version: '--version',
};

/** The verb that is meant by one of another tool; undefined for an unknown word. */
export const verbMeant = (word: string, known: readonly string[]): string | undefined =>
  (Object.hasOwn(verbsFor, word) ? verbsFor[word] : undefined)?.find((verb) =>
    known.includes(verb),
  );

/** The line that is meant by one that begins with no noun, such as `tasks list`. */
export async function lineMeant(
  [word = '', next, ...others]: readonly string[],
  entries: Entries,
): Promise<string | undefined> {
  const noun = next === undefined ? undefined : nounNamed(next, entries);
  const loaded = noun === undefined ? undefined : await entries[noun]?.load();
  if (noun !== undefined && loaded !== undefined && !isCommand(loaded)) {
    const known = Object.keys(loaded);
    const isList = word === 'get' && others.length === 0 && known.includes('list');
    const verb = isList ? 'list' : known.includes(word) ? word : verbMeant(word, known);
    if (verb !== undefined) return [noun, verb, ...others].join(' ');
  }
  return Object.hasOwn(commandsFor, word) ? commandsFor[word] : undefined;
}

const nounNamed = (word: string, entries: Entries): string | undefined =>
  [word, `${word}s`, `${word}es`].find((name) => name in entries);
