// Docstrings of exported functions (CONTRIBUTING.md).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const rooms = ['contract', 'client', 'model', 'sketches', 'sql', 'server/engine'];

test.each(rooms)('every function that src/%s exports has a docstring', (room) => {
  const functions = readdirSync(join('src', room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      exportedFunctions(readFileSync(join('src', room, file), 'utf8')).map((found) => ({
        ...found,
        file,
      })),
    );
  expect(functions).not.toEqual([]);
  expect(
    functions
      .filter(({ hasDocstring }) => !hasDocstring)
      .map(({ file, name }) => `${file}: ${name}`),
  ).toEqual([]);
});

test('a docstring is seen, and a comment or another function above is none', () => {
  const source = `/** It says so. */
export function spoken(): void {}
export function silent(): void {}
// Not this one.
export const arrow = (value: number): number => value;
/** Of all its forms. */
export function overloaded(text: string): void;
export function overloaded(text: unknown): void {}
export const data = ['(=>'];
/**
 * In several lines.
 */
export const generic = <T>(value: T) => value;
export async function* streamed() {}`;
  const names = exportedFunctions(source).map(({ name, hasDocstring }) => [name, hasDocstring]);
  expect(names).toEqual([
    ['spoken', true],
    ['silent', false],
    ['arrow', false],
    ['overloaded', true],
    ['generic', true],
    ['streamed', false],
  ]);
});

interface ExportedFunction {
  readonly name: string;
  readonly hasDocstring: boolean;
}

// The formatter keeps exports at the beginning of a line and docstrings on the line before;
// overloads share the first one's.
function exportedFunctions(source: string): ExportedFunction[] {
  const lines = source.split('\n');
  const found = lines.flatMap((line, at) => {
    const name = nameOfFunction(line, lines[at + 1]);
    return name === undefined
      ? []
      : [{ name, hasDocstring: lines[at - 1]?.trimEnd().endsWith('*/') ?? false }];
  });
  return found.filter(({ name }, at) => found.findIndex((other) => other.name === name) === at);
}

function nameOfFunction(line: string, next = ''): string | undefined {
  const [, declared] = /^export (?:async )?function\*? ?(\w+)/.exec(line) ?? [];
  const [, assigned] =
    /^export const (\w+)(?:: [^=]+)? =\s*(?:async )?(?:<.*>)?\(/.exec(
      line.endsWith('=') ? `${line} ${next.trim()}` : line,
    ) ?? [];
  return declared ?? assigned;
}
