// The statements of the specification, and the tests that show each: statements.tsv has its number,
// the line of the specification, its words, and where it is shown. That is a file and a full name
// of a test (`test/x.test.ts > suite > title`), several of them with ` | ` between; or `not
// possible: why`; or `open`, for those that open.txt lists because they do not hold yet.
import { readFileSync } from 'node:fs';

export interface Statement {
  readonly number: number;
  readonly line: number; // of the specification
  readonly words: string;
  readonly shown: Shown;
}

export type Shown =
  | { readonly kind: 'tests'; readonly tests: readonly NamedTest[] }
  | { readonly kind: 'impossible'; readonly why: string }
  | { readonly kind: 'open' };

interface NamedTest {
  readonly file: string;
  readonly name: string;
}

export interface Chapter {
  readonly name: string;
  readonly statements: readonly Statement[];
}

/** The statements, in the order of the specification. */
export function statements(): readonly Statement[] {
  const [, ...rows] = readFileSync('test/spec/statements.tsv', 'utf8').trimEnd().split('\n');
  return rows.map((row) => {
    const [number, line, words = '', shown = ''] = row.split('\t');
    return { number: Number(number), line: Number(line), words, shown: shownBy(shown) };
  });
}

/** The numbers of the statements that may be open. */
export const openNumbers = (): readonly number[] =>
  readFileSync('test/spec/open.txt', 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map(Number);

/** The statements by the chapters of the specification. */
export function chapters(): readonly Chapter[] {
  const all = statements();
  return starts.map(([name, from], at) => {
    const to = starts[at + 1]?.[1] ?? Number.POSITIVE_INFINITY;
    return { name, statements: all.filter(({ line }) => line >= from && line < to) };
  });
}

// Where each chapter begins.
const starts: readonly (readonly [name: string, line: number])[] = [
  ['Conventions', 1],
  ['What the service does', 12],
  ['Errors, SQL requests, asynchronous statements', 39],
  ['Tasks and their reports', 83],
  ['Supervisors', 119],
  ['Segments', 133],
  ['Retention rules', 139],
  ['Audit entries', 164],
  ['Compaction', 167],
  ['Dynamic configuration', 174],
  ['Security resources', 182],
  ['States and transitions', 190],
  ['Endpoints: SQL queries', 213],
  ['Endpoints: asynchronous statements', 239],
  ['Endpoints: native queries', 248],
  ['Endpoints: retention rules', 258],
  ['Endpoints: automatic compaction', 267],
  ['Endpoints: dynamic configuration', 279],
  ['Endpoints: segment management', 291],
  ['Endpoints: tasks', 305],
  ['Endpoints: tasks on a MiddleManager', 334],
  ['Endpoints: supervisors', 346],
  ['Endpoints: service status', 361],
  ['Endpoints: legacy metadata', 380],
  ['Endpoints: security management', 406],
  ['Authentication', 423],
  ['Events', 460],
  ['Errors', 464],
  ['Limits', 491],
  ['Versioning', 507],
];

function shownBy(text: string): Shown {
  if (text === 'open') return { kind: 'open' };
  if (text.startsWith(impossible))
    return { kind: 'impossible', why: text.slice(impossible.length) };
  const tests = text.split(' | ').filter((each) => each !== '');
  return { kind: 'tests', tests: tests.map(namedTest) };
}

const impossible = 'not possible: ';

function namedTest(text: string): NamedTest {
  const at = text.indexOf(' > ');
  return at < 0 ? { file: text, name: '' } : { file: text.slice(0, at), name: text.slice(at + 3) };
}
