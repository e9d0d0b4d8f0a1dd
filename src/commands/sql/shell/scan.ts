// Splitting of input into statements and shell commands. Outside of SQL quotes and comments, ; ends
// a statement and \ begins a command that ends with its line.
import { formatJson } from '../../../model/json.ts';
import { quotedName, quotedText } from '../../../model/sql-text.ts';
import { isClosed, isComment, partsOf } from '../../shared/sql/statement-parts.ts';

export type Step =
  | { readonly kind: 'statement'; readonly text: string; readonly at: number } // `at`: where it begins
  | {
      readonly kind: 'command';
      readonly text: string;
      readonly at: number;
      readonly before: string;
    }; // `before`: what stands in front of it without its ;

export type OpenConstruct = '' | "'" | '"' | '*' | '(' | '-';

export interface Scanned {
  readonly steps: readonly Step[];
  readonly rest: string; // incomplete input
  // The open construct at the end of the text: a text, a name, a comment, parentheses
  readonly inside: OpenConstruct;
}

/** Parses the input so far. Trailing comments do not begin a statement. */
export function scan(text: string): Scanned {
  const steps: Step[] = [];
  let begun = 0;
  let depth = 0;
  let inside: OpenConstruct = '';
  let first: number | undefined; // of the first part that is not a comment
  for (const part of partsOf(text)) {
    const { kind, at, end } = part;
    inside =
      kind === 'code' || end < text.length || isClosed(kind, text.slice(at, end)) ? '' : kind;
    if (at >= begun && !isComment(part, text)) first ??= at;
    if (kind !== 'code') continue;
    const sign = text[at];
    if (sign === '(') depth++;
    if (sign === ')') depth = Math.max(0, depth - 1);
    if (sign !== ';' && sign !== '\\') continue;
    if (at < begun) continue; // within a command
    const before = first === at ? '' : text.slice(begun, at).trim();
    if (sign === ';') {
      if (before !== '') steps.push({ kind: 'statement', text: before, at: first ?? at });
      begun = at + 1;
    } else {
      const newline = text.indexOf('\n', at);
      const lineEnd = newline < 0 ? text.length : newline;
      steps.push({
        kind: 'command',
        text: text.slice(at, lineEnd).trim(),
        at: first ?? at,
        before,
      });
      begun = lineEnd;
    }
    depth = 0;
    first = undefined;
  }
  if (first === undefined && inside !== '*') return { steps, rest: '', inside: '' };
  return { steps, rest: text.slice(begun).trim(), inside: inside || (depth > 0 ? '(' : '') };
}

/**
 * The statement with the values of its variables, in psql syntax: :name is the plain value, :'name'
 * a text, :"name" a name. Unset variables stay unchanged, and so do texts, names and comments.
 */
export function withVariables(text: string, values: ReadonlyMap<string, unknown>): string {
  let said = '';
  let from = 0;
  for (const { kind, at } of partsOf(text)) {
    if (kind !== 'code' || at < from || text[at] !== ':' || text[at - 1] === ':') continue;
    const [word = '', quote = '', quoted, name = quoted] =
      /^:(?:(['"])(\w+)\1|(\w+))/.exec(text.slice(at, at + longestName)) ?? [];
    if (name === undefined || !values.has(name)) continue;
    const value = values.get(name);
    const plain = typeof value === 'string' ? value : formatJson(value);
    said +=
      text.slice(from, at) +
      (quote === "'" ? quotedText(plain) : quote === '"' ? quotedName(plain) : plain);
    from = at + word.length;
  }
  return said + text.slice(from);
}

const longestName = 100;
