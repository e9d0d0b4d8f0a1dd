// Tokens of Druid's native expression language (docs/querying/math-expr.md).
import type { Position } from '../ast.ts';
import { SqlError } from '../sql-error.ts';

export interface NativeToken {
  readonly kind: 'name' | 'string' | 'long' | 'double' | 'symbol' | 'end';
  readonly value: string; // without quotes, escapes resolved
  readonly image: string;
  readonly at: Position;
}

/**
 * The tokens of an expression, ending with an `end` token.
 * Throws SqlError for an invalid character.
 */
export function tokenizeNative(text: string): NativeToken[] {
  const tokens: NativeToken[] = [];
  let line = 1;
  let lineStart = 0;
  for (let offset = 0; offset < text.length; ) {
    TOKEN.lastIndex = offset;
    const match = TOKEN.exec(text);
    const image = match?.[0] ?? '';
    const at = {
      line,
      column: offset - lineStart + 1,
      endLine: line,
      endColumn: offset - lineStart + image.length,
    };
    if (match === null || image === '') {
      throw invalidNative(text, at, `[${text.slice(offset, offset + 20)}] is not a valid token`);
    }
    offset += image.length;
    const { blank, string, quoted, name, number } = match.groups ?? {};
    if (blank !== undefined) {
      const breaks = image.split('\n');
      line += breaks.length - 1;
      lineStart = breaks.length > 1 ? offset - (breaks.at(-1) ?? '').length : lineStart;
    } else if (string !== undefined || quoted !== undefined) {
      tokens.push({
        kind: string === undefined ? 'name' : 'string',
        value: unescapeText(image.slice(1, -1)),
        image,
        at,
      });
    } else if (name !== undefined) {
      tokens.push({ kind: 'name', value: name, image, at });
    } else if (number !== undefined) {
      tokens.push({ kind: /^\d+$/.test(number) ? 'long' : 'double', value: number, image, at });
    } else {
      tokens.push({ kind: 'symbol', value: image, image, at });
    }
  }
  const column = Math.max(text.length - lineStart, 1);
  tokens.push({
    kind: 'end',
    value: '',
    image: 'the end',
    at: { line, column, endLine: line, endColumn: column },
  });
  return tokens;
}

/** The refusal of an invalid or unknown expression, with its position. */
export function invalidNative(text: string, { line, column }: Position, reason: string): SqlError {
  const shown = text.length > 200 ? `${text.slice(0, 200)}...` : text;
  return new SqlError(
    `Expression [${shown}] is not valid (line [${line}], column [${column}]): ${reason}`,
    {
      context: { line: String(line), column: String(column) },
    },
  );
}

const TOKEN =
  /(?<blank>\s+)|(?<string>'[^'\\]*(?:\\.[^'\\]*)*')|(?<quoted>"[^"\\]*(?:\\.[^"\\]*)*")|(?<name>[_$a-zA-Z][_$a-zA-Z0-9]*)|(?<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|->|<=|>=|==|!=|&&|\|\||[()[\],<>!^*/%+-]/sy;

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r' };

const unescapeText = (inner: string): string =>
  inner.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, letter: string) =>
    code === undefined
      ? (ESCAPES[letter] ?? letter)
      : String.fromCharCode(Number.parseInt(code, 16)),
  );
