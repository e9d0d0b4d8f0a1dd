// Flags that every command takes. Each has an environment variable named after it. Flags marked
// `kept` may also stand in a profile. Flags marked `shared` may stand in a project file, which may
// be untrusted: it sets neither programs to run nor secrets.
export type FlagGroup = 'output' | 'connection' | 'behaviour';

export interface Flag {
  readonly kind: 'text' | 'url' | 'file' | 'flag' | 'number' | 'seconds';
  readonly description: string;
  readonly group: FlagGroup;
  readonly value?: string; // the placeholder in help
  readonly short?: string;
  readonly choices?: readonly string[];
  readonly default?: string | number;
  readonly kept?: true;
  readonly shared?: true;
  readonly only?: 'lists' | 'reads' | 'writes'; // the commands that take it; `reads` are lists of commands that change nothing
  readonly optionalValue?: true;
  readonly completes?: 'profiles';
  readonly several?: true; // comma-separated names
}

export const formatNames = [
  'table',
  'wide',
  'json',
  'jsonl',
  'csv',
  'tsv',
  'yaml',
  'name',
  'none',
] as const;

export const flags = {
  output: {
    kind: 'text',
    short: 'o',
    value: 'format',
    choices: formatNames,
    group: 'output',
    description: 'Output format',
    kept: true,
    shared: true,
  },
  columns: {
    kind: 'text',
    value: 'names',
    group: 'output',
    only: 'lists',
    several: true,
    description: 'Only these columns, separated by commas',
  },
  sort: {
    kind: 'text',
    value: 'column',
    group: 'output',
    only: 'lists',
    description: 'Sort by a column; -column sorts descending',
  },
  where: {
    kind: 'text',
    value: 'expression',
    group: 'output',
    only: 'lists',
    description: 'Only rows that match a condition, such as "duration > 5m"',
  },
  limit: {
    kind: 'number',
    value: 'count',
    group: 'output',
    only: 'lists',
    description: 'Maximum number of rows',
  },
  watch: {
    kind: 'seconds',
    value: 'seconds',
    optionalValue: true,
    group: 'output',
    only: 'reads',
    description: 'Repeat every N seconds (default 2) until interrupted',
  },
  query: {
    kind: 'text',
    value: 'jmespath',
    group: 'output',
    description: 'Filter the JSON result with a JMESPath expression',
  },
  noHeader: { kind: 'flag', group: 'output', description: 'Omit the header line' },
  color: {
    kind: 'text',
    value: 'when',
    choices: ['never', 'always', 'auto'],
    group: 'output',
    description: 'Color the output: auto, always or never',
    kept: true,
    shared: true,
  },
  noColor: { kind: 'flag', group: 'output', description: 'The same as --color never' },
  noPager: { kind: 'flag', group: 'output', description: 'Do not use a pager', kept: true },
  noGroup: {
    kind: 'flag',
    group: 'output',
    description: 'Print numbers on a terminal without thousands separators',
    kept: true,
  },
  progress: {
    kind: 'text',
    value: 'form',
    choices: ['auto', 'json', 'none'],
    group: 'output',
    description: 'Show the progress of waits as text, as JSON lines on stderr, or not at all',
  },
  quiet: {
    kind: 'flag',
    short: 'q',
    group: 'output',
    description: 'Print only the result and errors',
  },
  verbose: {
    kind: 'flag',
    short: 'v',
    group: 'connection',
    description: 'Show each request, its status, time and query id',
  },
  debug: {
    kind: 'flag',
    group: 'output',
    description: 'Also show headers without secrets, and stack traces of errors',
  },
  errorFormat: {
    kind: 'text',
    value: 'format',
    choices: ['text', 'json'],
    default: 'text',
    group: 'output',
    description: 'Format of errors',
  },
  profile: {
    kind: 'text',
    short: 'p',
    value: 'name',
    group: 'connection',
    shared: true,
    completes: 'profiles',
    several: true,
    description: 'Profile to use; lists take several (a,b) and show the profile of each row',
  },
  url: {
    kind: 'url',
    value: 'url',
    default: 'http://127.0.0.1:8888',
    group: 'connection',
    kept: true,
    shared: true,
    description: 'URL of the service',
  },
  service: {
    kind: 'text',
    value: 'name',
    default: 'svc',
    group: 'connection',
    kept: true,
    shared: true,
    description: "The service's own name in its paths; another name is found by asking the service",
  },
  user: { kind: 'text', value: 'name', group: 'connection', kept: true, description: 'User name' },
  passwordStdin: {
    kind: 'flag',
    group: 'connection',
    description: 'Read the password from the first line of stdin',
  },
  passwordFile: {
    kind: 'file',
    value: 'file',
    group: 'connection',
    kept: true,
    description: 'Read the password from a file',
  },
  passwordCommand: {
    kind: 'text',
    value: 'command',
    group: 'connection',
    kept: true,
    description: 'Run a command that prints the password',
  },
  timeout: {
    kind: 'seconds',
    value: 'seconds',
    default: 300,
    group: 'connection',
    kept: true,
    shared: true,
    description: 'Response timeout in seconds; 0 waits forever',
  },
  connectTimeout: {
    kind: 'seconds',
    value: 'seconds',
    default: 10,
    group: 'connection',
    kept: true,
    shared: true,
    description: 'Connect timeout in seconds',
  },
  cacert: {
    kind: 'file',
    value: 'file',
    group: 'connection',
    kept: true,
    description: 'CA certificates to trust, a PEM file',
  },
  cert: {
    kind: 'file',
    value: 'file',
    group: 'connection',
    kept: true,
    description: 'Client certificate, a PEM file',
  },
  key: {
    kind: 'file',
    value: 'file',
    group: 'connection',
    kept: true,
    description: 'Private key of the client certificate',
  },
  insecure: {
    kind: 'flag',
    group: 'connection',
    kept: true,
    description: 'Accept any certificate (insecure)',
  },
  printCurl: {
    kind: 'flag',
    group: 'connection',
    description: 'Print the curl line of each request to stderr, without the secret',
  },
  yes: {
    kind: 'flag',
    short: 'y',
    group: 'behaviour',
    only: 'writes',
    description: 'Do not ask for confirmation',
  },
  confirm: {
    kind: 'text',
    value: 'name',
    group: 'behaviour',
    only: 'writes',
    description: 'Confirm what cannot be undone by naming it',
  },
  dryRun: {
    kind: 'flag',
    group: 'behaviour',
    only: 'writes',
    description: 'Send no change, print what would be sent',
  },
  noInput: { kind: 'flag', group: 'output', description: 'Never ask anything' },
} as const satisfies Readonly<Record<string, Flag>>;

