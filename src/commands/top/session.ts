// Live screen of `top`: asks the service again and again, hears keys, and draws.
import type { Context } from '../../cli/command/command.ts';
import { type ExitCode, exitCodes } from '../../cli/process/exit-codes.ts';
import type { Screen } from '../../cli/terminal/screen.ts';
import { longestTimerMs } from '../../model/longest-timer.ts';
import { type Look, layout, roomIn } from './layout.ts';
import { type Measured, Meter } from './meter.ts';
import type { TopSnapshot } from './snapshot.ts';
import { type Around, type Effect, type Panel, press, startState, type TopState } from './state.ts';
import type { Change, Shown, TopRow, View } from './view.ts';

/** Everything that a session needs from outside; tests have their own. */
export interface World {
  readonly context: Pick<Context, 'call'>;
  readonly views: readonly View[];
  readonly snapshot: () => Promise<TopSnapshot>;
  /** Runs a command and returns its output as lines. */
  readonly run: (shown: Shown, columns: number) => Promise<readonly string[]>;
  readonly now: () => number;
  readonly look: Omit<Look, 'columns' | 'rows'>;
  /** Why a change is not made, as a sentence; undefined where changes are allowed. */
  readonly refuse: ((title: string) => string) | undefined;
}

type Open = (hear: (key: string) => void, resized: () => void) => Screen;

interface Loaded {
  readonly rows: readonly TopRow[];
  readonly reason?: string; // why there are none
}

const mostMeasured = 240;
const busyShare = 5; // a slow list is loaded again after five times its duration

export class TopSession {
  readonly #world: World;
  readonly #open: Open;
  readonly #meter = new Meter();
  readonly #lists: Loaded[]; // by view
  readonly #ended = new AbortController();
  #screen: Screen | undefined;
  #state: TopState;
  #snapshot: TopSnapshot;
  #measured: readonly Measured[] = [];
  #trouble: string | undefined;
  #everyMs: number;
  #nextLoadMs = 0; // of the current view
  #code: ExitCode = exitCodes.done;
  #wake = () => {};

  /** `open` opens the screen, given the listeners for keys and for a new size. */
  constructor(world: World, first: TopSnapshot, everyMs: number, open: Open) {
    this.#world = world;
    this.#snapshot = first;
    this.#everyMs = everyMs;
    this.#open = open;
    this.#lists = world.views.map(({ name }) => ({ rows: [], reason: `Loading ${name} ...` }));
    this.#state = startState(world.views);
  }

