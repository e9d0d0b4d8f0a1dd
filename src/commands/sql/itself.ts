import { type Context, command } from '../../cli/command/command.ts';
import { namesOfProfiles } from '../../cli/completion/completers.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { flagOf, type Settings } from '../../cli/process/flags.ts';
import { flag, oneOf, optional, text } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { drawings } from '../shared/sql/draw-result.ts';
import { shownTypes } from '../shared/sql/print-result.ts';
import {
  besidesStatement,
  requestOf,
  statementArgument,
  statementCompleters,
  statementHints,
  statementOptions,
} from '../shared/sql/query-options.ts';
import { runStatements } from './run-statements.ts';

export const itself = command({
  summary: 'Run a query and print its result',
  description:
    'On a terminal, without a statement, it opens a shell. \\? lists its commands (\\d, \\x, \\watch, \\g FILE, \\e, ...), Tab completes names, and Ctrl-C cancels the query and keeps the shell open.\n\n--chart draws the result, by the types of its columns: times and numbers as lines (a line per text), a text and a number as bars, one number as a histogram, two keys and a number as a heat map. --chart svg > FILE writes a document.\n\nResults are streamed: a million rows need no more memory than one. Ctrl-C cancels the query on the service. SELECT and EXPLAIN PLAN FOR run here; svcctl ingest sql runs INSERT and REPLACE.\n\nSeveral statements, separated by ;, run one after the other until the first error. SET applies to the statements after it. Tables, CSV and tab-separated results are separated by an empty line; -o jsonl writes one stream; -o json writes one document and takes one statement.\n\n--control-plane queries the lists of svcctl instead of the data: tasks, supervisors, datasources, segments, servers, rules, workers, compaction, users and more are tables. Their columns are those of the lists, after [profile]. SQLite evaluates the statement on this machine; only the lists that it names are requested, with --profiles from several services at once.',
  examples: [
    "svcctl sql 'SELECT channel, COUNT(*) AS edits FROM wikipedia GROUP BY 1 ORDER BY 2 DESC LIMIT 5'",
    "echo 'SELECT 1 AS n' | svcctl sql -o json",
    "svcctl sql --types both 'SELECT * FROM wikipedia LIMIT 3' -o csv",
    "svcctl sql 'SELECT page FROM wikipedia WHERE channel = ? LIMIT 3' --param 'VARCHAR:#en.wikipedia' -o csv",
    `svcctl sql --chart "SELECT TIME_FLOOR(__time, 'PT1H'), COUNT(*) FROM wikipedia GROUP BY 1"`,
    "svcctl sql --control-plane 'SELECT status, COUNT(*) AS tasks FROM tasks GROUP BY 1'",
  ],
  arguments: statementArgument,
  options: {
    ...statementOptions,
    queryId: optional(text, 'Query id, for cancelling'),
    types: optional(
      oneOf(...shownTypes),
      'Print column types before the rows: native, sql, or both',
    ),
    chart: optional(
      oneOf(...drawings),
      'Draw the result instead of printing rows: auto (default), line, bar, histogram, heatmap, or svg for a document',
    ),
    controlPlane: optional(
      flag,
      'Query the lists of svcctl (tasks, segments, ...) instead of the data; an unknown table name shows all tables',
    ),
    profiles: optional(text, 'With --control-plane: profiles to query together, such as eu,us'),
  },
  shorts: { file: 'f' },
  bare: { chart: 'auto' },
  completers: { ...statementCompleters, profiles: namesOfProfiles },
  commas: ['profiles'],
  endpoints: [sql.query, sql.cancel],
  columns: 'dynamic',
  asksSeveral: 'controlPlane',
  hints: statementHints,
  async run(context, { args, options }) {
    const { io, ask } = context;
    if (options.profiles !== undefined && !options.controlPlane)
      throw new UsageError(
        '--profiles needs --control-plane',
        '--profile eu,us sends the query to each service',
      );
    if (
      options.profiles !== undefined &&
      context.resolved.winners.get('profile')?.source === 'flag'
    )
      throw new UsageError(
        '--profile and --profiles cannot be combined: both select services',
        'omit --profile',
      );
    if (options.controlPlane) {
      const name = (['chart', 'context', 'queryId', 'types'] as const).find(
        (name) => options[name] !== undefined,
      );
      if (name !== undefined)
        throw new UsageError(
          `${flagOf(name)} is for queries of the service: --control-plane evaluates here`,
          'omit one of them',
        );
      const { query: statement, parameters } = await requestOf({ args, options }, io);
      const { askControlPlane } = await import('../control-plane/ask.ts');
      return askControlPlane(context, {
        statement,
        parameters: (parameters ?? []).map((one) => one?.value),
        profiles: options.profiles,
      });
    }
    if (
      args.statement === undefined &&
      options.file === undefined &&
      ask.possible &&
      io.stdout.isTTY
    ) {
      const { openShell } = await import('./shell/shell.ts');
      refuseWithoutStatement(options, context.settings);
      return openShell(context, besidesStatement(options));
    }
    if (options.types !== undefined) refuseBesideTypes(context.settings);
    if (options.chart !== undefined) refuseBesideChart(options, context);
    await runStatements(context, await requestOf({ args, options }, io), {
      queryId: options.queryId,
      types: options.types,
      chart: options.chart,
      ...(options.file !== undefined && { file: options.file }),
    });
  },
});

// Options that filter one answer, or name one query, have no meaning for a shell.
function refuseWithoutStatement(
  options: { readonly chart?: string; readonly queryId?: string; readonly types?: string },
  settings: Settings,
) {
  const own = (['chart', 'queryId', 'types'] as const).filter(
    (name) => options[name] !== undefined,
  );
  const [name] = [
    ...own,
    ...(['columns', 'sort', 'where', 'limit', 'query', 'watch'] as const).filter(
      (name) => settings[name] !== undefined,
    ),
  ];
  if (name !== undefined)
    throw new UsageError(`${flagOf(name)} requires a statement`, "svcctl sql 'SELECT 1' runs one");
}

// Types are printed as rows before the data, and these options cannot tell them apart.
function refuseBesideTypes(settings: Settings) {
  const name = (['noHeader', 'sort', 'where', 'limit', 'query'] as const).find(
    (name) => (settings[name] ?? false) !== false,
  );
  if (name !== undefined)
    throw new UsageError(
      `--types prints several header rows and cannot be combined with ${flagOf(name)}`,
      'omit one of them',
    );
}

// A drawing has neither rows nor columns to select.
function refuseBesideChart(options: { readonly types?: string }, { resolved, settings }: Context) {
  const name =
    options.types !== undefined
      ? 'types'
      : resolved.winners.get('output')?.source === 'flag'
        ? 'output'
        : (['columns', 'sort', 'where', 'limit', 'query'] as const).find(
            (name) => settings[name] !== undefined,
          );
  if (name !== undefined)
    throw new UsageError(
      `--chart draws the whole result and cannot be combined with ${flagOf(name)}`,
      'omit one of them',
    );
}
