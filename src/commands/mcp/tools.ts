// Tools from the declarations of commands: name, description, input schema, and the command line of
// a call.
import type { HelpItem, Page } from '../../cli/command/page.ts';
import { undoOf } from '../../cli/help/command-tree.ts';
import { UsageError } from '../../cli/process/errors.ts';

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, object>>;
    readonly required: string[];
    readonly additionalProperties: false;
  };
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
  };
  readonly page: Page;
}

export interface Offer {
  readonly allowsWrites: boolean;
  readonly nouns: readonly string[] | undefined; // all, if undefined
}

/** The tools of the commands that neither need a terminal nor run forever. */
export const toolsOf = (pages: readonly Page[], { allowsWrites, nouns }: Offer): readonly Tool[] =>
  pages
    .filter(({ words: [noun = ''], isNoun }) => !isNoun && (!nouns || nouns.includes(noun)))
    .filter(isForPrograms)
    .flatMap((page) => (allowsWrites || !changesSomething(page) ? page : readingForm(page)))
    .map(toolOf);

const isReadingForm = ({ writes, reads }: Page) => writes === 'none' && reads !== undefined;

/** The form of a changing command that only reads; none for a command that always changes. */
function readingForm(page: Page): readonly Page[] {
  const { arguments: args, options, reads } = page;
  if (!reads) return [];
  const narrow = (items: readonly HelpItem[]) =>
    items.flatMap((item) => {
      const values = reads[item.name];
      if (!values) return item;
      return values.length === 0 ? [] : { ...item, required: true, choices: values.map(String) };
    });
  return [{ ...page, arguments: narrow(args), options: narrow(options), writes: 'none' }];
}

// Commands about this program and its user, and those that draw, edit or do not end.
const leftOutNouns = ['completion', 'login', 'logout', 'man', 'mcp', 'profiles', 'serve', 'top'];
const leftOutVerbs = ['edit', 'watch'];
const leftOutCommands = ['supervisors create', 'tasks create', 'users password'];

const isForPrograms = ({ words: [noun = '', verb = ''] }: Page) =>
  !leftOutNouns.includes(noun) &&
  !leftOutVerbs.includes(verb) &&
  !leftOutCommands.includes(`${noun} ${verb}`);

// Export writes files on this machine.
const changesSomething = ({ words: [noun], writes }: Page) =>
  writes !== 'none' || noun === 'export';

// Options that wait forever, run programs, or read another profile.
const leftOutOptions = [
  '--follow',
  '--new-password-command',
  '--new-password-file',
  '--new-password-stdin',
  '--profiles',
];
const offeredFlags = ['--columns', '--limit', '--query', '--sort', '--where'];

interface Input {
  readonly key: string;
  readonly item: HelpItem;
}

// A query is SQL to everybody who calls a tool.
const keyOf = ({ name }: HelpItem) =>
  name === '--query' ? 'jmespath' : name.replace(/^--/, '').replaceAll('-', '_');

const inputsOf = (items: readonly HelpItem[]): readonly Input[] =>
  items.map((item) => ({ key: keyOf(item), item }));

const argumentsIn = ({ arguments: args }: Page) => inputsOf(args);

function optionsIn({ options, shared }: Page): readonly Input[] {
  const own = options.filter(({ name }) => !leftOutOptions.includes(name));
  const flags = Object.values(shared)
    .flat()
    .filter(({ name }) => offeredFlags.includes(name));
  return inputsOf([...own, ...flags]);
}

const takesFlag = ({ shared }: Page, flag: string) =>
  Object.values(shared).some((items) => items.some(({ name }) => name === flag));

const readsStdin = ({ arguments: args, options }: Page) =>
  [...args, ...options].some(({ description }) => /stdin|standard input/.test(description));

function toolOf(page: Page): Tool {
  const { words, summary, writes } = page;
  const inputs = [...argumentsIn(page), ...optionsIn(page)];
  return {
    name: words.join('_').replaceAll('-', '_'),
    description: descriptionOf(page),
    inputSchema: {
      type: 'object',
      properties: {
        ...Object.fromEntries(inputs.map(({ key, item }) => [key, schemaOf(item)])),
        ...(readsStdin(page) && { stdin: stdinSchema }),
        ...(writes !== 'none' && confirmSchemas),
      },
      required: inputs.filter(({ item }) => item.required).map(({ key }) => key),
      additionalProperties: false,
    },
    annotations: {
      title: summary,
      readOnlyHint: !changesSomething(page),
      destructiveHint: writes === 'destroy',
    },
    page,
  };
}

const stdinSchema = {
  type: 'string',
  description: 'Content of standard input: give - as the file',
};
const confirmSchemas = {
  confirm: {
    type: 'boolean',
    default: false,
    description: 'true makes the change; otherwise the result is a preview',
  },
  confirm_name: {
    type: 'string',
    description: 'With confirm: the name that a refusal asks for as --confirm=NAME',
  },
};

