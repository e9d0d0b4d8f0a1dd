// Help as text: summary, usage, examples, the command's own flags, then the shared flags.

import type { Commands, HelpItem, Page } from '../command/page.ts';
import type { FlagGroup } from '../process/flags.ts';
import { wrap } from '../terminal/wrapped.ts';

export const reference = 'https://druid.apache.org/docs/latest/api-reference/';

const groupTitles: Readonly<Record<FlagGroup, string>> = {
  behaviour: 'Safety flags',
  output: 'Output flags',
  connection: 'Connection flags',
};
export const groups = Object.entries(groupTitles) as [FlagGroup, string][];

/** The parts of a help page that a short page may omit, in the order in which it omits them. */
const longParts = ['columns', 'description', 'further examples', 'choices'] as const;
const namesOnly = 'explanations of further flags';
type LongPart = (typeof longParts)[number] | typeof namesOnly | 'shared flags';

export interface Screen {
  readonly width: number;
  readonly height: number; // lines for help
}

/**
 * A page without the shared flags; parts that do not fit the screen are omitted as well. Where that
 * is not enough, the last flags have names only.
 */
export function helpOf(page: Page, { width, height }: Screen): string {
  if (page.words.length === 0) return shortProgramHelp(page, width);
  const hasShared = Object.keys(page.shared).length > 0;
  const lacking = longParts.filter((part) => hasPart(page, part));
  const textWithout = (parts: readonly LongPart[]) =>
    pageText(page, width, hasShared ? [...parts, 'shared flags'] : parts);
  const fits = (text: string) => countLines(text, width) <= height;
  for (let count = 0; count <= lacking.length; count++) {
    const text = textWithout(lacking.slice(0, count));
    if (fits(text)) return text;
  }
  const parts = [
    ...lacking,
    'explanations of further flags',
    ...(hasShared ? shared : []),
  ] as const;
  for (let explained = page.options.length - 1; explained > 0; explained--) {
    const text = pageText(page, width, parts, explained);
    if (fits(text)) return text;
  }
  return pageText(page, width, parts, 0);
}

const shared = ['shared flags'] as const;

/** The whole page, with the shared flags. */
export const wholeHelpOf = (page: Page, width: number): string => pageText(page, width, []);

const hasPart = (
  { columns, description, examples, options, arguments: args }: Page,
  part: (typeof longParts)[number],
) =>
  ({
    columns: columns !== undefined,
    description: description !== undefined,
    'further examples': examples.length > 1,
    choices: [...options, ...args].some((item) => describeItem(item) !== item.description),
  })[part];

