// Service side of a catalog that a planning process reads: answers calls, and stores tables,
// segments and errors, which cannot be copied.
import type { Catalog, Table, TableSegment } from '../../sql/catalog.ts';
import type {
  CatalogAnswer,
  CatalogCall,
  SegmentDescriptions,
  TableDescription,
} from './messages.ts';

export class CatalogCalls {
  readonly #catalog: Catalog;
  readonly #tables: Table[] = [];
  readonly #segments: TableSegment[] = [];
  readonly #errors: unknown[] = [];

  /** For one job. */
  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** Answers a call; an error of the catalog becomes an answer. */
  answer(call: CatalogCall): CatalogAnswer {
    try {
      return { value: this.#value(call) };
    } catch (error) {
      return this.keep(error);
    }
  }

  /** Stores an error so that the process can refer to it. */
  keep(error: unknown): CatalogAnswer {
    return { thrown: this.#errors.push(error) - 1 };
  }

  /** The error with this number. */
  error(id: number): unknown {
    return this.#errors[id];
  }

  #value(call: CatalogCall): unknown {
    switch (call.ask) {
      case 'table':
        return this.#describe(this.#catalog.findTable(call.schema, call.name));
      case 'lookup':
        return this.#catalog.findLookup(call.name);
      case 'scan':
        return this.#tables[call.table]?.scan(call.wanted);
      case 'segments': {
        const segments = this.#tables[call.table]?.segments?.(call.intervals) ?? [];
        const index = this.#segments.length;
        for (const segment of segments) this.#segments.push(segment);
        return {
          index,
          segments: segments.map(({ scan: _, ...plain }) => plain),
        } satisfies SegmentDescriptions;
      }
      case 'scanSegment':
        return this.#segments[call.segment]?.scan(call.wanted);
    }
  }

  #describe(table: Table | undefined): TableDescription | undefined {
    if (!table) return undefined;
    const { scan: _, segments, ...plain } = table;
    return { ...plain, index: this.#tables.push(table) - 1, hasSegments: segments !== undefined };
  }
}
