// The command tree as pages, one per command, for help, the manual, help --json and the README.
import {
  choicesOf,
  descriptionOf,
  isFlag,
  isList,
  isNumber,
  isOptional,
  itemOf,
  meansOf,
  type Schema,
} from '../../contract/schema.ts';
import {
  commonFlags,
  type Flag,
  type FlagGroup,
  type FlagName,
  flagEntries,
  flagOf,
  flags,
  kebab,
  variableOf,
} from '../process/flags.ts';
import { type Command, isCommand, type Noun } from './command.ts';
import type { Commands, HelpItem, Page, Reads } from './page.ts';
import { hiddenOptions } from './spellings.ts';

export interface Entry {
  readonly summary: string;
  readonly group: string;
  readonly common?: true; // help lists it first
  load(): Promise<Noun | Command>;
}

export type Entries = Readonly<Record<string, Entry>>;

export function pageOf(words: readonly string[], command: Command, verbs: Commands[] = []): Page {
  const {
    summary,
    description,
    examples,
    arguments: args = {},
    options = {},
    columns,
    writes = 'none',
    reads,
    endpoints = [],
  } = command;
  const hidden = hiddenOptions(command).map(({ name, schema, short }) => ({
    ...optionItem(name, schema, {}),
    ...(short !== undefined && { short: `-${short}` }),
  }));
  const positional = Object.entries(args).map(([name, schema]) =>
    argumentItem(name, schema, command),
  );
  return {
    words,
    isNoun: false,
    summary,
    ...(description !== undefined && { description }),
    usage: ['svcctl', ...words, '[options]', ...positional.map(({ term }) => term)].join(' '),
    arguments: positional,
    options: Object.entries(options).map(([name, schema]) => optionItem(name, schema, command)),
    ...(hidden.length > 0 && { hidden }),
    shared: sharedFlags(command),
    commands: verbs,
    examples,
    ...(Array.isArray(columns) && { columns: columns.map(({ name }) => name) }),
    writes,
    ...(reads && { reads: readsByItem(reads, args) }),
    endpoints,
  };
}

const readsByItem = (reads: NonNullable<Command['reads']>, args: object): Reads =>
  Object.fromEntries(
    Object.entries<readonly (string | true)[] | undefined>(reads).map(([name, values = []]) => [
      name in args ? kebab(name) : flagOf(name),
      values,
    ]),
  );

export function pageOfNoun(name: string, summary: string, noun: Noun): Page {
  const { itself, ...verbs } = noun;
  const commands = [
    {
      title: 'Commands',
      commands: Object.entries(verbs).map(([verb, { summary }]) => ({
        name: kebab(verb),
        summary,
      })),
    },
  ];
  if (itself) return pageOf([name], itself, commands);
  return { ...bare, words: [name], summary, usage: `svcctl ${name} COMMAND [options]`, commands };
}

export function pageOfProgram(entries: Entries): Page {
  const all = Object.entries(entries).map(([name, { summary, group, common }]) => ({
    name,
    summary,
    title: common ? 'Common commands' : group,
  }));
  const titles = [...new Set(all.map(({ title }) => title))].sort(
    (a, b) => Number(b === 'Common commands') - Number(a === 'Common commands'),
  );
  return {
    ...bare,
    words: [],
    summary: 'Administer an analytics data service over HTTP, or be one',
    usage: 'svcctl COMMAND [options]',
    examples: [
      'svcctl serve --port 8888',
      'svcctl profiles add local --url http://127.0.0.1:8888',
      'svcctl tasks list --state running',
    ],
    commands: titles.map((title) => ({
      title,
      commands: all.filter((command) => command.title === title),
    })),
    shared: sharedFlags({ columns: [] }),
  };
}

/** All pages: the program first, then noun by noun. */
export async function everyPage(entries: Entries): Promise<readonly Page[]> {
  const nouns = Object.entries(entries).map(async ([name, { summary, load }]) => {
    const loaded = await load();
    if (isCommand(loaded)) return [pageOf([name], loaded)];
    const { itself: _, ...verbs } = loaded;
    return [
      pageOfNoun(name, summary, loaded),
      ...Object.entries(verbs).map(([verb, command]) => pageOf([name, kebab(verb)], command)),
    ];
  });
  return [pageOfProgram(entries), ...(await Promise.all(nouns)).flat()];
}

