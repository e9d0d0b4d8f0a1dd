// The rooms of the house: imports between files and between folders form no circle, and neighbours
// of one floor do not import each other.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const importsOfFiles: Graph = new Map(files.map((file) => [file, importsOf(file)]));

test('files do not import each other in circles', () => {
  expect(circlesOf(importsOfFiles)).toEqual([]);
});

test('folders do not import each other in circles', () => {
  const folders = new Map<string, Set<string>>();
  for (const [from, targets] of importsOfFiles) {
    const found = folders.get(dirname(from)) ?? new Set();
    for (const to of targets) if (dirname(to) !== dirname(from)) found.add(dirname(to));
    folders.set(dirname(from), found);
  }
  expect(circlesOf(folders)).toEqual([]);
});

test('a noun imports commands/shared and itself', () => {
  const composers = new Set(['shared', 'control-plane']); // the latter makes tables of all lists
  const wrong = [...importsOfFiles].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => nounOf(from) && nounOf(to) && nounOf(from) !== nounOf(to))
      .filter((to) => !composers.has(nounOf(to) ?? '') && nounOf(from) !== 'control-plane')
      .map((to) => `${from} imports ${to}`),
  );
  expect(wrong).toEqual([]);
});

test('a role imports no other role', () => {
  const roles = ['broker', 'coordinator', 'overlord'];
  const roleOf = (file: string) => roles.find((role) => file.startsWith(`server/${role}/`));
  const wrong = [...importsOfFiles].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => roleOf(from) && roleOf(to) && roleOf(from) !== roleOf(to))
      .map((to) => `${from} imports ${to}`),
  );
  expect(wrong).toEqual([]);
});

function nounOf(file: string): string | undefined {
  const [layer, noun, verb] = file.split('/');
  return layer === 'commands' && verb ? noun : undefined;
}

/** What a file imports at once; `import()` is a choice at run time and makes no circle. */
function importsOf(file: string): ReadonlySet<string> {
  const found = readFileSync(join('src', file), 'utf8').matchAll(
    /^(?:import|export) [^;]*?from '(\..*?)'/gm,
  );
  return new Set([...found].map(([, path = '']) => join(dirname(file), path)));
}

/** The strongly connected components of more than one node, by Tarjan's algorithm. */
function circlesOf(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles;

  function visit(node: string): void {
    order.set(node, order.size);
    lowest.set(node, order.size - 1);
    open.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next))
        lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const circle = open.splice(open.indexOf(node));
    if (circle.length > 1) circles.push(circle.sort());
  }
}