const undoSentences = {
  yes: 'undo reverts it.',
  no: 'It cannot be undone.',
  depends: 'The preview says whether undo reverts it.',
} as const;

function descriptionOf(page: Page): string {
  const { summary, description, columns, writes } = page;
  const { undo } = undoOf(page);
  return [
    `${summary}.`,
    description,
    columns && `Columns: ${columns.join(', ')}.`,
    writes === 'destroy' && 'Destroys something.',
    undo && undoSentences[undo],
  ]
    .filter(Boolean)
    .join('\n');
}

function schemaOf(item: HelpItem): object {
  const { choices, repeatable, bare, default: defaultValue } = item;
  const type = { flag: 'boolean', number: 'number', text: 'string' }[item.type];
  const one = { type, ...(choices && { enum: item.type === 'flag' ? [true] : choices }) };
  const description = { description: item.description };
  if (repeatable) return { type: 'array', items: one, ...description };
  if (bare !== undefined) return { anyOf: [{ type: 'boolean' }, one], ...description };
  return { ...one, ...description, ...(defaultValue !== undefined && { default: defaultValue }) };
}

/** The call of a tool, as words behind svcctl and the text of standard input. */
export interface Line {
  readonly words: readonly string[];
  readonly stdin: string | undefined;
  readonly isPreview: boolean;
}

/**
 * The command line of a call. `fixed` are the flags of all calls. Throws UsageError for an input
 * that the schema of the tool does not allow.
 */
export function lineOf(
  { page, inputSchema }: Tool,
  input: Readonly<Record<string, unknown>>,
  fixed: readonly string[],
): Line {
  const unknown = Object.keys(input).find((key) => !Object.hasOwn(inputSchema.properties, key));
  if (unknown !== undefined)
    throw new UsageError(
      `Argument [${unknown}] does not exist`,
      `arguments are ${Object.keys(inputSchema.properties).join(', ')}`,
    );
  const inputs = [...argumentsIn(page), ...optionsIn(page)];
  for (const { key, item } of inputs)
    if (isReadingForm(page) && page.reads?.[item.name]) checkChoice(key, item, input[key]);
  const options = optionsIn(page).flatMap(({ key, item }) =>
    wordsOf(key, item, input[key]).map((value) =>
      value === true ? item.name : `${item.name}=${value}`,
    ),
  );
  const args = argumentsIn(page).flatMap(({ key, item }) => wordsOf(key, item, input[key]));
  const doesChange = page.writes !== 'none';
  const isPreview = doesChange && input.confirm !== true;
  const { confirm_name: name } = input;
  const confirmed = typeof name === 'string' ? [`--confirm=${name}`] : [];
  const safety = isPreview ? ['--dry-run'] : ['--yes', ...confirmed];
  return {
    words: [
      ...page.words,
      ...fixed.filter((flag) => takesFlag(page, flag.replace(/=.*/s, ''))),
      '--error-format=json',
      ...formatOf(page, input),
      ...(doesChange ? safety : []),
      ...options,
      '--',
      ...args.map(String),
    ],
    stdin: typeof input.stdin === 'string' ? input.stdin : undefined,
    isPreview,
  };
}

// The command itself would accept other values.
function checkChoice(key: string, { choices = [] }: HelpItem, value: unknown): void {
  if (!choices.includes(String(value)))
    throw new UsageError(`Argument [${key}] must be ${choices.join(' or ')}`);
}

// Lists are cut between lines. Logs are text, whatever the format.
function formatOf(page: Page, { jmespath }: { readonly jmespath?: unknown }): readonly string[] {
  if (!takesFlag(page, '--output') || page.words[1] === 'log') return [];
  return [`--output=${isList(page) && jmespath === undefined ? 'jsonl' : 'json'}`];
}

/** Whether the answer is a list. */
export const isList = (page: Page): boolean => takesFlag(page, '--columns');

function wordsOf(key: string, item: HelpItem, value: unknown): readonly (string | number | true)[] {
  if (value === undefined || value === null) return [];
  if (item.repeatable && Array.isArray(value))
    return value.flatMap((one) => wordsOf(key, { ...item, repeatable: undefined } as never, one));
  if (item.type === 'flag' || (item.bare !== undefined && typeof value === 'boolean')) {
    if (typeof value === 'boolean') return value ? [true] : [];
  } else if (typeof value === 'string' && item.type === 'text') return [value];
  else if (typeof value === 'number') return [value];
  const wanted = item.repeatable
    ? 'a list'
    : { flag: 'true or false', number: 'a number', text: 'a text' }[item.type];
  throw new UsageError(`Argument [${key}] must be ${wanted}`);
}