export type FlagName = keyof typeof flags;

type ValueOf<F extends Flag> = F extends { choices: readonly (infer Choice)[] }
  ? Choice
  : F['kind'] extends 'flag'
    ? boolean
    : F['kind'] extends 'number' | 'seconds'
      ? number
      : string;

export type Settings = {
  readonly [Name in FlagName]: ValueOf<(typeof flags)[Name]> | DefaultOf<(typeof flags)[Name]>;
};
type DefaultOf<F> = F extends { default: string | number } | { kind: 'flag' } ? never : undefined;

export const flagEntries = Object.entries(flags) as [FlagName, Flag][];

/** The flags of commands that send no request. */
export const answerFlags: readonly FlagName[] = flagEntries.flatMap(([name, { group }]) =>
  group === 'output' ? [name] : [],
);

/** All flags but the given ones. */
export const flagsBut = (...left: FlagName[]): readonly FlagName[] =>
  flagEntries.flatMap(([name]) => (left.includes(name) ? [] : [name]));

/** The flags of every command. */
export const commonFlags: readonly FlagName[] = ['quiet', 'debug', 'errorFormat'];

export const kebab = (name: string) =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const flagOf = (name: string) => `--${kebab(name)}`;

export const variableOf = (name: string) =>
  `SVCCTL_${kebab(name).replaceAll('-', '_').toUpperCase()}`;
