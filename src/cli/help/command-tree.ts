// The command tree as JSON (`svcctl help --json`), for programs such as editors and assistants.
import { inverses } from '../../contract/inverses.ts';
import {
  anything,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  required,
  text,
  truth,
  type Value,
} from '../../contract/schema.ts';
import { formatJson } from '../../model/json.ts';
import type { HelpItem, Page } from '../command/page.ts';
import { type Entries, everyPage } from '../command/tree.ts';
import { exitCodes, meanings, type Outcome } from '../process/exit-codes.ts';
import { type Flag, flagEntries, flagOf } from '../process/flags.ts';

const item = {
  name: required(text, 'Name of the argument, or the long form of the flag'),
  term: required(text, 'The form of the usage line'),
  description: text,
  required: truth,
  type: required(oneOf('text', 'number', 'flag'), 'A flag takes no value'),
  short: optional(text, 'Short form'),
  value: optional(text, 'Kind of the value: file, interval, seconds'),
  choices: optional(listOf(text), 'Allowed values'),
  default: optional(anything, 'Value when it is not given'),
  bare: optional(text, 'Value of the flag when it is given without a value'),
  needs: optional(text, 'The flag that it requires'),
  repeatable: optional(truth, 'It may be repeated'),
  several: optional(truth, 'Its value is a list, separated by commas'),
  environment: optional(text, 'Variable with the same meaning'),
};

/** The shape of the command tree; `svcctl help schema command-tree` prints it as a JSON Schema. */
export const commandTree = object({
  program: text,
  version: text,
  exitCodes: listOf(object({ code: integer, outcome: text, meaning: text })),
  flags: required(
    listOf(
      object({
        ...item,
        group: oneOf('behaviour', 'output', 'connection'),
        appliesTo: required(
          oneOf('all', 'lists', 'reads', 'writes'),
          'Commands that take it; reads are lists that change nothing',
        ),
      }),
    ),
    'Shared flags',
  ),
  nouns: listOf(object({ name: text, summary: text })),
  commands: listOf(
    object({
      name: required(text, 'Words behind svcctl'),
      summary: text,
      description: optional(text, 'Paragraphs'),
      usage: text,
      arguments: listOf(object(item)),
      options: required(listOf(object(item)), 'Flags of this command'),
      sharedFlags: required(listOf(text), 'Names of the shared flags that it takes'),
      examples: listOf(text),
      columns: optional(listOf(text), 'Columns of a list'),
      writes: required(
        oneOf('none', 'change', 'destroy'),
        'Danger: change asks for a yes, destroy for the name',
      ),
      undo: optional(
        oneOf('yes', 'no', 'depends'),
        'Whether svcctl undo reverts the change; --dry-run labels each request',
      ),
      undoReasons: optional(listOf(text), 'Why svcctl undo cannot revert it'),
    }),
  ),
});

type Tree = Value<typeof commandTree>;

/**
 * The command tree as JSON, or the part of it below the given words. Undefined for words that are
 * no command.
 */
export async function treeAt(
  words: readonly string[],
  version: string,
  entries: Entries,
): Promise<string | undefined> {
  const tree = treeOf(version, await everyPage(entries));
  const isBelow = ({ name }: { readonly name: string }) =>
    words.every((word, at) => name.split(' ')[at] === word);
  const commands = tree.commands.filter(isBelow);
  if (commands.length === 0) return;
  const [noun] = words;
  const nouns = tree.nouns.filter(({ name }) => noun === undefined || name === noun);
  return `${formatJson({ ...tree, nouns, commands }, '  ')}\n`;
}

/** The command tree of pages, without the page of the program. */
export function treeOf(version: string, pages: readonly Page[]): Tree {
  const outcomes = Object.keys(exitCodes) as Outcome[];
  const [program, ...others] = pages;
  const shared = new Map(
    [program, ...others].flatMap((page) =>
      Object.values(page?.shared ?? {})
        .flat()
        .map((item) => [item.name, item] as const),
    ),
  );
  return {
    program: 'svcctl',
    version,
    exitCodes: outcomes.map((outcome) => ({
      code: exitCodes[outcome],
      outcome,
      meaning: meanings[outcome],
    })),
    flags: flagEntries.flatMap(([name, flag]) => sharedFlagOf(shared.get(flagOf(name)), flag)),
    nouns: others
      .filter(({ words }) => words.length === 1)
      .map(({ words, summary }) => ({ name: words.join(' '), summary })),
    commands: others.filter(({ isNoun }) => !isNoun).map(commandOf),
  };
}

const sharedFlagOf = (item: HelpItem | undefined, { group, only }: Flag) =>
  item === undefined ? [] : [{ ...copyOf(item), group, appliesTo: only ?? ('all' as const) }];

function commandOf(page: Page): Tree['commands'][number] {
  const { words, summary, description, usage, examples, columns, writes, shared } = page;
  return {
    name: words.join(' '),
    summary,
    ...(description !== undefined && { description }),
    usage,
    arguments: page.arguments.map(copyOf),
    options: page.options.map(copyOf),
    sharedFlags: Object.values(shared).flatMap((items) => items.map(({ name }) => name)),
    examples: [...examples],
    ...(columns && { columns: [...columns] }),
    writes,
    ...undoOf(page),
  };
}

const copyOf = ({ choices, completes: _, ...item }: HelpItem) => ({
  ...item,
  ...(choices && { choices: [...choices] }),
});

/** Whether `svcctl undo` reverts the changes of a command, from the endpoints that it calls. */
export function undoOf({
  endpoints,
  writes,
}: Pick<Page, 'endpoints' | 'writes'>): Pick<Tree['commands'][number], 'undo' | 'undoReasons'> {
  if (writes === 'none') return {};
  const known = endpoints.flatMap((endpoint) => inverses.get(endpoint) ?? []);
  const reasons = [...new Set(known.filter((inverse) => typeof inverse === 'string'))];
  if (known.length > 0 && known.every((inverse) => typeof inverse === 'string'))
    return { undo: 'no', undoReasons: reasons };
  const isSure = known.length > 0 && reasons.length === 0 && known.every(hasNoCondition);
  return isSure
    ? { undo: 'yes' }
    : { undo: 'depends', ...(reasons.length > 0 && { undoReasons: reasons }) };
}

const hasNoCondition = (inverse: unknown) =>
  typeof inverse === 'object' && inverse !== null && !('unless' in inverse);
