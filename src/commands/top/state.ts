// State of the live screen, and its changes by keys. Pure: effects are returned, not done.
import { compareCells } from '../../cli/lists/columns.ts';
import type { Change, Shown, TopRow, View } from './view.ts';

export interface TopState {
  readonly view: number; // index of the view
  readonly lists: readonly ListState[]; // by view
  readonly panel?: Panel;
  readonly prompt?: Prompt;
  readonly question?: Change;
  readonly message?: string;
}

export interface ListState {
  readonly chosen?: string; // the id of a row
  readonly sort?: { readonly column: number; readonly isDown: boolean };
  readonly filter: string;
}

export interface Panel {
  readonly title: string;
  readonly lines: readonly string[];
  readonly top: number; // the first visible line
  readonly shown?: Shown; // loads the lines again
}

export interface Prompt {
  readonly kind: 'filter' | 'command';
  readonly text: string;
}

export type Effect =
  | { readonly kind: 'quit' }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'redraw' }
  | { readonly kind: 'view' } // another view: load its rows
  | { readonly kind: 'every'; readonly seconds: number }
  | { readonly kind: 'open'; readonly shown: Shown; readonly atEnd: boolean }
  | { readonly kind: 'change'; readonly change: Change };

export interface Step {
  readonly state: TopState;
  readonly effect?: Effect;
}

/** The surroundings of a key: the views, the rows of the current one, and the lines that fit. */
export interface Around {
  readonly views: readonly View[];
  readonly rows: readonly TopRow[]; // of the current view, as loaded
  readonly room: number;
}

export const startState = (views: readonly View[]): TopState => ({
  view: 0,
  lists: views.map(() => ({ filter: '' })),
});

/** The rows that are shown: filtered and sorted. */
export function visibleRows(
  rows: readonly TopRow[],
  { columns }: View,
  { filter, sort }: ListState,
): readonly TopRow[] {
  const wanted = filter.toLowerCase();
  const kept =
    wanted === ''
      ? rows
      : rows.filter(({ id, cells }) =>
          [id, ...cells].some((cell) =>
            String(cell ?? '')
              .toLowerCase()
              .includes(wanted),
          ),
        );
  if (!sort) return kept;
  const column = columns[sort.column];
  const sign = sort.isDown ? -1 : 1;
  return column
    ? [...kept].sort((a, b) => sign * compareCells(column.kind, column.value(a), column.value(b)))
    : kept;
}

/** The place of the chosen row; the first one when it is gone. */
export const placeOfChosen = (rows: readonly TopRow[], { chosen }: ListState): number =>
  Math.max(
    0,
    rows.findIndex(({ id }) => id === chosen),
  );

/** The state after a key, and the effect to do. */
export function press(before: TopState, key: string, around: Around): Step {
  const { message: _, ...state } = before;
  if (key === 'ctrl-c') return { state, effect: { kind: 'interrupt' } };
  if (key === 'ctrl-l') return { state, effect: { kind: 'redraw' } };
  if (state.question) return answer(state, state.question, key);
  if (state.prompt) return type(state, state.prompt, key, around);
  if (state.panel) return scroll(state, state.panel, key, around);
  return listKey(state, key, around);
}

function answer({ question: _, ...state }: TopState, change: Change, key: string): Step {
  if (key === 'y' || key === 'Y') return { state, effect: { kind: 'change', change } };
  return { state: { ...state, message: 'Nothing was changed.' } };
}

function type(state: TopState, prompt: Prompt, key: string, around: Around): Step {
  const { prompt: _, ...closed } = state;
  const { kind, text } = prompt;
  if (key === 'escape') return { state: kind === 'filter' ? withFilter(closed, '') : closed };
  if (key === 'enter')
    return kind === 'filter' ? { state: closed } : runCommand(closed, text.trim(), around);
  if (key === 'tab' && kind === 'command') {
    const [only, ...others] = commandNames(around).filter((name) => name.startsWith(text));
    return { state: only !== undefined && others.length === 0 ? withPrompt(state, only) : state };
  }
  if (key === 'backspace') {
    if (text === '') return { state: closed };
    return { state: withPrompt(state, [...text].slice(0, -1).join('')) };
  }
  if (key === 'ctrl-u') return { state: withPrompt(state, '') };
  if ([...key].length === 1) return { state: withPrompt(state, text + key) };
  return { state };
}

