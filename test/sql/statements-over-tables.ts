// Statements over three small tables: translated with a catalog that knows them, and run on the
// real engine.
import { onTestFinished } from 'vitest';
import { Engine } from '../../src/server/engine/engine.ts';
import type { Catalog, Table, TableColumn, TimeRange } from '../../src/sql/catalog.ts';
import { SqlError } from '../../src/sql/sql-error.ts';
import type {
  IngestStatement,
  SelectStatement,
  TranslatedStatement,
} from '../../src/sql/statement.ts';
import { type TranslateOptions, translate } from '../../src/sql/translate/translate.ts';
import { temporaryFolder } from '../support/storage.ts';

export const newYear = 1_704_067_200_000n; // 2024-01-01
export const dayMs = 86_400_000n;

/** What a scan was asked for. */
export interface AskedScan {
  readonly table: string;
  readonly columns: readonly string[];
  readonly intervals?: readonly TimeRange[];
  readonly isNewestFirst?: boolean;
}

export interface Translated<T> {
  readonly statement: T;
  readonly scans: readonly AskedScan[];
}

/** Translates with the small tables; `scans` is what their scans were asked for. */
export function translated(
  text: string,
  given: Partial<TranslateOptions> = {},
): Translated<TranslatedStatement> {
  const scans: AskedScan[] = [];
  const statement = translate(text, {
    catalog: smallTables(scans),
    context: {},
    parameters: [],
    nowMs: newYear,
    engine: 'native',
    ...given,
  });
  return { statement, scans };
}

/** As `translated`, of a query. */
export function query(text: string, given: Partial<TranslateOptions> = {}): SelectStatement {
  const { statement } = translated(text, given);
  if (statement.kind !== 'select')
    throw new TypeError(`This is not a query but [${statement.kind}]`);
  return statement;
}

/** As `translated`, of INSERT or REPLACE, which only the multi-stage engine takes. */
export function ingest(text: string): IngestStatement {
  const { statement } = translated(text, { engine: 'msq-task' });
  if (statement.kind === 'select' || statement.kind === 'explain')
    throw new TypeError(`This writes nothing: [${statement.kind}]`);
  return statement;
}

/** What a statement is refused with. */
export function refusal(text: string, given: Partial<TranslateOptions> = {}): string {
  try {
    translated(text, given);
  } catch (error) {
    if (error instanceof SqlError) return error.message;
    throw error;
  }
  throw new TypeError(`This was not refused: [${text}]`);
}

/** Runs what queries are translated to; the names of columns come first, when asked for. */
export async function answering(): Promise<
  (text: string, given?: Partial<TranslateOptions>) => Promise<readonly (readonly unknown[])[]>
> {
  const engine = new Engine({
    allowedFolders: [],
    spillFolder: await temporaryFolder(),
    threads: 1,
  });
  onTestFinished(() => engine.close());
  return (text, given) =>
    engine.session(async (session) => {
      await session.run(tableTexts.join(';'));
      const { chunks } = await session.query(query(text, given).duckdb);
      const rows: unknown[][] = [];
      for await (const { rowCount, columns } of chunks) {
        for (let row = 0; row < rowCount; row++) rows.push(columns.map((values) => values[row]));
      }
      return rows;
    });
}

const time: TableColumn = {
  name: '__time',
  type: 'LONG',
  multiValue: false,
  sqlType: 'TIMESTAMP',
  nullable: false,
};
const column = (name: string, type: string, multiValue = false): TableColumn => ({
  name,
  type,
  multiValue,
});

const columnsOf: Readonly<Record<string, readonly TableColumn[]>> = {
  edits: [
    time,
    column('page', 'STRING'),
    column('author', 'STRING'),
    column('added', 'LONG'),
    column('tags', 'STRING', true),
    column('links', 'ARRAY<LONG>'),
  ],
  people: [time, column('name', 'STRING'), column('label', 'STRING')],
  readings: [time, column('sensor', 'STRING'), column('d', 'DOUBLE'), column('f', 'FLOAT')],
};

const tableTexts = [
  `CREATE OR REPLACE TEMP TABLE edits AS FROM (VALUES
    (${newYear}, 'Berlin', 'anna', 10::BIGINT, ['city', 'capital'], [1, 2]::BIGINT[]),
    (${newYear}, 'Bern', 'ben', 5, ['city'], []),
    (${newYear + dayMs}, 'Berlin', 'ben', NULL, NULL, [3]),
    (${newYear + 2n * dayMs}, NULL, 'anna', 7, ['river', 'city'], NULL)
  ) AS t (__time, page, author, added, tags, links)`,
  `CREATE OR REPLACE TEMP TABLE people AS FROM (VALUES (${newYear}, 'anna', 'Anna A.'), (${newYear}, 'carl', 'Carl C.')) AS t (__time, name, label)`,
  `CREATE OR REPLACE TEMP TABLE readings AS FROM (VALUES
    (${newYear}, 'true', 2.5::DOUBLE, 0.1::FLOAT),
    (${newYear}, '7', 2.0, 0.5),
    (${newYear + dayMs}, 'north', NULL, NULL)
  ) AS t (__time, sensor, d, f)`,
];

const namesTable: Table = {
  schema: 'lookup',
  name: 'names',
  kind: 'lookup',
  columns: [column('k', 'STRING'), column('v', 'STRING')],
  scan: () => ({
    sql: "(FROM (VALUES ('anna', 'Anna'), ('carl', 'Carl')) AS l (k, v))",
    files: [],
  }),
};

/** A catalog of the small tables, which notes their scans. */
export function smallTables(scans: AskedScan[]): Catalog {
  const tableOf = (name: string, columns: readonly TableColumn[]): Table => ({
    schema: 'druid',
    name,
    kind: 'datasource',
    columns,
    scan(wanted) {
      scans.push({ table: name, ...wanted });
      const sql = `(SELECT ${wanted.columns.map((each) => `"${each}"`).join(', ')} FROM ${name})`;
      return { sql, files: [`/segments/${name}.parquet`] };
    },
  });
  return {
    findTable(schema = 'druid', name) {
      if (schema === 'lookup' && name === 'names') return namesTable;
      const columns = schema === 'druid' ? columnsOf[name] : undefined;
      return columns && tableOf(name, columns);
    },
    findLookup: (name) =>
      name === 'names'
        ? "(FROM (VALUES ('anna', 'Anna'), ('carl', 'Carl')) AS l (k, v))"
        : undefined,
  };
}
