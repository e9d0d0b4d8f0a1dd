// Output of commands: results go to stdout in the requested format, messages to stderr.
import type { Columns } from '../lists/columns.ts';
import { type Result, resultColumns } from '../lists/results.ts';
import type { Rows } from '../lists/select.ts';
import type { Settings } from '../process/flags.ts';
import type { OutIo } from '../process/io.ts';
import { sentencesOn } from '../terminal/wrapped.ts';
import { type Painter, plainPainter } from './painter.ts';
import { type PrintSettings, ResultPrinter } from './result-printer.ts';

export type { Rows } from '../lists/select.ts';

export interface Output {
  /**
   * A list: the columns' values in every format but JSON and YAML, which print the rows as they
   * are.
   */
  rows<T>(rows: Rows<T>, columns: Columns<T>): Promise<void>;
  /** One thing with few fields: a line per field, where people read it. */
  value(value: object): Promise<void>;
  /** One thing with depth: a JSON document, unless another format is asked for. */
  document(value: unknown): Promise<void>;
  /**
   * Text that is not to be looked at: logs, or what the service has formatted itself. Live text
   * never waits for a pager; plain text has the format of nothing yet, and is a list of its lines
   * where one is asked for.
   */
  text(
    chunks: Iterable<string> | AsyncIterable<Uint8Array>,
    how?: { live?: boolean; plain?: boolean },
  ): Promise<void>;
  /** A name alone in a line, for a script. On a terminal an end of line in it is shown. */
  name(name: string): Promise<void>;
  /** Words to people, and the next useful command, on stderr; --quiet silences them. */
  note(sentence: string, next?: string): void;
  /**
   * What a change did to which things, and the next useful command. Where a format is asked for it
   * is the answer, too, unless there is another.
   */
  changed(items: string | readonly string[], sentence: string, next?: string): void;
  /** Words that even --quiet does not silence. */
  warn(sentence: string): void;
  /** The format asked for; undefined when nobody said. */
  readonly format: Settings['output'];
  /**
   * A program asked for this answer: in a format that is not for people, or by what picks from it.
   */
  readonly isForPrograms: boolean;
  /**
   * The columns of `rows` or --where, --sort, --limit, --columns, --query look at values, so text
   * of the service cannot be passed on.
   */
  readonly looksAtValues: boolean;
}

export interface OutputSettings extends PrintSettings, Pick<Settings, 'quiet'> {
  readonly painter?: Painter; // of stderr
  readonly isNews?: (sentence: string) => boolean; // other words to people need not be said
}

export interface OpenOutput extends Output {
  /**
   * Prints what was changed, where a program asked in what format and nothing else was its answer.
   * `evenNone`: a list without items, too.
   */
  changes(evenNone: boolean): Promise<void>;
  /** Writes what is held back and waits for the pager; throws what went wrong on stdout. */
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
  const results: Result[] = [];
  return {
    rows: (rows, columns) => printer.rows(rows, columns),
    value: (value) => printer.value(value),
    document: (value) => printer.document(value),
    text: (chunks, how = {}) => printer.text(chunks, how),
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
