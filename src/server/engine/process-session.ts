// A session in a query process.
import type { QueryProcess } from './query-process.ts';
import { type Aside, type Chunk, rowsIn, type Session, type StreamedResult } from './session.ts';
import type { EngineValue } from './values.ts';

export interface ProcessSessionParts {
  readonly process: QueryProcess;
  readonly signal: AbortSignal; // aborting ends the running statement; its reason is thrown
  readonly translate: (error: unknown) => unknown; // an error of DuckDB to the error that is thrown
  readonly aside: Aside;
}

export class ProcessSession implements Session {
  readonly aside: Aside;
  readonly #process: QueryProcess;
  readonly #signal: AbortSignal;
  readonly #translate: (error: unknown) => unknown;
  readonly #onAbort: () => void;
  readonly #aborted: Promise<never>; // rejects with the signal's reason
  #late: NodeJS.Timeout | undefined;

  constructor({ process, signal, translate, aside }: ProcessSessionParts) {
    this.aside = aside;
    this.#process = process;
    this.#signal = signal;
    this.#translate = translate;
    let abort = (_reason: unknown) => {};
    this.#aborted = new Promise((_, reject) => {
      abort = reject;
    });
    this.#aborted.catch(() => undefined);
    this.#onAbort = () => {
      abort(signal.reason);
      this.#interrupt();
    };
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  run(sql: string): Promise<number> {
    return this.#do(() => this.#process.ask({ kind: 'run', sql }));
  }

  async query(sql: string): Promise<StreamedResult> {
    const { columns, part } = await this.#do(() => this.#process.ask({ kind: 'query', sql }));
    return { columns, chunks: this.#chunksFrom(part) };
  }

  async rows(sql: string): Promise<EngineValue[][]> {
    return rowsIn(await this.query(sql));
  }

  /**
   * Ends the session. Resolves to true when its process can be reused: the running statement was
   * interrupted and has ended in time.
   */
  async end(): Promise<boolean> {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#interrupt();
    await this.#process.ask({ kind: 'end' }).catch(() => undefined);
    clearTimeout(this.#late);
    return this.#process.isAlive;
  }

  // The next part is computed and sent while the current one is read.
  async *#chunksFrom(first: Chunk | undefined): AsyncGenerator<Chunk, void, undefined> {
    for (let part = first; part; ) {
      const next = this.#do(() => this.#process.ask({ kind: 'next' }));
      next.catch(() => undefined); // a reader that stops early does not wait for it
      yield part;
      part = await next;
    }
  }

  async #do<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#signal.throwIfAborted();
    try {
      const answer = await Promise.race([ask(), this.#aborted]);
      this.#signal.throwIfAborted();
      return answer;
    } catch (error) {
      this.#signal.throwIfAborted();
      throw this.#translate(error);
    }
  }

  // DuckDB checks for an interruption between steps. A longer step ends with its process.
  #interrupt(): void {
    this.#process.tell({ kind: 'interrupt' });
    this.#late ??= setTimeout(
      () => this.#process.kill(this.#signal.reason ?? new Error('The session has ended')),
      graceMs,
    );
  }
}

const graceMs = 300;
