// Declaration of a command. Help, flags, completion, the manual and the coverage page follow from
// it. A resource command is short:
//
//   export const list = command({
//     summary: 'List tasks',
//     examples: ['svcctl tasks list --state running'],
//     options: optionsFromQuery(tasks.list),
//     endpoints: [tasks.list],
//     columns,                                             // makes it a list: --columns --sort --where --limit --watch
//     async run({ list, out }, { options }) {
//       await out.rows(await list(tasks.list, { query: options }), columns);
//     },
//   });
//
// A noun's index.ts exports its verbs; a verb that is exported as `itself` is what the noun does
// without a verb (`svcctl sql QUERY`). One that is not a JavaScript name is exported as a string:
// `export { remove as 'delete' }`; keys in camel case become kebab case.
import type { Call, List } from '../../client/client.ts';
import type { Transport } from '../../client/message.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Fields, Values } from '../../contract/schema.ts';
import type { Ask } from '../input/prompt.ts';
import type { Column } from '../lists/columns.ts';
import type { Output } from '../output/output.ts';
import type { Progress } from '../output/progress.ts';
import type { Hints } from '../output/report-error.ts';
import type { ExitCode } from '../process/exit-codes.ts';
import type { FlagName, Settings } from '../process/flags.ts';
import type { Io } from '../process/io.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { Resolved } from '../profiles/settings.ts';
import type { Page, Writes } from './page.ts';

export interface Command<A extends Fields = Fields, O extends Fields = Fields> {
  readonly summary: string; // one line, no full stop
  readonly description?: string; // paragraphs for help and the manual
  readonly examples: readonly [string, ...string[]]; // each runs
  readonly arguments?: A; // in order; a `listOf` takes all that are left
  readonly options?: O; // a `listOf` may be given more than once; `flag` takes no value
  readonly shorts?: { readonly [name in keyof O]?: string }; // short forms: { file: 'f' }
  // Options whose value may be left out, and the value they then have
  readonly bare?: { readonly [name in keyof O]?: string };
  // Options that mean nothing without another one: { maxWait: 'wait' }
  readonly needs?: { readonly [name in keyof O]?: keyof O };
  readonly writes?: Writes; // anything but `none` takes --dry-run, --yes and --confirm
  // Of the frame's flags, besides those about errors, only these: the others are neither shown nor
  // taken
  readonly obeys?: readonly FlagName[];
  readonly endpoints?: readonly Endpoint[]; // what it calls, for the coverage page
  readonly columns?: readonly Column<never>[] | 'dynamic'; // it prints a list; dynamic columns are known only with the answer
  // With this option it asks the services of several profiles itself, as one, by its option
  // --profiles
  readonly asksSeveral?: keyof O;
  // Values of arguments and options, live ones or known ones
  readonly completers?: { readonly [name in keyof A | keyof O]?: Completer | readonly string[] };
  readonly commas?: readonly (keyof O)[]; // options that take several names, separated by commas
  readonly hints?: Hints; // what to try when the service says no
  // SIGINT and SIGTERM are its ordinary end: it waits for `signal` and returns
  readonly endsBySignal?: true;
  readonly startsService?: true; // --service says what the service is to be: druid@33
  run(context: Context, input: { args: Values<A>; options: Values<O> }): Promise<ExitCode | void>;
}

export type Noun = Readonly<Record<string, Command>>;

/** What every command is handed. */
export interface Context {
  /**
   * Asks an endpoint of the contract: `await call(tasks.list, { query })`. Under --dry-run, writes
   * are printed instead.
   */
  readonly call: Call;
  /**
   * Asks for a list that may be long: `await out.rows(await list(tasks.list, { query }), columns)`
   * shows the first rows while the rest arrives.
   */
  readonly list: List;
  /**
   * Below `call`: the connection itself, for `api` and for replies that are passed on as they come.
   */
  readonly connect: () => Promise<Transport>;
  readonly out: Output;
  readonly io: Io;
  readonly service: string; // its own name in paths
  readonly settings: Settings; // all global flags, whoever set them
  readonly resolved: Resolved; // and who did
  readonly profile: Profile | undefined;
  readonly dryRun: boolean;
  /** Questions on a terminal; where nobody can be asked, a usage error that names the flag. */
  readonly ask: Ask;
  /**
   * The three levels of danger: asks, or takes --yes and --confirm, or refuses (exit code 9).
   * Nothing is asked under --dry-run.
   */
  readonly confirm: (danger: Danger) => Promise<void>;
  /** A live line on a terminal, a line per change elsewhere, on stderr. */
  readonly progress: (what: string) => Progress;
  /** Raised by Ctrl-C, SIGTERM, and the end of the command. */
  readonly signal: AbortSignal;
  /**
   * What to do on the server when interrupted, within a second, by calls that are not: cancel the
   * query. Returns how to forget it again.
   */
  readonly onInterrupt: (cleanUp: (call: Call) => Promise<unknown>) => () => void;
  /**
   * From now on Ctrl-C is the command's own: it is told, and goes on. SIGTERM still ends it.
   * Returns how to give it back.
   */
  readonly ownInterrupts: (hear: () => void) => () => void;
  /** The whole command tree as pages of the manual. */
  readonly pages: () => Promise<readonly Page[]>;
}

export interface Danger {
  readonly level: 'change' | 'destroy'; // y/N, or typing the name
  readonly what: string; // a sentence with the counts: 'Kill 12 segments of datasource [wikipedia]'
  readonly name: string; // to be typed, or given as --confirm=NAME
  readonly back?: string; // what takes it back, where something does: a sentence without its end
}

/**
 * Live values for completion: given what stands on the line. One second, then nothing. What a
 * service has said is kept for the same `values`.
 */
export type Completer = (
  context: Pick<Context, 'call' | 'resolved' | 'io'> & Typed,
) => Promise<readonly string[]>;

interface Typed {
  readonly values: readonly string[]; // the arguments before
  readonly typed: string; // what is begun
}

export const command = <A extends Fields = {}, O extends Fields = {}>(declaration: Command<A, O>) =>
  declaration as Command;

export const isCommand = (loaded: Noun | Command): loaded is Command =>
  typeof loaded.run === 'function';

export const optionsFromQuery = <E extends Endpoint & { query: Fields }>(endpoint: E): E['query'] =>
  endpoint.query;

export const optionsFromHeaders = <E extends Endpoint & { headers: Fields }>(
  endpoint: E,
): E['headers'] => endpoint.headers;
