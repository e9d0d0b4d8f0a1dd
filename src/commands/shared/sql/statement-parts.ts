// Lexical parts of SQL, which decide where ; and ? have a meaning, and the splitting of a text into
// statements.
import { contextValueOf } from './query-options.ts';

/** Whether a part is a comment, or whitespace between words. */
export const isComment = ({ kind, at }: StatementPart, text: string): boolean =>
  kind === '*' || kind === '-' || (kind === 'code' && /\s/.test(text[at] ?? ''));

/** A statement of a text with its position: lines and columns count from 1. */
export interface StatementText {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  readonly parameters: number; // the number of ?
}

/**
 * The statements of a text, without those that are only comments; the last one may lack its end.
 */
export function statementsIn(text: string): readonly StatementText[] {
  const found: StatementText[] = [];
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

/** The text without the ; of its last statement, which the service refuses after INSERT. */
export function withoutEnd(text: string): string {
  let end = text.length;
  for (const part of partsOf(text)) {
    if (isComment(part, text)) continue;
    const isEnd = part.kind === 'code' && text[part.at] === ';';
    if (!isEnd) end = text.length;
    else if (end === text.length) end = part.at;
  }
  return text.slice(0, end);
}

/** The name and value of SET NAME = VALUE; undefined for other statements. */
export function settingIn(statement: string): readonly [name: string, value: unknown] | undefined {
  const [, name, value] = /^SET\s+"?([\w.]+)"?\s*=\s*([^;]+)$/is.exec(statement) ?? [];
  return name === undefined || value === undefined
    ? undefined
    : [name, contextValueOf(value.trim().replace(/^'(.*)'$/s, '$1'))];
}

/** The statement with a space in place of each comment. */
export function withoutComments(statement: string): string {
  let plain = '';
  for (const { kind, at, end } of partsOf(statement))
    plain += kind === '*' || kind === '-' ? ' ' : statement.slice(at, end);
  return plain;
}

/**
 * A part of SQL: one character of code, or a whole text, name or comment, whose kind is its first
 * character.
 */
export interface StatementPart {
  readonly kind: "'" | '"' | '*' | '-' | 'code';
  readonly at: number;
  readonly end: number;
}

/**
 * The parts in order: each text, name and comment is one part, and so is every character of code.
 */
export function* partsOf(text: string): Iterable<StatementPart> {
  for (let at = 0; at < text.length; ) {
    const kind = kindAt(text, at);
    const end = kind === 'code' ? at + 1 : endOf(kind, text, at);
    yield { kind, at, end };
    at = end;
  }
}

function kindAt(text: string, at: number): StatementPart['kind'] {
  const sign = text[at];
  if (sign === "'" || sign === '"') return sign;
  if (text.startsWith('--', at)) return '-';
  return text.startsWith('/*', at) ? '*' : 'code';
}

function endOf(kind: Exclude<StatementPart['kind'], 'code'>, text: string, at: number): number {
  const closing = { "'": "'", '"': '"', '*': '*/', '-': '\n' }[kind];
  const found = text.indexOf(closing, at + (kind === '*' ? 2 : 1));
  if (found < 0) return text.length;
  return kind === '-' ? found : found + closing.length;
}

/** Whether a part is complete. */
export function isClosed(kind: Exclude<StatementPart['kind'], 'code'>, part: string): boolean {
  if (kind === '-') return false;
  if (kind === '*') return part.length >= 4 && part.endsWith('*/');
  return part.length >= 2 && part.endsWith(kind);
}
