// Help page of a command: the data for help, the manual, --map and the README.
import type { FlagGroup } from '../process/flags.ts';

/** The danger of a command to the service. */
export type Writes = 'none' | 'change' | 'destroy';

export interface HelpItem {
  readonly name: string; // the long form for options
  readonly term: string; // as shown in the usage line
  readonly description: string;
  readonly required: boolean;
  readonly short?: string;
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly default?: string | number;
  readonly environment?: string;
  readonly repeatable?: true;
}

export interface Page {
  readonly words: readonly string[]; // without svcctl
  readonly summary: string;
  readonly description?: string;
  readonly usage: string;
  readonly arguments: readonly HelpItem[];
  readonly options: readonly HelpItem[];
  readonly shared: Readonly<Partial<Record<FlagGroup, readonly HelpItem[]>>>;
  readonly commands: readonly Commands[];
  readonly examples: readonly string[];
  readonly columns?: readonly string[];
  readonly writes: Writes;
}

// Commands below this one.
export interface Commands {
  readonly title: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
}
