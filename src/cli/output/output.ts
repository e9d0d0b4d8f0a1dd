// Output of commands: results go to stdout in the requested format, messages to stderr.
import { formatJson } from '../../model/json.ts';
import { visibleLine, visibleText } from '../../model/visible-text.ts';
import { type Cell, type Columns, columnsOf } from '../lists/columns.ts';
import { type Result, resultColumns } from '../lists/results.ts';
import { blocksOf, type Cut, cutNotice, type Rows, selected } from '../lists/select.ts';
import { CommandError } from '../process/errors.ts';
import type { Settings } from '../process/flags.ts';
import type { OutIo, Sink } from '../process/io.ts';
import { marksFor } from '../terminal/marks.ts';
import type { Paged } from '../terminal/pager.ts';
import { flushed, type Write, writerTo } from '../terminal/stdout.ts';
import { sentencesOn } from '../terminal/wrapped.ts';
import { firstTogether } from './first-together.ts';
import { jsonFormats, lineFormats } from './formats.ts';
import { type Painter, plainPainter } from './painter.ts';

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

export interface OutputSettings
  extends Pick<
    Settings,
    'output' | 'columns' | 'sort' | 'where' | 'limit' | 'query' | 'noHeader' | 'quiet'
  > {
  readonly color: boolean; // on stdout
  readonly painter?: Painter; // of stderr
  readonly paging: boolean;
  // A table that is too wide is not cut but scrolls, where there is a pager
  readonly scrolls?: boolean;
  readonly now?: () => number;
  readonly isSilent?: () => boolean; // what is said from now on is for nobody
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
  const { stdout, env } = io;
  const {
    output: format,
    query,
    quiet,
    noHeader,
    color,
    painter = plainPainter,
    paging,
    scrolls = false,
    now = Date.now,
    isSilent = () => false,
    isNews = () => true,
  } = settings;
  let direct: Write | undefined;
  let pager: Paged | undefined;
  const notices: string[] = [];
  const results: Result[] = [];
  let isAnswered = false;
  const isForPrograms =
    query !== undefined || format === 'name' || listFormats.includes(format ?? '');

  async function writer(paged = paging): Promise<Write> {
    isAnswered = true;
    if (isSilent()) return () => undefined;
    direct ??= writerTo(stdout);
    if (!paged) return direct;
    pager ??= (await import('../terminal/pager.ts')).pagedTo({ stdout, env, scrolls }, direct);
    return pager.write;
  }

  const nameLine = (name: unknown) =>
    `${stdout.isTTY ? visibleLine(String(name ?? '')) : (name ?? '')}\n`;

  async function rows<T>(rows: Rows<T>, columns: Columns<T>) {
    const pick =
      query === undefined ? undefined : (await import('../lists/query.ts')).pickerOf(query);
    const cut: Cut = {};
    const { kept, shown } = await selected(
      rows,
      columns,
      settings,
      format === undefined ? Boolean(stdout.isTTY) : format === 'table',
      cut,
    );
    if (pick) await picked(pick(await collected(kept)));
    else if (isTable(format, stdout)) await table(kept, shown);
    else await lines(kept, shown, settings.columns !== undefined);
    const notice = cutNotice(cut, settings.limit);
    if (notice) afterwards(notice);
  }

  async function table<T>(rows: AsyncIterable<readonly T[]>, columns: Columns<T>) {
    const { tableWriter } = await import('./table.ts');
    const onTerminal = Boolean(stdout.isTTY);
    let gaveWay: readonly string[] = [];
    const cuts = onTerminal && !(scrolls && paging);
    const said = tableWriter(columns, {
      color,
      header: !noHeader,
      ...(onTerminal && { now: now() }),
      ...(cuts && {
        width: stdout.columns || 80,
        cut: marksFor(env).cut,
        mayGiveWay: settings.columns === undefined,
        left: (names) => {
          gaveWay = names;
        },
      }),
    });
    const write = await writer();
    let some = false;
    for await (const block of firstTogether(rows)) {
      if (block.length === 0) continue;
      some = true;
      await write(said(block));
    }
    if (!some) await write(said([]));
    if (gaveWay.length > 0) afterwards(leftOutNotice(gaveWay));
  }

  async function lines<T>(
    rows: AsyncIterable<readonly T[]>,
    columns: Columns<T>,
    onlyColumns: boolean,
  ) {
    const said = lineFormats[format ?? 'tsv'] ?? (await import('./yaml.ts')).yaml;
    const { head, between = '', tail = '', empty = tail } = said;
    const row =
      format === 'name'
        ? ({ cells: [name] }: { cells: readonly Cell[] }) => nameLine(name)
        : said.row;
    const opening =
      format === 'json' || (!noHeader && columns.length > 0)
        ? (head?.(columns.map(({ name }) => name)) ?? '')
        : '';
    const write = await writer();
    let started = false;
    try {
      for await (const block of rows) {
        if (block.length === 0) continue;
        const texts = block.map((whole) => {
          const cells = columns.map((column) => column.value(whole));
          return row({
            cells,
            value: onlyColumns
              ? Object.fromEntries(columns.map(({ name }, at) => [name, cells[at] ?? null]))
              : whole,
          });
        });
        await write((started ? between : opening) + texts.join(between));
        started = true;
      }
      if (!started) await write(opening + empty);
    } finally {
      if (started) await write(tail); // what breaks off is still a valid document
    }
  }

  // What a query picks has no declared columns: the first object's keys are as good as any.
  async function picked(answer: unknown) {
    if (format === undefined || jsonFormats.includes(format) || !Array.isArray(answer))
      return plain(answer);
    const items: readonly unknown[] = answer;
    const names = [...new Set(items.flatMap((item) => (isObject(item) ? Object.keys(item) : [])))];
    const columns =
      names.length > 0
        ? names.map((name) => ({
            name,
            value: (item: unknown) => cellOf(isObject(item) ? item[name] : item),
          }))
        : [{ name: 'value', value: cellOf }];
    const blocks = blocksOf(items);
    await (isTable(format, stdout) ? table(blocks, columns) : lines(blocks, columns, false));
  }

  async function value(value: object) {
    if (query !== undefined)
      return picked((await import('../lists/query.ts')).pickerOf(query)(value));
    if (format !== undefined && jsonFormats.includes(format)) return plain(value);
    await fields(value);
  }

  async function document(value: unknown) {
    if (query !== undefined)
      return picked((await import('../lists/query.ts')).pickerOf(query)(value));
    if (Array.isArray(value) && format === 'jsonl')
      return lines(blocksOf<unknown>(value), [], false);
    if (!['csv', 'tsv', 'name'].includes(format ?? '')) return plain(value);
    if (!isObject(value)) return picked(value);
    await fields(value);
  }

  async function fields(value: object) {
    const entries = Object.entries(value).filter(([, field]) => field !== undefined);
    if (format === 'name') return void (await (await writer())(nameLine(cellOf(nameIn(entries)))));
    if (isTable(format, stdout)) return spreadOut(entries);
    const blocks = (async function* () {
      yield entries;
    })();
    await lines(blocks, fieldColumns, false);
  }

  async function spreadOut(entries: readonly (readonly [string, unknown])[]) {
    const [{ fieldLines }, { yamlOf }] = await Promise.all([
      import('./field-lines.ts'),
      import('./yaml.ts'),
    ]);
    const onTerminal = Boolean(stdout.isTTY);
    const width = onTerminal ? stdout.columns || 80 : undefined;
    const write = await writer();
    await write(
      fieldLines(entries, {
        color,
        header: !noHeader,
        width,
        now: onTerminal ? now() : undefined,
        spread: yamlOf,
      }),
    );
  }

  async function plain(value: unknown) {
    if (format === 'none') return;
    const write = await writer();
    if (format === 'yaml') await write((await import('./yaml.ts')).yamlOf(value));
    else if (format === 'name') await write(nameLine(cellOf(value)));
    else if (format === 'csv' || format === 'tsv') await write(`${cellOf(value) ?? ''}\n`);
    else {
      const document = formatJson(value ?? null, format === 'jsonl' ? '' : '  ');
      await write(`${isForPrograms ? document : visibleText(document)}\n`);
    }
  }

  const say = (sentence: string, next?: string) =>
    void io.stderr.write(
      sentencesOn(
        io.stderr,
        [sentence, next === undefined ? undefined : `next: ${next}`],
        painter.label,
      ),
    );
  const note = (sentence: string, next?: string) =>
    void (quiet || isSilent() || !isNews(sentence) || say(sentence, next));
  // What is said of a list stands below it, also where a pager still holds it.
  const afterwards = (notice: string) => void (pager ? notices.push(notice) : note(notice));

  return {
    rows,
    value,
    document,
    async text(chunks, { live = false, plain = false } = {}) {
      if (plain && (query !== undefined || listFormats.includes(format ?? ''))) {
        const { lineColumns, linesIn } = await import('./text-lines.ts');
        return rows(linesIn(chunks), lineColumns);
      }
      const write = format === 'none' ? () => undefined : await writer(paging && !live);
      for await (const chunk of chunks) await write(chunk);
    },
    async name(name) {
      await (await writer(false))(nameLine(name));
    },
    note,
    changed(items, sentence, next) {
      for (const item of typeof items === 'string' ? [items] : items)
        results.push({ item, result: 'done', message: sentence });
      note(sentence, next);
    },
    async changes(evenNone) {
      if (isForPrograms && !isAnswered && (evenNone || results.length > 0))
        await rows(results, resultColumns);
    },
    warn: (sentence) => say(`warning: ${sentence}`),
    format,
    isForPrograms,
    looksAtValues: [settings.columns, settings.where, settings.sort, settings.limit, query].some(
      (said) => said !== undefined,
    ),
    async close() {
      await pager?.end();
      for (const notice of notices.splice(0)) note(notice);
      if (!direct) return;
      const failure = await flushed(stdout);
      if (failure && (failure as NodeJS.ErrnoException).code !== 'EPIPE') {
        throw new CommandError('failed', `The answer cannot be written: ${failure.message}`);
      }
    },
  };
}

const leftOutNotice = (names: readonly string[]) => {
  const some = names.length <= 3 ? names : [...names.slice(0, 2), `${names.length - 2} more`];
  return `No room for ${some.join(', ')}: --columns picks others, -o json has all`;
};

// A type stands before the name in most documents of the API.
const nameIn = (entries: readonly (readonly [string, unknown])[]) =>
  (entries.find(([name]) => name === 'id') ??
    entries.find(([name]) => name === 'name') ??
    entries[0])?.[1];

const listFormats = ['csv', 'json', 'jsonl', 'tsv', 'yaml'];

const isTable = (format: Settings['output'], { isTTY }: Pick<Sink, 'isTTY'>) =>
  format === undefined ? Boolean(isTTY) : format === 'table' || format === 'wide';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const cellOf = (value: unknown) => {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'number' ||
    typeof value === 'bigint' ||
    typeof value === 'boolean' ||
    typeof value === 'string'
    ? value
    : formatJson(value);
};

const fieldColumns = columnsOf<[string, unknown]>({
  field: ([name]) => name,
  value: ([, value]) => cellOf(value),
});

async function collected<T>(blocks: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const block of blocks) all.push(...block);
  return all;
}
