// Output of commands: results go to stdout in the requested format, messages to stderr.
import type { Columns } from '../lists/columns.ts';
import { type ItemResult, resultColumns } from '../lists/results.ts';
import type { Rows } from '../lists/select.ts';
import type { Settings } from '../process/flags.ts';
import type { OutIo } from '../process/io.ts';
import { sentencesOn } from '../terminal/wrapped.ts';
import { type Painter, plainPainter } from './painter.ts';
import { type PrintSettings, ResultPrinter } from './result-printer.ts';
import type { TableLook } from './table.ts';

export type { Rows } from '../lists/select.ts';

export interface Output {
  /**
   * Prints a list: the values of the columns in every format but JSON and YAML, which print the
   * rows unchanged.
   */
  rows<T>(rows: Rows<T>, columns: Columns<T>): Promise<void>;
  /** Prints a flat object: one line per field on a terminal. */
  value(value: object): Promise<void>;
  /** Prints a nested object: a JSON document, unless another format is requested. */
  document(value: unknown): Promise<void>;
  /**
   * Prints text unchanged: logs, or text that the service has formatted. Live text never waits for
   * a pager. Plain text has no format of its own and becomes a list of its lines when one is
   * requested.
   */
  text(
    chunks: Iterable<string> | AsyncIterable<Uint8Array>,
    how?: { live?: boolean; plain?: boolean },
  ): Promise<void>;
  /** Prints a table that `make` writes in the look of this output. */
  tableText(make: (look: TableLook) => AsyncIterable<Uint8Array | string>): Promise<void>;
  /** Prints a name on its own line, for scripts. On a terminal, line breaks in it are escaped. */
  name(name: string): Promise<void>;
  /** Prints a message and the next useful command on stderr; --quiet silences both. */
  note(sentence: string, next?: string): void;
  /**
   * Reports a change, its objects, and the next useful command. With a requested format, it is also
   * the answer unless the command prints another one.
   */
  changed(items: string | readonly string[], sentence: string, next?: string): void;
  /** Prints a warning, even with --quiet. */
  warn(sentence: string): void;
  /** The requested format; undefined without one. */
  readonly format: Settings['output'];
  /** Whether the answer is for a program: a machine format or --query was requested. */
  readonly isForPrograms: boolean;
  /**
   * Whether `rows` or --where, --sort, --limit, --columns or --query need parsed values. If so, the
   * service's text cannot be passed on unchanged.
   */
  readonly looksAtValues: boolean;
}

export interface OutputSettings extends PrintSettings, Pick<Settings, 'quiet'> {
  readonly painter?: Painter; // of stderr
  readonly isNews?: (sentence: string) => boolean; // filters repeated messages under --watch
}

export interface OpenOutput extends Output {
  /**
   * Prints the results of changes when a format was requested and the command printed nothing
   * else. `evenNone`: also an empty list.
   */
  changes(evenNone: boolean): Promise<void>;
  /** Writes the buffered text and waits for the pager; throws errors of stdout. */
  close(): Promise<void>;
}

export function createOutput(settings: OutputSettings, io: Omit<OutIo, 'stdin'>): OpenOutput {
  const { quiet, painter = plainPainter, isSilent = () => false, isNews = () => true } = settings;
  const say = (sentence: string, next?: string) => {
    const hint = next === undefined ? undefined : `next: ${next}`;
    io.stderr.write(sentencesOn(io.stderr, [sentence, hint], painter.label));
  };
  const note = (sentence: string, next?: string) => {
    if (!quiet && !isSilent() && isNews(sentence)) say(sentence, next);
  };
  const printer = new ResultPrinter(settings, io, note);
  const results: ItemResult[] = [];
  return {
    rows: (rows, columns) => printer.rows(rows, columns),
    value: (value) => printer.value(value),
    document: (value) => printer.document(value),
    text: (chunks, how = {}) => printer.text(chunks, how),
    tableText: (make) => printer.tableText(make),
    name: (name) => printer.name(name),
    note,
    changed(items, sentence, next) {
      for (const item of typeof items === 'string' ? [items] : items)
        results.push({ item, result: 'done', message: sentence });
      note(sentence, next);
    },
    async changes(evenNone) {
      if (printer.isForPrograms && !printer.isAnswered && (evenNone || results.length > 0))
        await printer.rows(results, resultColumns);
    },
    warn: (sentence) => say(`warning: ${sentence}`),
    format: settings.output,
    isForPrograms: printer.isForPrograms,
    looksAtValues: [
      settings.columns,
      settings.where,
      settings.sort,
      settings.limit,
      settings.query,
    ].some((said) => said !== undefined),
    close: () => printer.close(),
  };
}
