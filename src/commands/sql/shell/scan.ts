// What was typed, cut into statements and commands of the shell. Quotes and comments are those of SQL: only outside of them does ; end a statement
// and \ begin a command, which goes on to the end of its line.
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

/** The same statements on one line, as a history keeps them: comments to the end of a line become comments with an end; texts stay as they are. */
export function onOneLine(text: string): string {
  let line = '';
  for (const { kind, at, end } of partsOf(text)) {
    const part = text.slice(at, end);
    if (kind === '-') line += `/* ${part.slice(2).trim().replaceAll('*/', '* /')} */`;
    else if (part === '\n' || part === '\r') line = `${line.trimEnd()} `;
    else if (!(kind === 'code' && /\s/.test(part) && line.endsWith(' '))) line += kind === '*' ? part.replace(/\s*\n\s*/g, ' ') : part;
  }
  return line.trim();
}

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
