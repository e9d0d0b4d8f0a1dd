// Parsing of large JSON texts in slices of a few milliseconds, so that a server answers other
// requests meanwhile. Containers longer than a piece are traversed; their content is parsed piece
// by piece with `parseJson`.
import { endOfString, makePrintable, parseJson } from './json.ts';

export interface Slicing {
  readonly deepest: number; // maximum nesting of objects and lists
  readonly mostValues: number; // maximum number of values, approximately
  readonly mostItems?: number; // maximum items of each list and object
  readonly pause: () => Promise<void>; // lets other work run
  readonly pieceLength?: number; // length of text to parse at once
}

/** The text is nested too deeply. */
export class TooDeep extends Error {}

/** The text has too many values; `found` is their approximate number so far. */
export class TooManyValues extends Error {
  readonly found: number;

  constructor(found: number) {
    super('Too many values');
    this.found = found;
  }
}

/** A list or an object of the text has too many items. */
export class TooManyItems extends TooManyValues {}

/**
 * The value of a JSON text, equal to the result of `parseJson`. Rejects with SyntaxError for
 * invalid text, TooDeep, TooManyValues and TooManyItems.
 */
export async function parseLargeJson(text: string, slicing: Slicing): Promise<unknown> {
  const { pause, mostItems = slicing.mostValues, pieceLength = 32 * 1024 } = slicing;
  const clock = new SliceClock(pause);
  const ends = await largeParts(text, { ...slicing, mostItems, pieceLength }, clock);
  return new LargeJsonReader(text, ends, pieceLength, clock).read();
}

const sliceMs = 10;

class SliceClock {
  readonly #pause: () => Promise<void>;
  #until = performance.now() + sliceMs;

  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /** Whether the slice is over and `pause` is due. */
  get isOver(): boolean {
    return performance.now() > this.#until;
  }

  async pause(): Promise<void> {
    await this.#pause();
    this.#until = performance.now() + sliceMs;
  }
}

// The end offsets of containers and texts longer than a piece, by their start offsets.
async function largeParts(
  text: string,
  { deepest, mostValues, mostItems, pieceLength }: Required<Omit<Slicing, 'pause'>>,
  clock: SliceClock,
): Promise<ReadonlyMap<number, number>> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  const counts: number[] = []; // of the items in each open container
  let nextLook = pieceLength;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      if (end - at > pieceLength) ends.set(at, end);
      at = end - 1;
    } else if (code === openBrace || code === openBracket) {
      if (open.push(at) > deepest) throw new TooDeep();
      counts[open.length - 1] = 1;
      values++;
    } else if (code === comma) {
      values++;
      counts[open.length - 1] = (counts[open.length - 1] ?? 0) + 1;
    } else if (code === closeBrace || code === closeBracket) {
      const items = counts[open.length - 1] ?? 0;
      if (items > mostItems) throw new TooManyItems(items);
      const start = open.pop();
      if (start !== undefined && at - start > pieceLength) ends.set(start, at + 1);
    }
    if (at < nextLook) continue;
    nextLook = at + pieceLength;
    if (values > mostValues) throw new TooManyValues(values);
    if (clock.isOver) await clock.pause();
  }
  if (open.length > 0) throw new SyntaxError('Unexpected end of JSON input');
  return ends;
}

const [quote, openBrace, closeBrace, openBracket, closeBracket, comma] = [...'"{}[],'].map((sign) =>
  sign.charCodeAt(0),
);

class LargeJsonReader {
  readonly #text: string;
  readonly #ends: ReadonlyMap<number, number>;
  readonly #pieceLength: number;
  readonly #clock: SliceClock;

  constructor(
    text: string,
    ends: ReadonlyMap<number, number>,
    pieceLength: number,
    clock: SliceClock,
  ) {
    this.#text = text;
    this.#ends = ends;
    this.#pieceLength = pieceLength;
    this.#clock = clock;
  }

  async read(): Promise<unknown> {
    const start = this.#afterBlank(0);
    const end = this.#ends.get(start);
    if (end === undefined) return parseJson(this.#text);
    if (this.#afterBlank(end) < this.#text.length) throw this.#unexpected(this.#afterBlank(end));
    return this.#large(start, end);
  }

  async #large(start: number, end: number): Promise<unknown> {
    const text = this.#text;
    if (text[start] === '"') return this.#string(start + 1, end - 1);
    return text[start] === '[' ? this.#list(start) : this.#object(start);
  }

  // The text between two offsets, cut only between escapes.
  async #string(start: number, end: number): Promise<string> {
    const parts: string[] = [];
    for (let from = start; from < end; ) {
      const to = this.#sliceText(from, Math.min(from + this.#pieceLength * piecesOfText, end), end);
      // The last part includes the closing quote, if there is one.
      parts.push(
        JSON.parse(
          to === end ? `"${this.#text.slice(from, end + 1)}` : `"${this.#text.slice(from, to)}"`,
        ),
      );
      from = to;
      if (this.#clock.isOver) await this.#clock.pause();
    }
    return parts.join('');
  }

  // The first offset at or after `wanted` between two characters, plain or escaped; `from` is such
  // an offset.
  #sliceText(from: number, wanted: number, end: number): number {
    const text = this.#text;
    let lastEscape = wanted;
    while (
      lastEscape > from &&
      text[lastEscape - 1] !== '\\' &&
      wanted - lastEscape < longestEscape
    )
      lastEscape--;
    if (text[lastEscape - 1] !== '\\' || lastEscape <= from) return wanted;
    let backslashes = 1;
    while (lastEscape - 1 - backslashes >= from && text[lastEscape - 1 - backslashes] === '\\')
      backslashes++;
    if (backslashes % 2 === 0) return wanted;
    return Math.min(
      Math.max(wanted, lastEscape + (text[lastEscape] === 'u' ? longestEscape - 1 : 1)),
      end,
    );
  }

