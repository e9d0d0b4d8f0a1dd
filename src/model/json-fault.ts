// Position of the first error in a JSON text. JSON.parse names a position only for some errors, and
// no line before Node 22.

export interface JsonFault {
  readonly line: number; // from 1
  readonly column: number; // from 1
  readonly isCut: boolean; // the text ends too early
  readonly problem: string; // a part of a sentence: 'expected a value, found [}]'
}

/** The first error of a text; undefined for valid JSON. */
export function faultInJson(text: string): JsonFault | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'a value';
  let at = 0;
  for (;;) {
    at = endOf(whitespace, text, at);
    const sign = text[at];
    if (sign === undefined) return expected === 'the end' ? undefined : fault('the end');
    const end: number = endOf(token, text, at);
    const isClosing = sign === '}' || sign === ']';
    if (isClosing && mayClose(sign)) {
      open.pop();
      expected = behindValue();
    } else if (end === at || !fits(sign)) return fault(`[${found(text, at, end)}]`);
    else if (sign === '{' || sign === '[') {
      open.push(sign);
      expected = sign === '{' ? 'a name or }' : 'a value or ]';
    } else if (sign === ',') expected = open.at(-1) === '{' ? 'a name' : 'a value';
    else if (sign === ':') expected = 'a value';
    else expected = expected.startsWith('a name') ? ':' : behindValue();
    at = end;
  }

  function mayClose(sign: '}' | ']'): boolean {
    if (open.at(-1) !== (sign === '}' ? '{' : '[')) return false;
    return expected.endsWith(`or ${sign}`);
  }

  function fits(sign: string): boolean {
    if (sign === ':') return expected === ':';
    if (sign === ',') return expected.startsWith(', or');
    if (expected.startsWith('a name')) return sign === '"';
    return expected.startsWith('a value') && sign !== '}' && sign !== ']';
  }

  function behindValue(): Expected {
    const around = open.at(-1);
    if (around === undefined) return 'the end';
    return around === '{' ? ', or }' : ', or ]';
  }

  function fault(found: string): JsonFault {
    const before = text.slice(0, at);
    const line = before.split('\n').length;
    const column = at - before.lastIndexOf('\n');
    const isCut =
      at === text.length || /^"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\.)*$/su.test(text.slice(at));
    return { line, column, isCut, problem: `expected ${expected}, found ${found}` };
  }
}

type Expected =
  | 'a value'
  | 'a value or ]'
  | 'a name'
  | 'a name or }'
  | ':'
  | ', or }'
  | ', or ]'
  | 'the end';

const whitespace = /[\t\n\r ]*/y;
const token =
  /[{}[\],:]|"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/uy;

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

// A text without its end is shown by its beginning.
const found = (text: string, at: number, end: number) =>
  end > at
    ? text.slice(at, end).slice(0, 20)
    : (/^"?[\w.-]{1,20}|^./su.exec(text.slice(at))?.[0] ?? '');