// A filter applies while it is typed.
function withPrompt(state: TopState, text: string): TopState {
  if (!state.prompt) return state;
  const prompted = { ...state, prompt: { ...state.prompt, text } };
  return state.prompt.kind === 'filter' ? withFilter(prompted, text) : prompted;
}

const withFilter = (state: TopState, filter: string) => withList(state, { filter });

const withList = (state: TopState, change: Partial<ListState>): TopState => ({
  ...state,
  lists: state.lists.map((list, at) => (at === state.view ? { ...list, ...change } : list)),
});

const commandNames = ({ views }: Around) => [
  ...views.map(({ name }) => name),
  'every',
  'filter',
  'help',
  'quit',
  'sort',
];

function runCommand(state: TopState, text: string, around: Around): Step {
  const [word = '', ...rest] = text.split(/\s+/);
  const value = rest.join(' ');
  const names = commandNames(around);
  const [name, ...others] = names.includes(word)
    ? [word]
    : names.filter((one) => one.startsWith(word));
  if (word === '') return { state };
  if (name === undefined || others.length > 0)
    return {
      state: {
        ...state,
        message: `Command [${word}] ${name === undefined ? 'does not exist' : 'has several meanings'}: there are ${names.join(', ')}`,
      },
    };
  const view = around.views.findIndex((one) => one.name === name);
  if (view >= 0) return goTo(state, view);
  switch (name) {
    case 'quit':
      return { state, effect: { kind: 'quit' } };
    case 'help':
      return { state: { ...state, panel: helpPanel } };
    case 'filter':
      return { state: withFilter(state, value) };
    case 'sort':
      return sortBy(state, value, around);
    default:
      return everySeconds(state, value);
  }
}

function everySeconds(state: TopState, value: string): Step {
  const seconds = Number(value);
  if (!(seconds >= 0.1 && seconds <= 86_400))
    return {
      state: { ...state, message: `Value [${value}] is not a number of seconds from 0.1 to 86400` },
    };
  return { state, effect: { kind: 'every', seconds } };
}

function sortBy(state: TopState, value: string, { views }: Around): Step {
  const columns = views[state.view]?.columns ?? [];
  const wanted = value.replace(/^[-+]/, '').toLowerCase();
  const column = columns.findIndex(({ name }) => name.toLowerCase() === wanted);
  if (column < 0)
    return {
      state: {
        ...state,
        message: `Column [${value}] does not exist: there are ${columns.map(({ name }) => name).join(', ')}`,
      },
    };
  return { state: withList(state, { sort: { column, isDown: value.startsWith('-') } }) };
}

function goTo(state: TopState, view: number): Step {
  const { panel: _, ...rest } = state;
  return { state: { ...rest, view }, effect: { kind: 'view' } };
}

function scroll(state: TopState, panel: Panel, key: string, { room }: Around): Step {
  const most = Math.max(0, panel.lines.length - room);
  const to = (top: number): Step => ({
    state: { ...state, panel: { ...panel, top: Math.max(0, Math.min(most, top)) } },
  });
  switch (key) {
    case 'escape':
    case 'q':
    case 'left':
    case 'backspace': {
      const { panel: _, ...rest } = state;
      return { state: rest };
    }
    case 'up':
    case 'k':
      return to(panel.top - 1);
    case 'down':
    case 'j':
    case 'enter':
      return to(panel.top + 1);
    case 'page-up':
      return to(panel.top - room);
    case 'page-down':
    case ' ':
      return to(panel.top + room);
    case 'home':
    case 'g':
      return to(0);
    case 'end':
    case 'G':
      return to(most);
    default:
      return { state };
  }
}