// The first `explained` flags have explanations.
function pageText(
  page: Page,
  width: number,
  omitted: readonly LongPart[],
  explained = page.options.length,
): string {
  const { summary, usage } = page;
  const has = (part: LongPart) => !omitted.includes(part);
  const description = has('description') ? page.description : undefined;
  const examples = has('further examples') ? page.examples : page.examples.slice(0, 1);
  const columns = has('columns') ? page.columns : undefined;
  const shared = has('shared flags') ? page.shared : {};
  const describe = has('choices') ? describeItem : ({ description }: HelpItem) => description;
  return [
    `${summary}\n`,
    `Usage: ${usage}\n`,
    description === undefined ? '' : `${wrap(description, width)}\n`,
    listOf('Arguments', page.arguments, width, describe),
    ...page.commands.map(({ title, commands }) => rowsOf(title, commands.map(rowOf), width)),
    examples.length > 0 ? `Examples:\n${examples.map((example) => `  ${example}\n`).join('')}` : '',
    listOf('Flags', page.options.slice(0, explained), width, describe),
    namesOf('Further flags', page.options.slice(explained), width),
    columns ? `Columns:\n  ${wrap(columns.join(', '), width - 2).replaceAll('\n', '\n  ')}\n` : '',
    ...groups.map(([group, title]) => listOf(title, shared[group], width)),
    tail(page, width, omitted),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function tail({ words, commands }: Page, width: number, omitted: readonly LongPart[]): string {
  if (words.length === 0) return programTail(width);
  const line = `svcctl ${words.join(' ')}`;
  return [
    commands.length > 0 ? `"${line} COMMAND --help" explains a command.\n` : '',
    omitted.length > 0
      ? `${wrap(`"${line} --help --all" ${omitted.includes(namesOnly) ? 'explains all flags.' : `adds ${inWords(omitted)}.`}`, width)}\n`
      : '',
    `The API behind it: ${reference}\n`,
  ].join('');
}

const inWords = (parts: readonly string[]) =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

/** All commands on one screen: the common ones with their summaries, the others by name. */
function shortProgramHelp({ summary, usage, commands }: Page, width: number): string {
  const [common, ...others] = commands;
  const indent = Math.max(...others.map(({ title }) => title.length)) + 3;
  const rows = others.map(({ title, commands }) => {
    const names = wrap(commands.map(({ name }) => name).join(', '), width - indent);
    return `  ${title}`.padEnd(indent) + names.replaceAll('\n', `\n${' '.repeat(indent)}`);
  });
  return [
    `${summary}\n`,
    `Usage: ${usage}\n`,
    common ? rowsOf(common.title, common.commands.map(rowOf), width) : '',
    `More commands:\n${rows.join('\n')}\n`,
    `"svcctl COMMAND --help" explains a command; "svcctl --help --all" says more.\nThe API behind it: ${reference}\n`,
  ].join('\n');
}

const rowOf = ({ name, summary }: Commands['commands'][number]) => [name, summary] as const;

// A long example goes on in the next line of the terminal.
const countLines = (text: string, width: number) =>
  text
    .trimEnd()
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);

const programTail = (width: number) =>
  `"svcctl COMMAND --help" explains a command, "svcctl help TOPIC" the rest:\n  ${wrap(topicNames.join(', '), width - 2).replaceAll('\n', '\n  ')}\nThe API behind it: ${reference}\n`;

/** The topics of `svcctl help` besides the commands. */
export const topicNames = [
  'config',
  'dynamic-config',
  'environment',
  'exit-codes',
  'fault',
  'flags',
  'formatting',
  'ingestion',
  'jdbc',
  'limits',
  'mcp',
  'profiles',
  'retention',
  'schema',
  'security',
  'sql',
  'testing',
] as const;

export function describeItem({
  description,
  choices,
  default: defaultValue,
  repeatable,
}: HelpItem): string {
  const more = [
    choices?.join(', '),
    defaultValue !== undefined && `default ${defaultValue}`,
    repeatable && 'may be repeated',
  ].filter(Boolean);
  return more.length > 0 ? `${description} (${more.join('; ')})` : description;
}

const listOf = (
  title: string,
  items: readonly HelpItem[] | undefined,
  width: number,
  describe = describeItem,
) =>
  rowsOf(
    title,
    (items ?? []).map((item) => [
      item.term.startsWith('--') ? `    ${item.term}` : item.term,
      describe(item),
    ]),
    width,
  );

function namesOf(title: string, items: readonly HelpItem[], width: number): string {
  if (items.length === 0) return '';
  const names = items.map(({ term }) => /--[\w-]+/.exec(term)?.[0] ?? term);
  return `${title}:\n  ${wrap(names.join(', '), width - 2).replaceAll('\n', '\n  ')}\n`;
}

const least = 24; // columns for an explanation beside its term; with less room it is below
const below = 6;

function rowsOf(
  title: string,
  rows: readonly (readonly [string, string])[],
  width: number,
): string {
  if (rows.length === 0) return '';
  const indent = Math.min(Math.max(...rows.map(([term]) => term.length)), 32) + 4;
  const lines = rows.map(([term, text]) => {
    if (width - indent < least)
      return `  ${term}\n${wrap(text, width - below).replace(/^/gm, ' '.repeat(below))}\n`;
    const start = `  ${term}`.padEnd(indent);
    const said = wrap(text, width - indent).replaceAll('\n', `\n${' '.repeat(indent)}`);
    return start.length > indent ? `${start}\n${' '.repeat(indent)}${said}\n` : `${start}${said}\n`;
  });
  return `${title}:\n${lines.join('')}`;
}
