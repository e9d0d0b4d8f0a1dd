// Gate that holds requests while the composed service is replaced.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

export class Gate {
  readonly #replying = new Set<ServerResponse>();
  #shut: Promise<unknown> | undefined;

  /** Resolves when a request may enter; it stays inside until its reply is written. */
  async enter(response: ServerResponse): Promise<void> {
    while (this.#shut) await this.#shut;
    if (response.destroyed) return;
    this.#replying.add(response);
    response.once('close', () => this.#replying.delete(response));
  }

  /**
   * Holds new requests until `work` is done, which begins when all replies are written; replies
   * that take longer than `patienceMs` are cut off.
   */
  async whileShut(work: () => Promise<void>): Promise<void> {
    const done = this.#waitUntilEmpty().then(work);
    this.#shut = done.catch(() => undefined);
    try {
      await done;
    } finally {
      this.#shut = undefined;
    }
  }

  async #waitUntilEmpty(): Promise<void> {
    const replying = [...this.#replying];
    const impatient = setTimeout(() => {
      for (const response of replying) response.destroy();
    }, patienceMs);
    await Promise.all(replying.map((response) => once(response, 'close')));
    clearTimeout(impatient);
  }
}

const patienceMs = 5000;
