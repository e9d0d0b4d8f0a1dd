// Pages of the manual as roff, in the macros of man(7).
import { version } from '../../package.json';
import type { HelpItem, Page } from '../cli/command/page.ts';
import { describeItem, groups, reference } from '../cli/help/help.ts';
import { topics } from '../cli/help/topics.ts';
import { exitCodes, meanings, type Outcome } from '../cli/process/exit-codes.ts';

const edition = '2026-11-21';

/** The file name of a page, below man/. */
export const fileOf = ({ words }: Page): string => `${nameOf(words)}.1`;

/** A manual page; the first one includes the topics and the shared flags. */
export function manualPage(page: Page, all: readonly Page[]): string {
  const { words, summary, description, usage, examples, columns } = page;
  const isProgram = words.length === 0;
  const sections: string[] = [
    `.TH ${quote(nameOf(words).toUpperCase())} 1 ${edition} ${quote(`svcctl ${version}`)} ${quote('svcctl manual')}`,
    section('NAME', fill(`${nameOf(words)} - ${lower(summary)}`)),
    section('SYNOPSIS', fill(usage)),
    section('DESCRIPTION', (description ?? `${summary}.`).split('\n').flatMap(fill)),
    items('ARGUMENTS', page.arguments),
    section(
      'COMMANDS',
      page.commands.flatMap(({ commands }) =>
        commands.flatMap(({ name, summary }) => term(name, summary)),
      ),
    ),
    items('OPTIONS', page.options),
    columns ? section('COLUMNS', fill(columns.join(', '))) : '',
    ...(isProgram
      ? groups.map(([group, title]) => items(title.toUpperCase(), everyItem(all, group)))
      : [sharedSection(page)]),
    examples.length > 0 ? section('EXAMPLES', ['.nf', ...examples.map(plain), '.fi']) : '',
    section(
      'EXIT STATUS',
      isProgram ? outcomes() : ['0 when done; the others are explained in', '.BR svcctl (1).'],
    ),
    ...(isProgram
      ? Object.entries(topics)
          .filter(([name]) => name !== 'exit-codes' && name !== 'flags')
          .map(([name, text]) =>
            section(name.toUpperCase(), [
              '.nf',
              ...text().trimEnd().split('\n').slice(2).map(plain),
              '.fi',
            ]),
          )
      : []),
    section('SEE ALSO', [
      ...seeAlso(page).map((name) => `.BR ${plain(name)} (1),`),
      plain(reference),
    ]),
  ];
  return `${sections.filter((part) => part !== '').join('\n')}\n`;
}

const nameOf = (words: readonly string[]) => ['svcctl', ...words].join('-');

const section = (title: string, lines: readonly string[]) =>
  lines.length > 0 ? `.SH ${quote(title)}\n${lines.join('\n')}` : '';

const items = (title: string, list: readonly HelpItem[]) =>
  section(
    title,
    list.flatMap((item) => term(item.term, describeItem(item))),
  );

const term = (name: string, text: string) => ['.TP', `.B ${quote(name)}`, ...fill(`${text}.`)];

// Some flags apply only to lists or to writing commands; the program's page explains all of them.
function everyItem(all: readonly Page[], group: (typeof groups)[number][0]): HelpItem[] {
  const known = new Map(
    all.flatMap(({ shared }) => shared[group] ?? []).map((item) => [item.name, item]),
  );
  return [...known.values()].map((item) => ({
    ...item,
    description: `${item.description} (${item.environment})`,
  }));
}

function sharedSection({ shared }: Page): string {
  const names = Object.values(shared).flatMap((list) => list.map(({ name }) => name));
  return names.length === 0
    ? ''
    : section('SHARED OPTIONS', [...fill(`${names.join(', ')}:`), 'see', '.BR svcctl (1).']);
}

const outcomes = () =>
  (Object.keys(exitCodes) as Outcome[]).flatMap((outcome) =>
    term(String(exitCodes[outcome]), meanings[outcome]),
  );

function seeAlso({ words, commands }: Page): string[] {
  const above = words.map((_, at) => nameOf(words.slice(0, at)));
  return [
    ...above,
    ...commands.flatMap(({ commands }) => commands.map(({ name }) => nameOf([...words, name]))),
  ];
}

const lower = (summary: string) =>
  /^[A-Z][a-z]/.test(summary) ? summary.charAt(0).toLowerCase() + summary.slice(1) : summary;

// Filled text is broken into lines of less than 80 bytes, as is usual in roff; indented text keeps
// its lines.
function fill(text: string): string[] {
  if (text.startsWith(' ')) return [plain(text)];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && Buffer.byteLength(plain(longer)) < 80) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map(plain);
}

// A leading dot or quote would start a command, and a hyphen would become a dash.
function plain(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replace(/^ +/, (spaces) => '\\ '.repeat(spaces.length));
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

const quote = (text: string) => `"${plain(text).replaceAll('"', '\\(dq')}"`;
