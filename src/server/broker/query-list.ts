// Queries listed by `GET /svc/v2/sql/queries`: running ones and the most recent completed ones.

import type { SqlQueryInfo } from '../../contract/sql.ts';
import { formatInstant } from '../../model/instant.ts';
import { maskJsonText, maskSql } from '../handlers/masks.ts';
import type { Caller } from '../handlers/routes.ts';
import type { QueryOutcome } from '../statements/open-query.ts';

interface Entry {
  readonly queryId: string;
  readonly identity: string; // the submitter
  readonly language: 'sql' | 'native';
  readonly text: string; // truncated if long
  readonly startMs: number;
  state: 'ACCEPTED' | 'RUNNING' | QueryOutcome;
  endMs?: number;
}

export class QueryList {
  readonly #running = new Set<Entry>();
  #ended: readonly Entry[] = [];
  readonly #now: () => number;

  /** `now` returns milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Adds a query; `ended` is called once, at its end. */
  add(
    queryId: string,
    identity: string,
    text: string,
    language: Entry['language'] = 'sql',
  ): { readonly runs: () => void; readonly ended: (outcome: QueryOutcome) => void } {
    const entry: Entry = {
      queryId,
      identity,
      language,
      text: beginningOf(text),
      startMs: this.#now(),
      state: 'ACCEPTED',
    };
    this.#running.add(entry);
    return {
      runs() {
        entry.state = 'RUNNING';
      },
      ended: (outcome) => {
        if (!this.#running.delete(entry)) return;
        entry.state = outcome;
        entry.endMs = this.#now();
        this.#ended = [...this.#ended, entry].slice(-mostEnded);
      },
    };
  }

  /**
   * The queries that a caller may see, oldest first: all with STATE READ, otherwise the caller's
   * own, without the submitter.
   */
  list(
    caller: Caller,
    { includesEnded, includesNative }: { includesEnded: boolean; includesNative: boolean },
  ): SqlQueryInfo[] {
    const seesAll = caller.may('STATE', 'STATE', 'READ');
    return [...(includesEnded ? this.#ended : []), ...this.#running]
      .filter(({ identity }) => seesAll || identity === caller.identity)
      .filter(({ language }) => includesNative || language === 'sql')
      .map(({ queryId, identity, language, text, startMs, state, endMs }) => ({
        engine: 'native',
        ...(language === 'sql'
          ? { sqlQueryId: queryId, sql: maskSql(text) }
          : { queryId, query: maskJsonText(text) }),
        ...(seesAll && { identity }),
        startTime: formatInstant(startMs),
        state,
        ...(endMs !== undefined && { durationMs: endMs - startMs }),
      }));
  }
}

const mostEnded = 100;
export const longestListed = 16 * 1024; // in characters

// A substring keeps the whole text in memory; a copy does not.
const beginningOf = (text: string) =>
  text.length > longestListed ? `${Buffer.from(text.slice(0, longestListed)).toString()}…` : text;
