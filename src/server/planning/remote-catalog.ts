// Process side of the catalog. The translation calls it synchronously, so each call blocks until
// the service answers.
import type { Catalog, Scan, Table } from '../../sql/catalog.ts';
import type {
  CatalogAnswer,
  CatalogCall,
  SegmentDescriptions,
  TableDescription,
} from './messages.ts';

/** The catalog threw in the service, which stored the error under this number. */
export class CatalogThrew extends Error {
  readonly id: number;

  constructor(id: number) {
    super('The catalog threw');
    this.id = id;
  }
}

/** The catalog of the job, answered by the service. Its functions throw CatalogThrew. */
export function remoteCatalog(answerTo: (call: CatalogCall) => CatalogAnswer): Catalog {
  function ask<Value>(call: CatalogCall): Value {
    const answer = answerTo(call);
    if ('thrown' in answer) throw new CatalogThrew(answer.thrown);
    return answer.value as Value;
  }

  function tableOf({ index, hasSegments, ...plain }: TableDescription): Table {
    return {
      ...plain,
      scan: (wanted) => ask<Scan>({ ask: 'scan', table: index, wanted }),
      ...(hasSegments && {
        segments: (intervals) => {
          const found = ask<SegmentDescriptions>({ ask: 'segments', table: index, intervals });
          return found.segments.map((segment, at) => ({
            ...segment,
            scan: (wanted) => ask<Scan>({ ask: 'scanSegment', segment: found.index + at, wanted }),
          }));
        },
      }),
    };
  }

  return {
    findTable(schema, name) {
      const found = ask<TableDescription | undefined>({ ask: 'table', schema, name });
      return found && tableOf(found);
    },
    findLookup: (name) => ask<string | undefined>({ ask: 'lookup', name }),
  };
}
