// Guess of a file's columns from its first rows.
import { UsageError } from '../../cli/process/errors.ts';
import { delimiterIn, recordsIn } from '../../model/delimited.ts';
import { parseJson } from '../../model/json.ts';

export type GuessedFormat = 'csv' | 'json' | 'parquet' | 'tsv';

export interface Guess {
  readonly format: GuessedFormat;
  readonly delimiter: string; // of csv and tsv
  readonly columns: readonly GuessedColumn[];
  readonly hasHeader: boolean; // the first line holds the names
}

export interface GuessedColumn {
  readonly name: string;
  readonly type:
    | 'BIGINT'
    | 'DOUBLE'
    | 'FLOAT'
    | 'VARCHAR'
    | 'BIGINT ARRAY'
    | 'DOUBLE ARRAY'
    | 'VARCHAR ARRAY'
    | "TYPE('COMPLEX<json>')";
  readonly samples: readonly unknown[]; // values other than null
  readonly isDeclared?: true; // without samples: by the user, or by the file
  readonly time?: 'millis' | 'nanos'; // a timestamp, by its declared type
}

const byHand = 'svcctl ingest sql takes a statement that declares the columns';

/**
 * The format by the file's extension, or by its first line. Throws a usage error when neither shows
 * it.
 */
export function formatOf(path: string, lines: readonly string[]): GuessedFormat {
  const [first = ''] = lines;
  const named = formatNamed(path);
  if (named !== undefined) return named;
  if (/\.(?:orc|avro)$/.test(unpackedName(path)))
    throw new UsageError(`The columns of [${path}] cannot be guessed: it is not text`, byHand);
  if (first.trimStart().startsWith('{')) return 'json';
  if (first.includes('\t')) return 'tsv';
  if (delimiterIn(lines) !== ',' || first.includes(',')) return 'csv';
  throw new UsageError(
    `The format of [${path}] cannot be guessed`,
    'give it: --format json, csv or tsv',
  );
}

/** The format by the file's extension; undefined when it shows none. */
export function formatNamed(path: string): GuessedFormat | undefined {
  const [, extension = ''] = /\.(\w+)$/.exec(unpackedName(path)) ?? [];
  if (['json', 'jsonl', 'ndjson'].includes(extension)) return 'json';
  if (extension === 'csv' || extension === 'parquet') return extension;
  return extension === 'tsv' || extension === 'tab' ? 'tsv' : undefined;
}

const unpackedName = (path: string) => path.toLowerCase().replace(/\.(gz|zip|zst)$/, '');

/** Columns in order of appearance; throws a usage error with the line that cannot be parsed. */
export function guessColumns(
  path: string,
  format: GuessedFormat,
  lines: readonly string[],
  {
    names,
    delimiter: wanted,
    tolerated = 0,
  }: {
    readonly names?: readonly string[] | undefined;
    readonly delimiter?: string | undefined;
    readonly tolerated?: number | undefined; // values that may be broken in each column
  } = {},
): Guess {
  if (lines.length === 0)
    throw new UsageError(`The columns of [${path}] cannot be guessed: it has no rows`);
  if (format === 'json')
    return {
      format,
      delimiter: ',',
      hasHeader: false,
      columns: columnsIn(objectsIn(path, lines), tolerated),
    };
  const delimiter = wanted ?? (format === 'tsv' ? '\t' : delimiterIn(lines));
  const records =
    format === 'tsv' && delimiter === '\t'
      ? lines.map((line) => line.split('\t'))
      : [...recordsIn(lines.join('\n'), delimiter)];
  const head = names ?? headIn(path, records[0] ?? []);
  const rows = names ? records : records.slice(1);
  if (rows.length === 0)
    throw new UsageError(`The columns of [${path}] cannot be guessed: it has only a header`);
  const objects = rows.map((record) =>
    Object.fromEntries(head.map((name, at) => [name, meaningOf(record[at] ?? '')])),
  );
  const known = new Map(columnsIn(objects, tolerated).map((column) => [column.name, column]));
  return {
    format,
    delimiter,
    hasHeader: names === undefined,
    columns: head.map((name) => known.get(name) ?? { name, type: 'VARCHAR', samples: [] }),
  };
}

