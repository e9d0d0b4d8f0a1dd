// Help as text: summary, usage, examples, the command's own flags, then the shared flags.

import type { HelpItem, Page } from '../command/page.ts';
import type { FlagGroup } from '../process/flags.ts';
import { wrap } from '../terminal/wrapped.ts';

export const reference = 'https://druid.apache.org/docs/latest/api-reference/';

const groupTitles: Readonly<Record<FlagGroup, string>> = {
  behaviour: 'Safety flags',
  output: 'Output flags',
  connection: 'Connection flags',
};
export const groups = Object.entries(groupTitles) as [FlagGroup, string][];

export function helpOf(page: Page, width: number): string {
  const { summary, description, usage, examples, columns } = page;
  const shared = groups.map(([group, title]) => listOf(title, page.shared[group], width));
  return [
    `${summary}\n`,
    `Usage: ${usage}\n`,
    description === undefined ? '' : `${wrap(description, width)}\n`,
    listOf('Arguments', page.arguments, width),
    ...page.commands.map(({ title, commands }) =>
      rowsOf(
        title,
        commands.map(({ name, summary }) => [name, summary]),
        width,
      ),
    ),
    examples.length > 0 ? `Examples:\n${examples.map((example) => `  ${example}\n`).join('')}` : '',
    listOf('Flags', page.options, width),
    columns ? `Columns:\n  ${wrap(columns.join(', '), width - 2).replaceAll('\n', '\n  ')}\n` : '',
    ...shared,
    tail(page, width),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function tail({ words, commands }: Page, width: number): string {
  if (words.length === 0)
    return `"svcctl COMMAND --help" explains a command, "svcctl help TOPIC" the rest:\n  ${wrap(topicNames.join(', '), width - 2).replaceAll('\n', '\n  ')}\nThe API behind it: ${reference}\n`;
  return `${commands.length > 0 ? `"svcctl ${words.join(' ')} COMMAND --help" explains a command.\n` : ''}The API behind it: ${reference}\n`;
}

/** The topics of `svcctl help` besides the commands. */
export const topicNames = [
  'config',
  'dynamic-config',
  'environment',
  'exit-codes',
  'fault',
  'formatting',
  'ingestion',
  'jdbc',
  'limits',
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

const listOf = (title: string, items: readonly HelpItem[] | undefined, width: number) =>
  rowsOf(
    title,
    (items ?? []).map((item) => [
      item.term.startsWith('--') ? `    ${item.term}` : item.term,
      describeItem(item),
    ]),
    width,
  );

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
