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
// A noun's index.ts exports its verbs. The verb exported as `itself` runs when the noun has no verb
// (`svcctl sql QUERY`). A verb that is not a JavaScript name is exported as a string: `export {
// remove as 'delete' }`. Keys in camel case become kebab case.
import type { CallEndpoint, List } from '../../client/client.ts';
import type { Transport } from '../../client/message.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Fields, Values } from '../../contract/schema.ts';
import type { Ask } from '../input/prompt.ts';
import type { Column } from '../lists/columns.ts';
import type { Output } from '../output/output.ts';
import type { StartProgress } from '../output/progress.ts';
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
  readonly arguments?: A; // in order; a `listOf` takes all remaining words
  readonly options?: O; // a `listOf` is repeatable; `flag` takes no value
  readonly shorts?: { readonly [name in keyof O]?: string }; // short forms: { file: 'f' }
  // Former and short names of options: they work, and help does not show them
  readonly formerly?: { readonly [name in keyof O]?: FormerName };
  // Options with an optional value, and the default for it
  readonly bare?: { readonly [name in keyof O]?: string };
  // Options that require another option: { maxWait: 'wait' }
  readonly needs?: { readonly [name in keyof O]?: keyof O };
  readonly writes?: Writes; // anything but `none` takes --dry-run, --yes and --confirm
  // Inputs of a call that only reads, with their values; an input without values is left out
  readonly reads?: { readonly [name in keyof A | keyof O]?: readonly (string | true)[] };
  // The accepted shared flags, besides those about errors; the others are hidden and refused
  readonly obeys?: readonly FlagName[];
  readonly endpoints?: readonly Endpoint[]; // the endpoints it calls, for the coverage page
  readonly columns?: readonly Column<never>[] | 'dynamic'; // it prints a list; dynamic columns are known only with the answer
  // With this option, the command queries the services of several profiles itself, as one; its
  // option --profiles names them
  readonly asksSeveral?: keyof O;
  // Values of arguments and options for completion, live or fixed
  readonly completers?: { readonly [name in keyof A | keyof O]?: Completer | readonly string[] };
  // Arguments that are ids: a part at their beginning or end is enough where only one id fits
  readonly ids?: { readonly [name in keyof A]?: Identified };
  // Optional arguments that are chosen on a terminal unless one of these options is given
  readonly chosenUnless?: { readonly [name in keyof A]?: readonly (keyof O)[] };
  readonly commas?: readonly (keyof O)[]; // options that take several names, separated by commas
  readonly hints?: Hints; // next steps for refusals of the service
  // SIGINT and SIGTERM end it normally: it waits for `signal` and returns
  readonly endsBySignal?: true;
  readonly startsService?: true; // --service sets the kind and version to start: druid@33
  run(context: Context, input: { args: Values<A>; options: Values<O> }): Promise<ExitCode | void>;
}

export interface FormerName {
  readonly name: string;
  readonly short?: string;
  // The name is that of a shared flag, which keeps its meaning beside this other shared flag
  readonly without?: FlagName;
}

export type Noun = Readonly<Record<string, Command>>;

/** The context that every command receives. */
export interface Context {
  /**
   * Calls an endpoint of the contract: `await call(tasks.list, { query })`. Under --dry-run, writes
   * are printed instead.
   */
  readonly call: CallEndpoint;
  /**
   * Requests a list that may be long: `await out.rows(await list(tasks.list, { query }), columns)`
   * shows the first rows while the rest arrives.
   */
  readonly list: List;
  /** The connection below `call`, for `api` and for replies that are passed on unchanged. */
  readonly connect: () => Promise<Transport>;
  readonly out: Output;
  readonly io: Io;
  readonly service: string; // its own name in paths
  readonly settings: Settings; // all global flags, from every source
  readonly resolved: Resolved; // the settings with their sources
  readonly profile: Profile | undefined;
  readonly dryRun: boolean;
  /** Questions on a terminal. Without a terminal, a usage error that names the flag. */
  readonly ask: Ask;
  /**
   * Confirmation for the three levels of danger: prompts, accepts --yes or --confirm, or refuses
   * (exit code 9). Skipped under --dry-run.
   */
  readonly confirm: (danger: Danger) => Promise<void>;
  /** A live line on a terminal, a line per change elsewhere, on stderr. */
  readonly progress: StartProgress;
  /** Aborted by Ctrl-C, SIGTERM, and the end of the command. */
  readonly signal: AbortSignal;
  /**
   * Registers a clean-up on the server for interrupts, such as cancelling the query. It has one
   * second, and its calls are not interrupted. Returns a function that removes it.
   */
  readonly onInterrupt: (cleanUp: (call: CallEndpoint) => Promise<unknown>) => () => void;
  /**
   * Passes Ctrl-C to the command, which keeps running. SIGTERM still ends it. Returns a function
   * that restores the default.
   */
  readonly ownInterrupts: (hear: () => void) => () => void;
  /** The whole command tree as pages of the manual. */
  readonly pages: () => Promise<readonly Page[]>;
}

export interface Danger {
  readonly level: 'change' | 'destroy'; // y/N, or typing the name
  readonly what: string; // a sentence with the counts: 'Kill 12 segments of datasource [wikipedia]'
  readonly name: string; // typed at the prompt, or given as --confirm=NAME
  readonly back?: string; // how to undo it, if possible: a sentence without its end
}

/**
 * Live values for completion, given the words on the line. The limit is one second; after it, there
 * are none. Values from a service are cached for the same `values`.
 */
export type Completer = (
  context: Pick<Context, 'call' | 'resolved' | 'io'> & Typed,
) => Promise<readonly string[]>;

/** A kind of id. Its completer lists the ids. */
export interface Identified {
  readonly what: string; // the noun in messages: task
  /** Rejects for an unknown id; without it, the list is complete. */
  readonly exists?: (context: Pick<Context, 'call'>, id: string) => Promise<unknown>;
  /** The ids that a part stands for; by default, those that begin or end with it. */
  readonly meant?: (
    part: string,
    known: readonly string[],
    args: Readonly<Record<string, unknown>>,
  ) => readonly string[];
  /** The ids with a description each, for the choice on a terminal. */
  readonly choices?: (context: Pick<Context, 'call'>) => Promise<readonly Choice[]>;
}

/** An item of a list to choose from. */
export interface Choice {
  readonly value: string;
  readonly name: string; // shown for it
}

interface Typed {
  readonly values: readonly string[]; // the preceding arguments
  readonly typed: string; // the word under the cursor
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
