// The parts of SQL where ; and ? mean something and where they do not, and the statements that a
// text is cut into there.
import { contextValueOf } from './query-options.ts';

/** A comment, or a blank between words. */
export const isComment = ({ kind, at }: Part, text: string): boolean =>
  kind === '*' || kind === '-' || (kind === 'code' && /\s/.test(text[at] ?? ''));

/**
 * One of several statements in a text, and where it begins there: lines and columns count from 1.
 */
export interface Statement {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  readonly parameters: number; // how many ? it has
}

/** The statements of a text, without what is only comments; the last one may lack its end. */
export function statementsIn(text: string): readonly Statement[] {
  const found: Statement[] = [];
  let begun: number | undefined;
  let parameters = 0;
  const end = (at: number) => {
    if (begun !== undefined)
      found.push({ text: text.slice(begun, at).trimEnd(), ...placeIn(text, begun), parameters });
    begun = undefined;
    parameters = 0;
  };
  for (const part of partsOf(text)) {
    const sign = part.kind === 'code' ? text[part.at] : undefined;
    if (sign === ';') end(part.at);
    else if (begun !== undefined || !isComment(part, text)) begun ??= part.at;
    if (sign === '?') parameters++;
  }
  end(text.length);
  return found;
}

function placeIn(text: string, at: number) {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** The name and the value of SET NAME = VALUE; nothing for other statements. */
export function settingIn(statement: string): readonly [name: string, value: unknown] | undefined {
  const [, name, value] = /^SET\s+"?([\w.]+)"?\s*=\s*([^;]+)$/is.exec(statement) ?? [];
  return name === undefined || value === undefined
    ? undefined
    : [name, contextValueOf(value.trim().replace(/^'(.*)'$/s, '$1'))];
}

/** Of code, one character; else a whole text, name or comment, by the sign that it begins with. */
export interface Part {
  readonly kind: "'" | '"' | '*' | '-' | 'code';
  readonly at: number;
  readonly end: number;
}

/** The parts in order: a text, a name and a comment are one each; of code, every character is. */
export function* partsOf(text: string): Iterable<Part> {
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

/** Whether a part has its end. */
export function isClosed(kind: Exclude<Part['kind'], 'code'>, part: string): boolean {
  if (kind === '-') return false;
  if (kind === '*') return part.length >= 4 && part.endsWith('*/');
  return part.length >= 2 && part.endsWith(kind);
}
