// The titles of tests, read from their sources as TypeScript: what stands in calls of `test` and
// `describe`, and what may fill their gaps.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/**
 * Whether a file has a test with this full name, as Vitest shows it: the titles of what it stands
 * in, and its own, with ` > ` in between.
 */
export function hasTest(file: string, name: string): boolean {
  const { suites, titles } = read(file);
  const isKnown = (known: readonly Title[], given: string) =>
    known.some((title) => fits(title, given, wordsNear(file)));
  // A title may hold the separator itself.
  const parts = name.split(separator);
  return parts.some((_, at) => {
    const own = parts.slice(at).join(separator);
    const around = parts.slice(0, at);
    return isKnown(titles, own) && around.every((suite) => isKnown(suites, suite));
  });
}

const separator = ' > ';

/**
 * The texts of a title between its gaps, which a table of cases fills: `%s`, `$name` and the `${…}`
 * of templates.
 */
type Title = readonly string[];

interface Source {
  readonly titles: readonly Title[];
  readonly suites: readonly Title[];
  readonly words: ReadonlySet<string>; // every text and every key, any of which may be in a table
  readonly imports: readonly string[];
}

const sources = new Map<string, Source>();

function read(file: string): Source {
  const known = sources.get(file) ?? sourceOf(file, readFileSync(file, 'utf8'));
  sources.set(file, known);
  return known;
}

function sourceOf(file: string, text: string): Source {
  const titles: Title[] = [];
  const suites: Title[] = [];
  const words = new Set<string>();
  const imports: string[] = [];
  each(parseAst(text, { lang: 'ts' }), (node) => {
    if (node.type === 'Literal' && typeof node.value === 'string') words.add(node.value);
    if (node.type === 'Property' && isNode(node.key) && typeof node.key.name === 'string')
      words.add(node.key.name);
    if (node.type === 'ImportDeclaration' && isNode(node.source))
      imports.push(String(node.source.value));
    if (node.type !== 'CallExpression' || !Array.isArray(node.arguments)) return;
    const [first] = node.arguments;
    const title = isNode(first) ? titleIn(first) : undefined;
    const called = nameOfCall(node.callee);
    if (title && (called === 'test' || called === 'it')) titles.push(title);
    if (title && called === 'describe') suites.push(title);
  });
  const near = imports
    .filter((path) => path.startsWith('.'))
    .map((path) => join(dirname(file), path));
  return {
    titles,
    suites,
    words,
    imports: near.filter((path) => path.startsWith('test/') && existsSync(path)),
  };
}

type Node = Readonly<Record<string, unknown>> & { readonly type: string };

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;

function each(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) each(item, visit);
  else if (isNode(value)) {
    visit(value);
    for (const part of Object.values(value)) if (typeof part === 'object') each(part, visit);
  }
}

// `test(…)`, `test.skipIf(…)(…)`, `test.each(…)(…)`: the name at the very left.
function nameOfCall(callee: unknown): string | undefined {
  if (!isNode(callee)) return undefined;
  if (callee.type === 'Identifier') return String(callee.name);
  return nameOfCall(
    callee.type === 'MemberExpression' ? callee.object : (callee.callee ?? callee.tag),
  );
}

function titleIn(node: Node): Title | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return gapsOf(node.value);
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis)) return undefined;
  const texts: string[] = [];
  for (const part of node.quasis)
    texts.push(
      ...gapsOf(String((part as { readonly value: { readonly cooked: unknown } }).value.cooked)),
    );
  return texts;
}

/** Divides a title at `%s` and its kin and at `$name`. */
function gapsOf(title: string): Title {
  const texts: string[] = [];
  let text = '';
  for (let at = 0; at < title.length; at++) {
    const next = title[at + 1] ?? '';
    if (title[at] === '%' && 'sdifjoOc#$'.includes(next) && next !== '') {
      texts.push(text);
      text = '';
      at++;
    } else if (title[at] === '$' && isNamePart(next)) {
      while (isNamePart(title[at + 1] ?? '')) at++;
      texts.push(text);
      text = '';
    } else text += title[at];
  }
  return [...texts, text];
}

const isNamePart = (letter: string) =>
  letter !== '' &&
  ('0' <= letter && letter <= '9'
    ? true
    : letter === '.' || letter === '_' || letter.toLowerCase() !== letter.toUpperCase());

// What fills the gap at the beginning decides which case is meant, so it has to stand in the file
// or next to it. Others may be values of any kind.
function fits([first = '', ...rest]: Title, given: string, words: ReadonlySet<string>): boolean {
  if (rest.length === 0) return given === first;
  if (!given.startsWith(first)) return false;
  const [second = '', ...others] = rest;
  const left = given.slice(first.length);
  for (let at = 0; at <= left.length; at++) {
    if (!left.startsWith(second, at)) continue;
    const isCase = first !== '' || words.has(left.slice(0, at));
    if (isCase && endsAs(others, left.slice(at + second.length))) return true;
  }
  return false;
}

function endsAs(texts: Title, left: string): boolean {
  const [next, ...others] = texts;
  if (next === undefined) return left === '';
  if (others.length === 0) return left.endsWith(next);
  const at = left.indexOf(next);
  return at >= 0 && endsAs(others, left.slice(at + next.length));
}

const near = new Map<string, ReadonlySet<string>>();

function wordsNear(file: string): ReadonlySet<string> {
  const known = near.get(file);
  if (known) return known;
  const reached = new Set([file]);
  for (const one of reached) for (const path of read(one).imports) reached.add(path);
  const words = new Set([...reached].flatMap((one) => [...read(one).words]));
  near.set(file, words);
  return words;
}
