// Results of commands on stdout, in the requested format.
import { formatJson } from '../../model/json.ts';
import { visibleLine, visibleText } from '../../model/visible-text.ts';
import { type Cell, type Columns, columnsOf } from '../lists/columns.ts';
import { blocksOf, type Cut, cutNotice, type Rows, selectRows } from '../lists/select.ts';
import { CommandError } from '../process/errors.ts';
import type { Settings } from '../process/flags.ts';
import type { OutIo, Sink } from '../process/io.ts';
import { marksFor } from '../terminal/marks.ts';
import type { Paged } from '../terminal/pager.ts';
import { flush, type Write, writerTo } from '../terminal/stdout.ts';
import { firstTogether } from './first-together.ts';
import { jsonFormats, lineFormats } from './formats.ts';
import type { TableLook } from './table.ts';

export interface PrintSettings
  extends Pick<Settings, 'output' | 'columns' | 'sort' | 'where' | 'limit' | 'query' | 'noHeader'> {
  readonly color: boolean; // on stdout
  readonly paging: boolean;
  readonly noGroup?: boolean; // numbers without thousands separators
  // A table that is too wide scrolls in the pager instead of being cut
  readonly scrolls?: boolean;
  readonly now?: () => number;
  readonly isSilent?: () => boolean; // suppresses further output
}

export class ResultPrinter {
  readonly #settings: PrintSettings;
  readonly #io: Pick<OutIo, 'stdout' | 'env'>;
  readonly #note: (notice: string) => void;
  readonly #notices: string[] = [];
  #direct: Write | undefined;
  #pager: Paged | undefined;
  #isAnswered = false;

  /** `note` prints a message about a list, below it. */
  constructor(
    settings: PrintSettings,
    io: Pick<OutIo, 'stdout' | 'env'>,
    note: (notice: string) => void,
  ) {
    this.#settings = settings;
    this.#io = io;
    this.#note = note;
  }

  /** Whether anything was written. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Whether the format or --query addresses programs. */
  get isForPrograms(): boolean {
    const { output: format, query } = this.#settings;
    return query !== undefined || format === 'name' || listFormats.includes(format ?? '');
  }