  /** Draws until a key or `end` ends it. */
  async run(): Promise<ExitCode> {
    const { signal } = this.#ended;
    const stopped = new Promise<void>((stop) =>
      signal.addEventListener('abort', () => stop(), { once: true }),
    );
    const screen = this.#open(
      (key) => this.hear(key),
      () => this.#draw(),
    );
    this.#screen = screen;
    try {
      this.#draw();
      await Promise.race([this.#refresh(true), stopped]);
      while (!signal.aborted) {
        await Promise.race([this.#pause(), stopped]);
        if (!signal.aborted) await Promise.race([this.#refresh(false), stopped]);
      }
    } finally {
      screen.close();
    }
    return this.#code;
  }

  /** Ends the session with an exit code. */
  readonly end = (code: ExitCode) => {
    this.#code = code;
    this.#ended.abort();
  };

  /** Handles a key. */
  hear(key: string): void {
    const before = this.#state;
    const { state, effect } = press(before, key, this.#around());
    this.#state = state;
    if (effect) this.#do(effect);
    if (!this.#ended.signal.aborted) this.#draw();
  }

  #around(): Around {
    const { views } = this.#world;
    return { views, rows: this.#current().rows, room: this.#room() };
  }

  #current(): Loaded {
    return this.#lists[this.#state.view] ?? { rows: [] };
  }

  #room(): number {
    return roomIn({ rows: this.#screen?.rows ?? 24 });
  }

  #do(effect: Effect): void {
    switch (effect.kind) {
      case 'quit':
        this.end(exitCodes.done);
        break;
      case 'interrupt':
        this.end(exitCodes.interrupted);
        break;
      case 'redraw':
        this.#screen?.forget();
        break;
      case 'view':
        void this.#loadView();
        break;
      case 'every':
        this.#everyMs = Math.min(effect.seconds * 1000, longestTimerMs);
        this.#wake();
        break;
      case 'open':
        void this.#openPanel(effect.shown, effect.atEnd);
        break;
      case 'change':
        void this.#change(effect.change);
        break;
    }
  }

  async #openPanel(shown: Shown, atEnd: boolean): Promise<void> {
    const lines = await this.#output(shown);
    const { message: _, ...state } = this.#state;
    if (this.#state.message !== 'Loading ...') return; // another key came in between
    const top = atEnd ? Math.max(0, lines.length - this.#room()) : 0;
    this.#state = { ...state, panel: { title: shown.title, lines, top, shown } };
    this.#draw();
  }

  async #change(change: Change): Promise<void> {
    const { refuse } = this.#world;
    if (refuse) return this.#say(refuse(change.title));
    this.#say(`${change.title} ...`);
    const lines = await this.#output(change);
    this.#say(lines.join('  '));
    await this.#loadView();
  }

  #say(message: string): void {
    this.#state = { ...this.#state, message };
    this.#draw();
  }

  #output(shown: Shown): Promise<readonly string[]> {
    return this.#world
      .run(shown, this.#screen?.columns ?? 80)
      .catch((error: unknown) => [`error: ${messageOf(error)}`]);
  }

  async #refresh(isFirst: boolean): Promise<void> {
    const { snapshot, context, now } = this.#world;
    try {
      if (!isFirst) this.#snapshot = await snapshot();
      const measured = await this.#meter.measure(context, this.#snapshot, now());
      this.#measured = [...this.#measured, measured].slice(-mostMeasured);
      this.#trouble = undefined;
      if (now() >= this.#nextLoadMs) await this.#loadView();
      const { panel } = this.#state;
      if (panel?.shown) await this.#loadPanel(panel, panel.shown);
    } catch (error) {
      this.#trouble = `The service does not answer: ${messageOf(error)}`;
    }
    this.#draw();
  }

  async #loadView(): Promise<void> {
    const { views, context, now } = this.#world;
    const at = this.#state.view;
    const started = now();
    try {
      const rows = await views[at]?.load(context);
      this.#lists[at] =
        typeof rows === 'string' ? { rows: [], reason: rows } : { rows: rows ?? [] };
    } catch (error) {
      this.#state = { ...this.#state, message: messageOf(error) };
    }
    this.#nextLoadMs = now() + (now() - started) * busyShare;
    this.#draw();
  }

  // A panel that shows its end keeps showing it.
  async #loadPanel(panel: Panel, shown: Shown): Promise<void> {
    const lines = await this.#output(shown);
    const current = this.#state.panel;
    if (current?.shown !== shown) return;
    const room = this.#room();
    const wasAtEnd = current.top >= panel.lines.length - room;
    const last = Math.max(0, lines.length - room);
    const top = wasAtEnd && panel.lines.length > room ? last : Math.min(current.top, last);
    this.#state = { ...this.#state, panel: { ...current, lines, top } };
  }

  #draw(): void {
    const screen = this.#screen;
    if (!screen) return;
    screen.paint(
      layout(
        {
          state: this.#state,
          views: this.#world.views,
          ...this.#current(),
          snapshot: this.#snapshot,
          measured: this.#measured,
          trouble: this.#trouble,
        },
        { ...this.#world.look, columns: screen.columns, rows: screen.rows },
      ),
    );
  }

  #pause(): Promise<void> {
    return new Promise((wake) => {
      this.#wake = wake;
      setTimeout(wake, this.#everyMs).unref();
    });
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
