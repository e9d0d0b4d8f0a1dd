// JSON that is generated as text while the reader consumes it, for answers that may be very long.
import { formatJson } from '../../model/json.ts';

type Value = string | JsonPieces; // its JSON
type Member = readonly [name: string, value: Value];
type Lacked = ReadonlySet<string>; // names of fields that the reply may not have

export class JsonPieces {
  readonly #texts: (lacked: Lacked) => Iterable<string>;

  private constructor(texts: (lacked: Lacked) => Iterable<string>) {
    this.#texts = texts;
  }

  static list<Item>(
    items: Iterable<Item>,
    textOf: (item: Item, lacked: Lacked) => Value,
  ): JsonPieces {
    return new JsonPieces((lacked) =>
      JsonPieces.#join('[', items, ']', lacked, (item) => ['', textOf(item, lacked)]),
    );
  }

  /** A JSON value from its text. */
  static text(json: string): JsonPieces {
    return new JsonPieces(() => [json]);
  }

  /** A JSON value from the pieces of its text, which can be read once. */
  static texts(texts: Iterable<string>): JsonPieces {
    return new JsonPieces(() => texts);
  }

  /** An object; duplicate names are not detected. */
  static object<Item>(
    items: Iterable<Item>,
    memberOf: (item: Item, lacked: Lacked) => Member,
  ): JsonPieces {
    return new JsonPieces((lacked) =>
      JsonPieces.#join('{', items, '}', lacked, (item) => {
        const [name, value] = memberOf(item, lacked);
        return [`${JSON.stringify(name)}:`, value];
      }),
    );
  }

  /** The members of a value and one additional member. */
  static extend(value: object, name: string, added: JsonPieces): JsonPieces {
    const members = Object.entries(value).map(
      ([known, member]): Member => [known, formatJson(member)],
    );
    return JsonPieces.object([...members, [name, added] as const], (member) => member);
  }

  /** The text in pieces of moderate size, without the lacked fields of generated items. */
  *text(lacked: Lacked = new Set()): Generator<string, undefined> {
    let piece = '';
    for (const text of this.#texts(lacked)) {
      piece += text;
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
    yield piece;
  }

  static *#join<Item>(
    first: string,
    items: Iterable<Item>,
    last: string,
    lacked: Lacked,
    textOf: (item: Item) => Member,
  ): Generator<string, undefined> {
    let before = first;
    for (const item of items) {
      const [name, value] = textOf(item);
      if (typeof value === 'string') yield before + name + value;
      else {
        yield before + name;
        yield* value.#texts(lacked);
      }
      before = ',';
    }
    yield before === first ? first + last : last;
  }
}

const pieceLength = 65_536;
