// Help page of a command: the data for help, the manual, help --json and the README.
import type { Endpoint } from '../../contract/endpoint.ts';
import type { FlagGroup } from '../process/flags.ts';

/** The danger of a command to the service. */
export type Writes = 'none' | 'change' | 'destroy';

export interface HelpItem {
  readonly name: string; // the long form for options
  readonly term: string; // as shown in the usage line
  readonly description: string;
  readonly required: boolean;
  readonly type: 'text' | 'number' | 'flag'; // a flag takes no value
  readonly short?: string;
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly default?: string | number;
  readonly environment?: string;
  readonly repeatable?: true;
  readonly several?: true; // names separated by commas
  readonly completes?: 'live' | readonly string[]; // values for completion; live ones from the command
  readonly bare?: string; // its value when it is given without one
  readonly needs?: string; // the flag that it requires
}

export interface Page {
  readonly words: readonly string[]; // without svcctl
  readonly isNoun: boolean; // it has commands below it, and none itself
  readonly summary: string;
  readonly description?: string;
  readonly usage: string;
  readonly arguments: readonly HelpItem[];
  readonly options: readonly HelpItem[];
  readonly hidden?: readonly HelpItem[]; // other spellings of options
  readonly shared: Readonly<Partial<Record<FlagGroup, readonly HelpItem[]>>>;
  readonly commands: readonly Commands[];
  readonly examples: readonly string[];
  readonly columns?: readonly string[];
  readonly writes: Writes;
  readonly reads?: Reads;
  readonly endpoints: readonly Endpoint[]; // the endpoints that it calls
}

/**
 * Inputs of a call that only reads, by the name of the item: their values, or none for an input
 * that must be left out.
 */
export type Reads = Readonly<Record<string, readonly (string | true)[]>>;

// Commands below this one.
export interface Commands {
  readonly title: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
}
