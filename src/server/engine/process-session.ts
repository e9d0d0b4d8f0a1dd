// A session in a query process.
import type { AnswerTo, ProcessRequest } from './process-messages.ts';
import type { QueryProcess } from './query-process.ts';
import { type Aside, type Chunk, rowsIn, type Session, type StreamedResult } from './session.ts';
import type { EngineValue } from './values.ts';

export interface ProcessSessionParts {
  readonly process: QueryProcess;
  readonly begun: Promise<void>; // settles when the process has begun the session
  readonly signal: AbortSignal; // aborting ends the running statement; its reason is thrown
  readonly translate: (error: unknown) => unknown; // an error of DuckDB to the error that is thrown
  readonly aside: Aside;
}

export class ProcessSession implements Session {
  readonly aside: Aside;
  readonly #process: QueryProcess;
  readonly #begun: Promise<void>;
  readonly #signal: AbortSignal;
  readonly #translate: (error: unknown) => unknown;
  readonly #onAbort: () => void;
  readonly #aborted: Promise<never>; // rejects with the signal's reason
  #late: NodeJS.Timeout | undefined;
  #isRunning = false; // its statement has not ended, or not all of its rows are read

  constructor({ process, begun, signal, translate, aside }: ProcessSessionParts) {
    this.aside = aside;
    this.#process = process;
    this.#begun = begun;
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

  async run(sql: string): Promise<number> {
    const asked = this.#ask({ kind: 'run', sql });
    this.#endWith(asked);
    return await this.#do(asked);
  }

  async query(sql: string): Promise<StreamedResult> {
    const asked = this.#ask({ kind: 'query', sql });
    const next = this.#next();
    const { columns, part } = await this.#do(asked);
    return { columns, chunks: this.#chunksFrom(part, next) };
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
    const isRunning = this.#isRunning;
    if (isRunning) this.#interrupt();
    const ended = this.#process.ask({ kind: 'end' }).catch(() => undefined);
    // Otherwise only spilled data need to be waited for: they are removed at the end
    if (isRunning || this.#process.hasSpilled) await ended;
    clearTimeout(this.#late);
    return this.#process.isAlive;
  }

  // The next part is computed and sent while the current one is read.
  async *#chunksFrom(
    first: Chunk | undefined,
    second: Promise<Chunk | undefined>,
  ): AsyncGenerator<Chunk, void, undefined> {
    for (let [part, next] = [first, second]; part; ) {
      yield part;
      part = await next;
      if (part) next = this.#next();
    }
  }

  #next(): Promise<Chunk | undefined> {
    const asked = this.#ask({ kind: 'next' });
    this.#endWith(asked);
    const next = this.#do(asked);
    next.catch(() => undefined); // a reader that stops early does not wait for it
    return next;
  }

  // The statement ends with an error, or with a reply other than a part of its rows.
  #endWith(asked: Promise<Chunk | number | undefined>): void {
    const end = (reply: Chunk | number | undefined) => {
      if (typeof reply !== 'object') this.#isRunning = false;
    };
    asked.then(end, () => end(undefined));
  }

  // Requests are sent at once, before the replies to earlier ones: waiting for each reply would
  // take longer than a small query.
  #ask<Request extends ProcessRequest>(request: Request): Promise<AnswerTo[Request['kind']]> {
    this.#signal.throwIfAborted();
    this.#isRunning = true;
    const answer = this.#process.ask(request);
    answer.catch(() => undefined); // `#do` throws it
    return answer;
  }

  async #do<Answer>(asked: Promise<Answer>): Promise<Answer> {
    try {
      const [answer] = await Promise.race([Promise.all([asked, this.#begun]), this.#aborted]);
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