  async #list(start: number): Promise<unknown[]> {
    const list: unknown[] = [];
    await this.#members(start, ']', {
      valueAt: (at) => at,
      take: (piece) => {
        for (const item of parseJson(`[${piece}]`) as unknown[]) list.push(item);
      },
      takeLarge: (_, value) => list.push(value),
    });
    return list;
  }

  async #object(start: number): Promise<Record<string, unknown>> {
    const object: Record<string, unknown> = {};
    const set = (key: string, value: unknown) => {
      if (key === '__proto__')
        Object.defineProperty(object, key, {
          value,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      else object[key] = value;
    };
    await this.#members(start, '}', {
      valueAt: (at) => this.#valueOfField(at),
      take: (piece) => {
        const fields = parseJson(`{${piece}}`) as Record<string, unknown>;
        for (const key of Object.keys(fields)) set(key, fields[key]);
      },
      takeLarge: (at, value) =>
        set(JSON.parse(this.#text.slice(at, endOfString(this.#text, at))), value),
    });
    if (Object.hasOwn(object, 'toString') || Object.hasOwn(object, 'valueOf'))
      makePrintable(object, false);
    return object;
  }

  // Parses consecutive small members together as a piece, and large ones separately.
  async #members(
    start: number,
    close: string,
    { valueAt, take, takeLarge }: Members,
  ): Promise<void> {
    const text = this.#text;
    let [from, to] = [-1, -1]; // bounds of the piece
    const takePiece = async () => {
      if (from >= 0) take(text.slice(from, to));
      from = -1;
      if (this.#clock.isOver) await this.#clock.pause();
    };
    let at = this.#afterBlank(start + 1);
    for (let isFirst = true; !(isFirst && text[at] === close); isFirst = false) {
      const value = valueAt(at);
      let end = this.#ends.get(value);
      if (end !== undefined) {
        await takePiece();
        takeLarge(at, await this.#large(value, end));
      } else {
        end = this.#endOf(value);
        if (end === value) throw this.#unexpected(value);
        if (end - value > longestNumber && !isNested(text[value]))
          throw new SyntaxError(`A value at position ${value} is neither a text nor a number`);
        if (from < 0) from = at;
        to = end;
        if (to - from > this.#pieceLength) await takePiece();
      }
      at = this.#afterBlank(end);
      if (text[at] === close) break;
      if (text[at] !== ',') throw this.#unexpected(at);
      at = this.#afterBlank(at + 1);
    }
    await takePiece();
  }

  #valueOfField(at: number): number {
    const text = this.#text;
    if (text[at] !== '"') throw this.#unexpected(at);
    const colon = this.#afterBlank(endOfString(text, at));
    if (text[colon] !== ':') throw this.#unexpected(colon);
    return this.#afterBlank(colon + 1);
  }

  // The end of a short value, valid or not: the parser of its piece checks it.
  #endOf(start: number): number {
    const text = this.#text;
    for (let at = start, depth = 0; at < text.length; at++) {
      const sign = text[at];
      if (sign === '"') at = endOfString(text, at) - 1;
      else if (sign === '{' || sign === '[') depth++;
      else if (depth === 0 && (sign === ',' || sign === '}' || sign === ']')) return at;
      else if (sign === '}' || sign === ']') depth--;
      else continue;
      if (depth === 0) return at + 1;
    }
    return text.length;
  }

  #afterBlank(start: number): number {
    let at = start;
    for (
      let sign = this.#text[at];
      sign === ' ' || sign === '\n' || sign === '\r' || sign === '\t';
      sign = this.#text[at]
    )
      at++;
    return at;
  }

  #unexpected(at: number): SyntaxError {
    const sign = this.#text[at];
    return new SyntaxError(
      sign === undefined
        ? 'Unexpected end of JSON input'
        : `Unexpected token '${sign}' at position ${at}`,
    );
  }
}

const piecesOfText = 8; // texts parse faster than other values
const longestEscape = 6; // \\u0041
const longestNumber = 2000;
const isNested = (sign: string | undefined) => sign === '[' || sign === '{' || sign === '"';

interface Members {
  readonly valueAt: (at: number) => number; // the start offset of a member's value
  readonly take: (piece: string) => void;
  readonly takeLarge: (at: number, value: unknown) => void;
}
