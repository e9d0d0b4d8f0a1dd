// Topics of `svcctl help TOPIC`.
import { type Limit, limits, requestLimits } from '../../model/limits.ts';
import { type Entries, pageOfProgram, sharedItem } from '../command/tree.ts';
import { exitCodes, meanings, type Outcome } from '../process/exit-codes.ts';
import { type Flag, flagEntries, flagOf, formatNames, variableOf } from '../process/flags.ts';
import { wrap } from '../terminal/wrapped.ts';
import { faultTopic } from './faults.ts';
import { guides } from './guides.ts';
import { describeItem, groups, wholeHelpOf } from './help.ts';

/**
 * The text of a topic; undefined for an unknown topic. Faults and schemas take a second word: a
 * code or an endpoint name.
 */
export async function topicOf(
  [name = '', word, ...more]: readonly string[],
  entries: Entries,
): Promise<string | undefined> {
  if (more.length > 0) return;
  if (name === 'fault') return faultTopic(word);
  if (name === 'schema') return (await import('./schemas.ts')).schemaTopic(word);
  if (word !== undefined) return;
  if (name === 'commands') return wholeHelpOf(pageOfProgram(entries), 80);
  return Object.hasOwn(topics, name) ? topics[name]?.() : undefined;
}

/**
 * A topic wrapped to the terminal's width: paragraphs are refilled, explanations are indented, and
 * commands stay unchanged.
 */
export function wrapTopic(text: string, width: number): string {
  return text
    .replace(/^(\S.*)\n(?=\S)/gm, '$1 ')
    .split('\n')
    .map((line) => {
      if (line.length <= width) return line;
      if (!line.startsWith(' ')) return wrap(line, width);
      const [, head = '', explanation = ''] = /^( +\S.*? {2,})(\S.*)$/.exec(line) ?? [];
      const room = width - head.length;
      if (explanation === '') return line;
      if (room >= 24)
        return head + wrap(explanation, room).replaceAll('\n', `\n${' '.repeat(head.length)}`);
      return `${head.trimEnd()}\n${wrap(explanation, width - 6).replace(/^/gm, ' '.repeat(6))}`;
    })
    .join('\n');
}

const columns = (rows: readonly (readonly [string, string])[]) => {
  const width = Math.max(...rows.map(([first]) => first.length)) + 2;
  return rows.map(([first, second]) => `  ${first.padEnd(width)}${second}\n`).join('');
};

const limitRows = (rows: Readonly<Record<string, Limit>>) =>
  columns(Object.entries(rows).map(([name, { most, what }]) => [name, `at most ${most} ${what}`]));

const whoTakes: Readonly<Record<NonNullable<Flag['only']>, string>> = {
  lists: 'lists',
  reads: 'lists that change nothing',
  writes: 'changes',
};

const flagRow = (name: string, flag: Flag) => {
  const item = sharedItem(name, flag);
  const only = flag.only === undefined ? '' : ` (${whoTakes[flag.only]})`;
  return [`${item.short ? '' : '    '}${item.term}`, `${describeItem(item)}${only}`] as const;
};

