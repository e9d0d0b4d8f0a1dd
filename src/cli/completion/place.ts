// Position of the cursor on a command line: the command, and whether a flag needs a value. Reads
// only pages, so that completion need not load the declarations.
import type { HelpItem, Page } from '../command/page.ts';
import type { Entries } from '../command/tree.ts';
import { topicNames } from '../help/help.ts';
import { readPages } from '../help/page-files.ts';
import { type Flag, flagEntries, flagOf, flags } from '../process/flags.ts';

/** The program: the folder of its files, and its nouns. */
export interface Program {
  readonly folder: string;
  readonly entries: Entries;
}

export interface PlaceOnLine {
  readonly noun: string | undefined;
  readonly verb: string | undefined;
  readonly command: Page | undefined;
  readonly verbs: Explained; // candidates for the next word
  readonly values: readonly string[]; // of arguments so far
  readonly waiting: string | undefined; // a flag without its value
  readonly literal: boolean; // after `--`
  readonly given: Readonly<Record<string, unknown>>; // the shared flags on the line
}

/** Words with their summaries, which may be empty. */
export type Explained = ReadonlyMap<string, string>;

/** Parses the words of a line as far as possible; never throws. */
export async function placeOf(
  words: readonly string[],
  { folder, entries }: Program,
): Promise<PlaceOnLine> {
  const pagesOf = (noun: string) =>
    Object.hasOwn(entries, noun) ? readPages(folder, noun) : undefined;
  let noun: string | undefined;
  let verb: string | undefined;
  let command: Page | undefined;
  const nouns = Object.entries(entries).map(([name, { summary }]) => [name, summary] as const);
  let verbs: Explained = new Map([...nouns, ['help', 'Explain a command or a topic']]);
  let pages: readonly Page[] = [];
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
      const found = pagesOf(word);
      pages = found ?? [];
      command = pages.find(({ isNoun, words }) => words.length === 1 && !isNoun);
      if (found) verbs = word === 'man' ? new Map(nouns) : verbsOf(found);
      else verbs = word === 'help' ? new Map([...nouns, ...unexplained(topicNames)]) : none;
    } else if (noun === 'help' || noun === 'man') {
      const explained = pagesOf(word);
      const named = noun === 'help' && !explained?.length ? await namesIn(word) : [];
      verbs = explained ? verbsOf(explained) : unexplained(named);
    } else if (verbs.has(word) && values.length === 0) {
      verb = word;
      command = pages.find(({ words }) => words[1] === word);
      verbs = none;
    } else {
      values.push(word);
      verbs = none;
    }
  }
  return { noun, verb, command, verbs, values, waiting, literal, given };
}

const none: Explained = new Map();

const unexplained = (words: readonly string[]): Explained =>
  new Map(words.map((word) => [word, '']));

const verbsOf = (pages: readonly Page[]): Explained =>
  new Map(pages.flatMap(({ words: [, verb], summary }) => (verb ? [[verb, summary]] : [])));

// Values of the second word of a help topic.
async function namesIn(topic: string): Promise<readonly string[]> {
  if (topic === 'fault') return (await import('../help/faults.ts')).faultCodes;
  return topic === 'schema' ? [...(await import('../help/schemas.ts')).replySchemas().keys()] : [];
}

export interface NamedOption {
  readonly name: string;
  readonly takesValue: boolean;
  readonly item?: HelpItem;
  readonly shared?: Flag;
}

/** The option or shared flag of a command with this spelling. */
export function optionNamed(command: Page | undefined, flag: string): NamedOption | undefined {
  const items = command && [...command.options, ...(command.hidden ?? [])];
  const item = items?.find(({ name, short }) => flag === name || flag === short);
  if (item)
    return {
      name: item.name,
      item,
      takesValue: item.type !== 'flag' && item.bare === undefined,
    };
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
