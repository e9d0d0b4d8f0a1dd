// JSON that is generated as text while the reader consumes it, for answers that may be very long.
import { formatJson } from '../../model/json.ts';

type Value = string | JsonPieces; // its JSON
type Member = readonly [name: string, value: Value];

export class JsonPieces {
  readonly #texts: () => Iterable<string>;

  private constructor(texts: () => Iterable<string>) {
    this.#texts = texts;
  }

  static list<Item>(items: Iterable<Item>, textOf: (item: Item) => Value): JsonPieces {
    return new JsonPieces(() => JsonPieces.#join('[', items, ']', (item) => ['', textOf(item)]));
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
  static object<Item>(items: Iterable<Item>, memberOf: (item: Item) => Member): JsonPieces {
    const textOf = (item: Item): Member => {
      const [name, value] = memberOf(item);
      return [`${JSON.stringify(name)}:`, value];
    };
    return new JsonPieces(() => JsonPieces.#join('{', items, '}', textOf));
  }

  /** The members of a value and one additional member. */
  static extend(value: object, name: string, added: JsonPieces): JsonPieces {
    const members = Object.entries(value).map(
      ([known, member]): Member => [known, formatJson(member)],
    );
    return JsonPieces.object([...members, [name, added] as const], (member) => member);
  }

  /** The text in pieces of moderate size. */
  *text(): Generator<string, undefined> {
    let piece = '';
    for (const text of this.#texts()) {
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
    textOf: (item: Item) => Member,
  ): Generator<string, undefined> {
    let before = first;
    for (const item of items) {
      const [name, value] = textOf(item);
      if (typeof value === 'string') yield before + name + value;
      else {
        yield before + name;
        yield* value.#texts();
      }
      before = ',';
    }
    yield before === first ? first + last : last;
  }
}

const pieceLength = 65_536;
