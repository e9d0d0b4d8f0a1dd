// Views of `top`: a list of rows each, with the commands behind their keys.
import type { Command, Context } from '../../cli/command/command.ts';
import type { CommandInput } from '../../cli/execution.ts';
import type { Cell, Column, Columns } from '../../cli/lists/columns.ts';

export interface TopRow {
  readonly id: string;
  readonly cells: readonly Cell[]; // by column
  readonly about?: Readonly<Record<string, string>>; // further facts for the actions
}

/** A command that prints into a panel. */
export interface Shown {
  readonly title: string;
  readonly load: () => Promise<Command>;
  readonly input: CommandInput;
}

/** A change, asked for by a question that y answers. */
export interface Change extends Shown {
  readonly question: string;
}

export interface View {
  readonly name: string;
  readonly columns: Columns<TopRow>;
  readonly most?: number; // rows that are loaded; there may be more
  /** The rows, or a sentence on why there are none. */
  readonly load: (context: Pick<Context, 'call'>) => Promise<readonly TopRow[] | string>;
  readonly details: (row: TopRow) => Shown | readonly string[];
  readonly log?: (row: TopRow) => Shown | undefined;
  readonly report?: (row: TopRow) => Shown | undefined;
  readonly cancel?: (row: TopRow) => Change | undefined;
}

/** The columns of a view; the value of each is the cell at its place. */
export const viewColumns = (
  declared: Readonly<Record<string, Omit<Column<TopRow>, 'name' | 'value'>>>,
): Columns<TopRow> =>
  Object.entries(declared).map(([name, column], at) => ({
    name,
    ...column,
    value: ({ cells }) => cells[at],
  }));
