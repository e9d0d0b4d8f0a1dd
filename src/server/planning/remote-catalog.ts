// The worker's half of the catalog. The translation asks synchronously, so each call blocks the worker until the main thread has answered.
import { receiveMessageOnPort } from 'node:worker_threads';
import type { Catalog, Scan, Table } from '../../sql/catalog.ts';
import type { CatalogAnswer, CatalogCall, SegmentDescriptions, TableDescription, WorkerStart } from './messages.ts';

/** The catalog threw on the main thread, which has kept the error under this number. */
export class CatalogThrew extends Error {
  readonly id: number;

  constructor(id: number) {
    super('The catalog threw');
    this.id = id;
  }
}

/** The catalog of the job that runs on the main thread's side. Its functions throw CatalogThrew. */
export function remoteCatalog({ calls, answered }: WorkerStart): Catalog {
  function ask<Value>(call: CatalogCall): Value {
    Atomics.store(answered, 0, 0);
    calls.postMessage(call);
    // A late notification of the answer before may end a wait, too. Only the flag says that this answer is there.
    while (Atomics.load(answered, 0) === 0) Atomics.wait(answered, 0, 0);
    const answer = receiveMessageOnPort(calls)?.message as CatalogAnswer;
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
