// Results that clients do not read. Each keeps rows in memory, so their sum is limited.
import type { Chunk } from './session.ts';
import type { EngineValue } from './values.ts';

export interface UnreadResult {
  readonly user: string | undefined;
  readonly bytes: number; // in memory until the client reads on
  stop(): void;
}

export class UnreadResults {
  readonly #limitBytes: number;
  readonly #results = new Set<UnreadResult>(); // the earliest one first

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /**
   * Adds a result. Above the limit, results of the user with the most bytes are stopped, the
   * earliest ones first. A single result may exceed the limit.
   */
  add(result: UnreadResult): void {
    this.#results.add(result);
    while (this.#results.size > 1 && bytesIn(this.#results) > this.#limitBytes) {
      const ending = this.#earliestOfLargest();
      this.#results.delete(ending);
      ending.stop();
    }
  }

  /** Removes a result that is read again, or has ended. */
  delete(result: UnreadResult): void {
    this.#results.delete(result);
  }

  #earliestOfLargest(): UnreadResult {
    const ofUsers = new Map<string | undefined, UnreadResult[]>();
    for (const result of this.#results)
      ofUsers.set(result.user, [...(ofUsers.get(result.user) ?? []), result]);
    const largest = [...ofUsers.values()].reduce((a, b) => (bytesIn(b) > bytesIn(a) ? b : a));
    return largest[0] as UnreadResult;
  }
}

const bytesIn = (results: Iterable<UnreadResult>): number => {
  let sum = 0;
  for (const { bytes } of results) sum += bytes;
  return sum;
};

/** The approximate memory of the values of a chunk, in bytes. */
export const bytesOfChunk = ({ columns, texts = [] }: Chunk): number =>
  columns.reduce((sum, column) => sum + column.reduce<number>(addBytes, 0), 0) +
  texts.reduce((sum, column) => sum + (column?.bytes.byteLength ?? 0), 0);

const addBytes = (sum: number, value: EngineValue): number => sum + bytesOfValue(value);

function bytesOfValue(value: EngineValue): number {
  if (typeof value === 'string') return value.length + bytesOfCell;
  if (ArrayBuffer.isView(value)) return value.byteLength + bytesOfCell;
  return Array.isArray(value) ? value.reduce<number>(addBytes, bytesOfCell) : bytesOfCell;
}

const bytesOfCell = 16;