function listKey(state: TopState, key: string, around: Around): Step {
  const view = around.views[state.view];
  const list = state.lists[state.view];
  if (!view || !list) return { state };
  const rows = visibleRows(around.rows, view, list);
  const at = placeOfChosen(rows, list);
  const row = rows[at];
  const choose = (place: number): Step => {
    const chosen = rows[Math.max(0, Math.min(rows.length - 1, place))]?.id;
    return { state: chosen === undefined ? state : withList(state, { chosen }) };
  };
  const number = Number(key);
  if (/^[1-9]$/.test(key) && number <= around.views.length) return goTo(state, number - 1);
  switch (key) {
    case 'q':
    case 'Q':
      return { state, effect: { kind: 'quit' } };
    case 'escape':
      return { state: withFilter(state, '') };
    case 'up':
    case 'k':
      return choose(at - 1);
    case 'down':
    case 'j':
      return choose(at + 1);
    case 'page-up':
      return choose(at - around.room);
    case 'page-down':
    case ' ':
      return choose(at + around.room);
    case 'home':
    case 'g':
      return choose(0);
    case 'end':
    case 'G':
      return choose(rows.length - 1);
    case 'left':
    case 'shift-tab':
      return goTo(state, (state.view + around.views.length - 1) % around.views.length);
    case 'right':
    case 'tab':
      return goTo(state, (state.view + 1) % around.views.length);
    case 's':
      return { state: withList(state, nextSort(list, view)) };
    case 'S':
      return {
        state: list.sort
          ? withList(state, { sort: { ...list.sort, isDown: !list.sort.isDown } })
          : state,
      };
    case '/':
      return { state: { ...state, prompt: { kind: 'filter', text: list.filter } } };
    case ':':
      return { state: { ...state, prompt: { kind: 'command', text: '' } } };
    case '?':
    case 'h':
      return { state: { ...state, panel: helpPanel } };
    default:
      return row === undefined ? { state } : rowKey(state, key, view, row);
  }
}

function rowKey(state: TopState, key: string, view: View, row: TopRow): Step {
  const open = (shown: Shown | undefined, what: string, atEnd = false): Step =>
    shown
      ? { state: { ...state, message: 'Loading ...' }, effect: { kind: 'open', shown, atEnd } }
      : { state: { ...state, message: `There is no ${what} in this view.` } };
  switch (key) {
    case 'enter':
    case 'd':
    case 'w': {
      const details = view.details(row);
      if ('load' in details) return open(details, 'explanation');
      return { state: { ...state, panel: { title: row.id, lines: details, top: 0 } } };
    }
    case 'l':
      return open(view.log?.(row), 'log', true);
    case 'r':
      return open(view.report?.(row), 'report');
    case 'c': {
      const question = view.cancel?.(row);
      if (question) return { state: { ...state, question } };
      return { state: { ...state, message: 'There is nothing to cancel here.' } };
    }
    default:
      return { state };
  }
}

// From the order of the view through its columns, and back.
function nextSort({ sort }: ListState, { columns }: View): Pick<ListState, 'sort'> {
  const column = sort === undefined ? 0 : sort.column + 1;
  const isNumber = ['duration', 'bytes'].includes(columns[column]?.kind ?? '');
  return { sort: { column: column % columns.length, isDown: isNumber } };
}

const helpPanel: Panel = {
  title: 'help',
  top: 0,
  lines: [
    '1 to 5, Tab   another view: tasks, supervisors, segments, services, queries',
    'arrows, j k   choose a row; PgUp, PgDn, Home, End',
    'Enter, w      details, and why a task, supervisor or segment is in its state',
    'l             log of a task; it follows',
    'r             report of a task or query, rows of a supervisor, segment timeline',
    'c             cancel a task or query, suspend or resume a supervisor; asks first',
    's, S          sort by the next column, reverse the order',
    '/             filter rows; Esc clears the filter',
    ':             a view, sort [-]COLUMN, filter TEXT, every SECONDS, quit; Tab completes',
    'Ctrl-L        draw the screen again',
    'Esc, q        leave this page; q in a list ends the program, and so does Ctrl-C',
  ],
};
