// What was typed, cut into statements and commands of the shell. Quotes and comments are those of SQL: only outside of them does ; end a statement
// and \ begin a command, which goes on to the end of its line.
import { formatJson } from '../../../model/json.ts';
import { quotedName, quotedText } from '../../../model/sql-text.ts';

export type Step =
  | { readonly kind: 'statement'; readonly text: string }
  | { readonly kind: 'command'; readonly text: string; readonly before: string }; // `before`: what stands in front of it without its ;

export type Inside = '' | "'" | '"' | '*' | '(' | '-';

export interface Scanned {
  readonly steps: readonly Step[];
  readonly rest: string; // begun, without its end
  readonly inside: Inside; // of what the end of the text stands: a text, a name, a comment, parentheses
}

export function scan(text: string): Scanned {
  const steps: Step[] = [];
  let begun = 0;
  let depth = 0;
  let inside: Inside = '';
  for (const { kind, at, end } of partsOf(text)) {
    inside = kind === 'code' || end < text.length || isClosed(kind, text.slice(at, end)) ? '' : kind;
    if (kind !== 'code') continue;
    const sign = text[at];
    if (sign === '(') depth++;
    if (sign === ')') depth = Math.max(0, depth - 1);
    if (sign !== ';' && sign !== '\\') continue;
    if (at < begun) continue; // within a command
    const before = text.slice(begun, at).trim();
    if (sign === ';') {
      if (before !== '') steps.push({ kind: 'statement', text: before });
      begun = at + 1;
    } else {
      const newline = text.indexOf('\n', at);
      const lineEnd = newline < 0 ? text.length : newline;
      steps.push({ kind: 'command', text: text.slice(at, lineEnd).trim(), before });
      begun = lineEnd;
    }
    depth = 0;
  }
  const isBehindCommand = begun >= text.length;
  return { steps, rest: text.slice(begun).trim(), inside: isBehindCommand ? '' : inside || (depth > 0 ? '(' : '') };
}

/**
 * The statement with the values of its variables, as psql writes them: :name is the value as it is, :'name' a text, :"name" a name. What is not set
 * stays as it stands, and so do texts, names and comments.
 */
export function withVariables(text: string, values: ReadonlyMap<string, unknown>): string {
  let said = '';
  let from = 0;
  for (const { kind, at } of partsOf(text)) {
    if (kind !== 'code' || at < from || text[at] !== ':' || text[at - 1] === ':') continue;
    const [word = '', quote = '', quoted, name = quoted] = /^:(?:(['"])(\w+)\1|(\w+))/.exec(text.slice(at, at + longestName)) ?? [];
    if (name === undefined || !values.has(name)) continue;
    const value = values.get(name);
    const plain = typeof value === 'string' ? value : formatJson(value);
    said += text.slice(from, at) + (quote === "'" ? quotedText(plain) : quote === '"' ? quotedName(plain) : plain);
    from = at + word.length;
  }
  return said + text.slice(from);
}

const longestName = 100;

interface Part {
  readonly kind: "'" | '"' | '*' | '-' | 'code';
  readonly at: number;
  readonly end: number;
}

// A text, a name and a comment are one part each; of code, every character.
function* partsOf(text: string): Iterable<Part> {
  for (let at = 0; at < text.length; ) {
    const kind = kindAt(text, at);
    const end = kind === 'code' ? at + 1 : endOf(kind, text, at);
    yield { kind, at, end };
    at = end;
  }
}

function kindAt(text: string, at: number): Part['kind'] {
  const sign = text[at];
  if (sign === "'" || sign === '"') return sign;
  if (text.startsWith('--', at)) return '-';
  return text.startsWith('/*', at) ? '*' : 'code';
}

function endOf(kind: Exclude<Part['kind'], 'code'>, text: string, at: number): number {
  const closing = { "'": "'", '"': '"', '*': '*/', '-': '\n' }[kind];
  const found = text.indexOf(closing, at + (kind === '*' ? 2 : 1));
  if (found < 0) return text.length;
  return kind === '-' ? found : found + closing.length;
}

function isClosed(kind: Exclude<Part['kind'], 'code'>, part: string): boolean {
  if (kind === '-') return false;
  if (kind === '*') return part.length >= 4 && part.endsWith('*/');
  return part.length >= 2 && part.endsWith(kind);
}