  async rows<T>(rows: Rows<T>, columns: Columns<T>): Promise<void> {
    const { output: format } = this.#settings;
    const pick = await this.#picker();
    const cut: Cut = {};
    const { kept, shown } = await selectRows(
      rows,
      columns,
      this.#settings,
      format === undefined ? Boolean(this.#io.stdout.isTTY) : format === 'table',
      cut,
    );
    if (pick) await this.#printSelection(pick(await collect(kept)));
    else if (this.#isTable()) await this.#table(kept, shown);
    else await this.#lines(kept, shown, this.#settings.columns !== undefined);
    const notice = cutNotice(cut, this.#settings.limit);
    if (notice) this.#noteBelow(notice);
  }

  async value(value: object): Promise<void> {
    const { output: format } = this.#settings;
    const pick = await this.#picker();
    if (pick) return this.#printSelection(pick(value));
    if (format !== undefined && jsonFormats.includes(format)) return this.#plain(value);
    await this.#fields(value);
  }

  async document(value: unknown): Promise<void> {
    const { output: format } = this.#settings;
    const pick = await this.#picker();
    if (pick) return this.#printSelection(pick(value));
    if (Array.isArray(value) && format === 'jsonl')
      return this.#lines(blocksOf<unknown>(value), [], false);
    if (!['csv', 'tsv', 'name'].includes(format ?? '')) return this.#plain(value);
    if (!isObject(value)) return this.#printSelection(value);
    await this.#fields(value);
  }

  /**
   * Prints text unchanged. Live text never waits for a pager; plain text becomes a list of its
   * lines when a format is requested.
   */
  async text(
    chunks: Iterable<string> | AsyncIterable<Uint8Array>,
    { live = false, plain = false }: { live?: boolean; plain?: boolean },
  ): Promise<void> {
    const { output: format, query, paging } = this.#settings;
    if (plain && (query !== undefined || listFormats.includes(format ?? ''))) {
      const { lineColumns, linesIn } = await import('./text-lines.ts');
      return this.rows(linesIn(chunks), lineColumns);
    }
    const write = format === 'none' ? () => undefined : await this.#writer(paging && !live);
    for await (const chunk of chunks) await write(chunk);
  }

  async name(name: string): Promise<void> {
    await (await this.#writer(false))(this.#nameLine(name));
  }

  /** Waits for the pager; throws errors of stdout. */
  async close(): Promise<void> {
    await this.#pager?.end();
    for (const notice of this.#notices.splice(0)) this.#note(notice);
    if (!this.#direct) return;
    const failure = await flush(this.#io.stdout);
    if (failure && (failure as NodeJS.ErrnoException).code !== 'EPIPE')
      throw new CommandError('failed', `The answer cannot be written: ${failure.message}`);
  }

  async #writer(paged = this.#settings.paging, hasHeader = false): Promise<Write> {
    const { stdout, env } = this.#io;
    this.#isAnswered = true;
    if (this.#settings.isSilent?.()) return () => undefined;
    this.#direct ??= writerTo(stdout);
    if (!paged) return this.#direct;
    this.#pager ??= (await import('../terminal/pager.ts')).openPager(
      { stdout, env, scrolls: this.#scrolls(), header: hasHeader },
      this.#direct,
    );
    return this.#pager.write;
  }

  async #picker(): Promise<((answer: unknown) => unknown) | undefined> {
    const { query } = this.#settings;
    return query === undefined ? undefined : (await import('../lists/query.ts')).pickerOf(query);
  }

  // Plain text is written without loading chalk, which takes 10 ms.
  async #colors(): Promise<Pick<TableLook, 'paintState'>> {
    if (!this.#settings.color) return {};
    const { paintState } = await import('../terminal/style.ts');
    return { paintState };
  }

  // With a pager, a wide table is never cut.
  #scrolls(): boolean {
    const { scrolls = false, output } = this.#settings;
    return scrolls || output === 'wide';
  }

  #isTable(): boolean {
    return isTable(this.#settings.output, this.#io.stdout);
  }

  #nameLine(name: unknown): string {
    return `${this.#io.stdout.isTTY ? visibleLine(String(name ?? '')) : (name ?? '')}\n`;
  }

  // A message about a list is printed below it, even when a pager still holds the list.
  #noteBelow(notice: string): void {
    if (this.#pager) this.#notices.push(notice);
    else this.#note(notice);
  }

  async #table<T>(rows: AsyncIterable<readonly T[]>, columns: Columns<T>): Promise<void> {
    const [{ tableWriter }, { writeSmall }] = await Promise.all([
      import('./table.ts'),
      import('./small-table.ts'),
    ]);
    await this.tableText(async function* (look) {
      const table = tableWriter(columns, look, writeSmall);
      let some = false;
      for await (const block of firstTogether(rows)) {
        if (block.length === 0) continue;
        some = true;
        yield table.write(block);
      }
      if (!some) yield table.write([]);
    });
  }

  /** Prints a table that `make` writes in the look of this output. */
  async tableText(make: (look: TableLook) => AsyncIterable<Uint8Array | string>): Promise<void> {
    const { stdout, env } = this.#io;
    const { noHeader, noGroup, output, paging, now = Date.now } = this.#settings;
    const onTerminal = Boolean(stdout.isTTY);
    let gaveWay: readonly string[] = [];
    const cuts = onTerminal && !(this.#scrolls() && paging);
    const text = make({
      ...(await this.#colors()),
      header: !noHeader,
      ...(onTerminal && {
        now: now(),
        isExact: output === 'wide' && !cuts,
        groups: noGroup !== true,
      }),
      ...(cuts && {
        width: stdout.columns || 80,
        cut: marksFor(env).cut,
        mayGiveWay: this.#settings.columns === undefined,
        left: (names) => {
          gaveWay = names;
        },
      }),
    });
    const write = await this.#writer(paging, !noHeader);
    for await (const chunk of text) await write(chunk);
    if (gaveWay.length > 0)
      this.#noteBelow(noticeOfLeftOut(gaveWay, paging && output !== 'wide' ? 'wide' : 'json'));
  }

  async #lines<T>(
    rows: AsyncIterable<readonly T[]>,
    columns: Columns<T>,
    onlyColumns: boolean,
  ): Promise<void> {
    const { output: format, noHeader } = this.#settings;
    const said = lineFormats[format ?? 'tsv'] ?? (await import('./yaml.ts')).yaml;
    const { head, between = '', tail = '', empty = tail } = said;
    const row =
      format === 'name'
        ? ({ cells: [name] }: { cells: readonly Cell[] }) => this.#nameLine(name)
        : said.row;
    const opening =
      format === 'json' || (!noHeader && columns.length > 0)
        ? (head?.(columns.map(({ name }) => name)) ?? '')
        : '';
    const write = await this.#writer();
    let started = false;
    try {
      for await (const block of rows) {
        if (block.length === 0) continue;
        const texts = block.map((whole) => {
          const cells = columns.map((column) => column.value(whole));
          const value = onlyColumns
            ? Object.fromEntries(columns.map(({ name }, at) => [name, cells[at] ?? null]))
            : whole;
          return row({ cells, value });
        });
        await write((started ? between : opening) + texts.join(between));
        started = true;
      }
      if (!started) await write(opening + empty);
    } finally {
      if (started) await write(tail); // an interrupted list is still a valid document
    }
  }

  // The result of --query has no declared columns: use the keys of its first object.
  async #printSelection(answer: unknown): Promise<void> {
    const { output: format } = this.#settings;
    if (format === undefined || jsonFormats.includes(format) || !Array.isArray(answer))
      return this.#plain(answer);
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
    await (this.#isTable() ? this.#table(blocks, columns) : this.#lines(blocks, columns, false));
  }

  async #fields(value: object): Promise<void> {
    const entries = Object.entries(value).filter(([, field]) => field !== undefined);
    if (this.#settings.output === 'name')
      return void (await (
        await this.#writer()
      )(this.#nameLine(cellOf(nameIn(entries)))));
    if (this.#isTable()) return this.#spreadOut(entries);
    const blocks = (async function* () {
      yield entries;
    })();
    await this.#lines(blocks, fieldColumns, false);
  }

  async #spreadOut(entries: readonly (readonly [string, unknown])[]): Promise<void> {
    const { stdout } = this.#io;
    const { noHeader, noGroup, now = Date.now } = this.#settings;
    const [{ fieldLines }, { yamlOf }, colors] = await Promise.all([
      import('./field-lines.ts'),
      import('./yaml.ts'),
      this.#colors(),
    ]);
    const onTerminal = Boolean(stdout.isTTY);
    const write = await this.#writer();
    await write(
      fieldLines(entries, {
        ...colors,
        header: !noHeader,
        width: onTerminal ? stdout.columns || 80 : undefined,
        now: onTerminal ? now() : undefined,
        groups: onTerminal && noGroup !== true,
        spread: yamlOf,
      }),
    );
  }

  async #plain(value: unknown): Promise<void> {
    const { output: format } = this.#settings;
    if (format === 'none') return;
    const write = await this.#writer();
    if (format === 'yaml') await write((await import('./yaml.ts')).yamlOf(value));
    else if (format === 'name') await write(this.#nameLine(cellOf(value)));
    else if (format === 'csv' || format === 'tsv') await write(`${cellOf(value) ?? ''}\n`);
    else {
      const document = formatJson(value ?? null, format === 'jsonl' ? '' : '  ');
      await write(`${this.isForPrograms ? document : visibleText(document)}\n`);
    }
  }
}

const noticeOfLeftOut = (names: readonly string[], format: 'json' | 'wide') => {
  const some = names.length <= 3 ? names : [...names.slice(0, 2), `${names.length - 2} more`];
  return `Not shown for lack of space: ${some.join(', ')}; select columns with --columns, or see all with -o ${format}`;
};

// Most documents of the API have a type before their name.
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

async function collect<T>(blocks: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const block of blocks) all.push(...block);
  return all;
}