// A few broken lines are skipped: the check of the rows describes them.
function objectsIn(path: string, lines: readonly string[]) {
  const good: Readonly<Record<string, unknown>>[] = [];
  let broken: unknown;
  for (const [at, line] of lines.entries()) {
    try {
      good.push(objectIn(path, line, at + 1));
    } catch (error) {
      broken ??= error;
    }
  }
  if (broken !== undefined && good.length < lines.length / 2) throw broken;
  return good;
}

function objectIn(path: string, line: string, at: number): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch (error) {
    throw notUnderstood(
      path,
      at,
      `it is not JSON (${(error as Error).message}); there must be one object on each line, or one list of objects`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw notUnderstood(path, at, 'it is not a JSON object');
  return value as Readonly<Record<string, unknown>>;
}

function headIn(path: string, names: readonly string[]): readonly string[] {
  const wrong = names.findIndex(
    (name, at) => name.trim() === '' || /^-?[\d.]+$/.test(name) || names.indexOf(name) !== at,
  );
  if (wrong === -1) return names;
  const name = names[wrong] ?? '';
  const earlier = names.indexOf(name);
  const isRepeated = earlier < wrong && name.trim() !== '';
  const problem = `its field ${wrong + 1}, [${name}], ${isRepeated ? `repeats field ${earlier + 1}` : 'is not a column name'}`;
  throw new UsageError(
    `The columns of [${path}] cannot be guessed from line 1: ${problem}`,
    'give them: --fields time,page,added',
  );
}

const notUnderstood = (path: string, line: number, problem: string) =>
  new UsageError(
    `The columns of [${path}] cannot be guessed from line ${line}: ${problem}`,
    byHand,
  );

function columnsIn(
  rows: readonly Readonly<Record<string, unknown>>[],
  tolerated: number,
): readonly GuessedColumn[] {
  const samples = new Map<string, unknown[]>();
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      const known = samples.get(name) ?? [];
      if (value !== null && value !== '') known.push(value);
      samples.set(name, known);
    }
  }
  return [...samples].map(([name, values]) => ({
    name,
    type: commonType(withoutBroken(values, tolerated)),
    samples: values,
  }));
}

// Texts in a column of numbers are broken values when they are few.
function withoutBroken(values: readonly unknown[], tolerated: number): readonly unknown[] {
  if (tolerated === 0) return values;
  const numbers = values.filter((value) => typeof value === 'number' || typeof value === 'bigint');
  const others = values.length - numbers.length;
  return others <= tolerated && numbers.length > others ? numbers : values;
}

function commonType(values: readonly unknown[]): GuessedColumn['type'] {
  const kinds = new Set(values.map(kindOf));
  if (kinds.size === 0) return 'VARCHAR';
  if (kinds.has('object')) return "TYPE('COMPLEX<json>')";
  if (kinds.has('array')) {
    const items = commonType(values.flat());
    const isPlain = items === 'BIGINT' || items === 'DOUBLE' || items === 'VARCHAR';
    return kinds.size === 1 && isPlain ? `${items} ARRAY` : "TYPE('COMPLEX<json>')";
  }
  if (kinds.has('text')) return 'VARCHAR';
  return kinds.has('fraction') ? 'DOUBLE' : 'BIGINT';
}

function kindOf(value: unknown): 'array' | 'fraction' | 'integer' | 'object' | 'text' {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  return typeof value === 'object' ? 'object' : 'text'; // truth values too: there is no column of them
}

// Converts numeric texts, unless the conversion loses something, as with codes that have leading
// zeros.
function meaningOf(text: string): unknown {
  if (/^(0|-?[1-9]\d{0,17})$/.test(text)) return BigInt(text);
  return /^-?(0|[1-9]\d*)\.\d+$/.test(text) ? Number(text) || 0.5 : text;
}