/** Whether a command takes a shared flag. */
export function takes(
  name: FlagName,
  { columns, writes = 'none', obeys }: Pick<Command, 'columns' | 'writes' | 'obeys'>,
): boolean {
  const { only }: Flag = flags[name];
  if (only === 'writes') return writes !== 'none';
  if (only !== undefined && (columns === undefined || (only !== 'lists' && writes !== 'none')))
    return false;
  return !obeys || obeys.includes(name) || commonFlags.includes(name);
}

const typeOfFlag = ({ kind }: Flag): HelpItem['type'] => {
  if (kind === 'flag') return 'flag';
  return kind === 'number' || kind === 'seconds' ? 'number' : 'text';
};

export const sharedItem = (name: string, flag: Flag): HelpItem => ({
  name: flagOf(name),
  term: termOf(flagOf(name), flag.short, flag.value, flag.optionalValue),
  description: flag.description,
  required: false,
  type: typeOfFlag(flag),
  environment: variableOf(name),
  ...(flag.short !== undefined && { short: `-${flag.short}` }),
  ...(flag.value !== undefined && { value: flag.value }),
  ...(flag.choices && { choices: flag.choices }),
  ...(flag.default !== undefined && { default: flag.default }),
});

const bare = {
  isNoun: true,
  arguments: [],
  options: [],
  shared: {},
  commands: [],
  examples: [],
  endpoints: [],
  writes: 'none',
} as const;

function sharedFlags(
  command: Pick<Command, 'columns' | 'writes' | 'obeys' | 'options'>,
): Page['shared'] {
  const shared: Partial<Record<FlagGroup, HelpItem[]>> = {};
  for (const [name, flag] of flagEntries) {
    if (!takes(name, command) || (command.options && name in command.options)) continue;
    shared[flag.group] ??= [];
    shared[flag.group]?.push(sharedItem(name, flag));
  }
  return shared;
}

function argumentItem(name: string, schema: Schema, command: Command): HelpItem {
  const word = kebab(name) + (isList(schema) ? '...' : '');
  const required = !isOptional(schema);
  return {
    name: kebab(name),
    term: required ? `<${word}>` : `[${word}]`,
    required,
    ...completionOf(name, command),
    ...describeValue(schema),
  };
}

function optionItem(name: string, schema: Schema, command: Partial<Command>): HelpItem {
  const { shorts = {}, bare = {}, needs = {}, commas = [] } = command;
  const short = shorts[name];
  const needed = needs[name];
  const value = isFlag(schema) ? undefined : valueWord(name, schema);
  return {
    name: flagOf(name),
    term: termOf(flagOf(name), short, value, name in bare),
    required: !isOptional(schema),
    ...(short !== undefined && { short: `-${short}` }),
    ...(value !== undefined && { value }),
    ...(bare[name] !== undefined && { bare: bare[name] }),
    ...(commas.includes(name) && { several: true as const }),
    ...completionOf(name, command),
    ...(needed !== undefined && { needs: flagOf(String(needed)) }),
    ...describeValue(schema),
  };
}

function completionOf(
  name: string,
  { completers = {} }: Partial<Command>,
): Pick<HelpItem, 'completes'> {
  const completer = completers[name];
  if (completer === undefined) return {};
  return { completes: typeof completer === 'function' ? 'live' : completer };
}

// Placeholder of a flag's value: the unit or kind from its schema, else the flag's name.
const valueWord = (name: string, schema: Schema) =>
  meansOf(schema) ?? (isNumber(schema) ? 'number' : kebab(name));

function typeOf(schema: Schema): HelpItem['type'] {
  if (isFlag(schema)) return 'flag';
  return isNumber(itemOf(schema) ?? schema) ? 'number' : 'text';
}

function describeValue(schema: Schema) {
  const choices = choicesOf(schema);
  return {
    description: descriptionOf(schema),
    type: typeOf(schema),
    ...(choices && { choices }),
    ...(isList(schema) && { repeatable: true as const }),
  };
}

function termOf(
  long: string,
  short: string | undefined,
  value: string | undefined,
  mayBeBare = false,
): string {
  const flag = short === undefined ? long : `-${short}, ${long}`;
  return value === undefined ? flag : `${flag} ${mayBeBare ? `[${value}]` : `<${value}>`}`;
}
