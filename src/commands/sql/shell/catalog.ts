// Names for completion, requested from the service once. The Tab key waits at most one second.
import type { AskLine } from '../../shared/sql/ask-lines.ts';

export interface Names {
  readonly tables: readonly { readonly schema: string; readonly name: string }[];
  // By table; table names are unique enough
  readonly columnsOf: ReadonlyMap<string, readonly string[]>;
  readonly functions: readonly string[];
}

export interface ShellCatalog {
  /** The names available within a second. Later ones are available the next time. */
  names(): Promise<Names>;
  /** Clears the cache: tables have come or gone. */
  forget(): void;
}

export function catalogOf(ask: AskLine): ShellCatalog {
  let asked: Promise<Names> | undefined;
  let known: Names = nothing;

  async function load(): Promise<Names> {
    const [tables, columns, functions] = await Promise.all([
      ask('SELECT TABLE_SCHEMA, TABLE_NAME FROM INFORMATION_SCHEMA.TABLES ORDER BY 2'),
      ask(
        'SELECT TABLE_NAME, COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS ORDER BY 1, ORDINAL_POSITION',
      ),
      ask('SELECT DISTINCT ROUTINE_NAME FROM INFORMATION_SCHEMA.ROUTINES').catch(() => []), // older services have none
    ]);
    const columnsOf = new Map<string, string[]>();
    for (const [table, column] of columns)
      columnsOf.set(table ?? '', [...(columnsOf.get(table ?? '') ?? []), column ?? '']);
    known = {
      tables: tables.map(([schema = '', name = '']) => ({ schema, name })),
      columnsOf,
      functions: functions.map(([name = '']) => name).sort(),
    };
    return known;
  }

  return {
    async names() {
      asked ??= load().catch(() => {
        asked = undefined; // the service may be available the next time
        return known;
      });
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<Names>((resolve) => {
        timer = setTimeout(() => resolve(known), patienceMs);
      });
      return Promise.race([asked, tooLate]).finally(() => clearTimeout(timer));
    },
    forget() {
      asked = undefined;
    },
  };
}

const patienceMs = 1000;
const nothing: Names = { tables: [], columnsOf: new Map(), functions: [] };
