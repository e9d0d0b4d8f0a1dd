// JSON in the real engine's indentation (Jackson's DefaultPrettyPrinter): one member per line, the
// items of a list side by side.

/** A list of JSON texts as one indented text, in pieces. */
export function* prettyList(items: Iterable<string>): Generator<string, undefined> {
  const first = '[ ';
  let before = first;
  for (const item of items) {
    yield before + prettyJson(item);
    before = ', ';
  }
  yield before === first ? '[ ]' : ' ]';
}

/** Indents a JSON text, which has no blanks outside strings. */
export function prettyJson(text: string): string {
  const open: string[] = [];
  let depth = 0;
  const newLine = () => `\n${'  '.repeat(depth)}`;
  const writeToken = (token: string): string => {
    switch (token) {
      case '{}':
        return '{ }';
      case '[]':
        return '[ ]';
      case '{':
        open.push(token);
        depth++;
        return `{${newLine()}`;
      case '[':
        open.push(token);
        return '[ ';
      case '}':
        open.pop();
        depth--;
        return `${newLine()}}`;
      case ']':
        open.pop();
        return ' ]';
      case ':':
        return ' : ';
      case ',':
        return open.at(-1) === '{' ? `,${newLine()}` : ', ';
      default:
        return token;
    }
  };
  return text.replace(/"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]|[^"{}[\],:]+/gs, writeToken);
}