export const topics: Readonly<Record<string, () => string>> = {
  environment: () => `Environment variables

A flag overrides its variable; a variable overrides the project file, the profile and the default.

${columns(flagEntries.map(([name]) => [variableOf(name), `like ${flagOf(name)}`]))}
${columns([
  ['SVCCTL_PASSWORD', 'the password of --user'],
  ['SVCCTL_PAGER, PAGER', 'the pager; empty or cat for none'],
  ['NO_COLOR', 'no colours, unless --color is given (no-color.org)'],
  ['FORCE_COLOR, CLICOLOR_FORCE', 'colours, even off a terminal'],
  ['COLORFGBG', 'a light background selects other colours'],
  ['TERM=dumb', 'no colours, no animation, no pager'],
  ['CI', 'no prompts, no animation, no pager'],
  ['VISUAL, EDITOR', 'editor of edit commands'],
  ['HTTP_PROXY, HTTPS_PROXY, NO_PROXY', 'proxies'],
  ['XDG_CONFIG_HOME', 'folder of svcctl/config.json (~/.config)'],
  ['XDG_CACHE_HOME', 'folder of svcctl/ with names for completion (~/.cache)'],
  ['XDG_STATE_HOME', 'folder of svcctl/ with histories and journals (~/.local/state)'],
])}`,

  'exit-codes': () => `Exit codes

${columns((Object.keys(exitCodes) as Outcome[]).map((outcome) => [String(exitCodes[outcome]), meanings[outcome]]))}`,

  flags: () => `Shared flags

Every command takes the flags that apply to it, before or after its own. "svcctl COMMAND --help --all" lists them.
Each has a variable, such as SVCCTL_OUTPUT for --output: "svcctl help environment" and "svcctl help config".

${groups
  .map(
    ([group, title]) =>
      `${title}:\n${columns(flagEntries.filter(([, flag]) => flag.group === group).map(([name, flag]) => flagRow(name, flag)))}`,
  )
  .join('\n')}`,

  formatting: () => `Output

Results go to stdout, everything else to stderr. Without --output, a list is a table on a terminal and tab-separated when piped.

  --output ${formatNames.join('|')}
${columns([
  ['table, wide', 'for people: sizes, durations and relative times; wide shows all columns'],
  ['json', 'one document, keys as in the API, integers exact to 64 bits'],
  ['jsonl', 'one JSON document per line'],
  ['csv', 'RFC 4180 with a header; --no-header leaves it out'],
  ['tsv', 'tab-separated; tab, newline and backslash as \\t \\n \\\\'],
  ['yaml', 'YAML 1.2'],
  ['name', 'only the name of each row, for xargs'],
  ['none', 'no output, only the exit code'],
])}
On a terminal, and in tables, control characters are escaped: \\u001b for ESC, \\u202e for a change of direction. A pipe gets the bytes unchanged.

Lists also take
${columns([
  ['--columns a,b', 'only these columns, in this order'],
  ['--sort [-]column', 'numbers by size, times by moment, texts by code point; - sorts downwards'],
  ['--limit COUNT', 'maximum number of rows; a note says when there are more'],
  ['--where EXPRESSION', 'only the rows that match'],
  ['--query JMESPATH', 'a JMESPath expression over the JSON answer'],
  ['--watch[=SECONDS]', 'repeat until Ctrl-C'],
])}
Expressions of --where compare columns with values:
  = != < <= > >=      numbers, durations (90s, 1h30m), sizes (10KiB, 2GB), times (2024-05-01 or 2h for two hours ago), words
  ~ !~                regular expressions of RE2: no look-around, no back references
  in (a, b)           one of several
  and or not ( )      together

  svcctl tasks list --where 'status = FAILED and (duration > 5m or type ~ "^index")' --sort -created
`,

  limits: () => `Limits

svcctl serve limits the work of a request, so that no request blocks others. A request that exceeds a limit is refused with status 400 (a body with
413) before work on it begins; the error names the limit and the value found. An IN list of a million values is within the limits.

Limits of requests:
${limitRows(requestLimits)}
Limits of SQL statements and native queries:
${limitRows(limits)}
Statements of more than a few kilobytes are planned in a process of their own, which ends with the query: at its timeout, when it is cancelled, and when
the client disconnects. A plan that exceeds the memory of this process is refused as "Resource limit exceeded".

Inputs of tasks and EXTERN; other inputs of the API specification are refused by name:
${columns([
  [
    'sources',
    'inline, local, http, s3, druid, combining; not azureStorage, delta, google, hdfs, iceberg, sql',
  ],
  [
    'formats',
    'json, csv, tsv, regex, parquet, lines, avro_ocf; not avro_stream, javascript, kinesis, orc, protobuf, thrift',
  ],
  [
    'csv',
    'a line end ends the row, also within quotes; "svcctl ingest files" sends files with such rows itself',
  ],
  [
    'json',
    'paths of names, indexes and [*] in flattenSpec; not the features ALLOW_... of featureSpec',
  ],
  ['compressions', 'gz, zst; not bz2, xz, sz, zip'],
  [
    'avro_ocf',
    'blocks of at most 64 MiB, uncompressed or compressed with deflate, snappy or zstandard (Node 22.15); schemas of at most 20000 parts',
  ],
  [
    's3',
    'keys and session tokens; no roles, profiles or proxies, and no redirect to another region is followed',
  ],
  ['s3', 'at most 100000 objects of a prefix, 100 GiB of all objects of an input'],
])}`,

  config: () => `Configuration

Order of precedence: flag, environment variable, project file, profile, default.
"svcctl profiles show --explain" shows the source of each setting.

  Profiles       $XDG_CONFIG_HOME/svcctl/config.json (0600): svcctl profiles add, set, use, remove
  Project file   .svcctl.json in this folder or above: may set ${flagEntries
    .filter(([, { shared }]) => shared)
    .map(([name]) => name)
    .join(', ')}
  Passwords      in the system's keychain, or else in the profile file: svcctl login, svcctl logout

Give a password with --password-stdin, --password-file, --password-command or SVCCTL_PASSWORD, never as the value of a flag.
User and password of a profile are sent to the profile's address only: with another --url, give --user again.

  {
    "profile": "production",
    "output": "json"
  }
`,

  ...Object.fromEntries(Object.entries(guides).map(([name, text]) => [name, () => text])),
};
