// Every statement of the specification names the tests that show it; see the head of statements.ts.
import { expect, test } from 'vitest';
import { chapters, openNumbers, statements } from './statements.ts';
import { hasTest } from './titles.ts';

const all = statements();

test('each of the 706 statements is there once, in their order, with its line and its words', () => {
  expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 706 }, (_, at) => at + 1));
  const lines = all.map(({ line }) => line);
  expect(lines).toEqual([...lines].sort((a, b) => a - b));
  expect(all.filter(({ words }) => words === '')).toEqual([]);
});

test('each names a test, or says why there can be none', () => {
  expect(all.filter(({ shown }) => shown.kind === 'tests' && shown.tests.length === 0)).toEqual([]);
  expect(all.filter(({ shown }) => shown.kind === 'impossible' && shown.why === '')).toEqual([]);
});

test('the tests that are named are there', () => {
  const missing = all.flatMap(({ number, shown }) =>
    shown.kind === 'tests'
      ? shown.tests
          .filter(({ file, name }) => !hasTest(file, name))
          .map(({ file, name }) => `[${number}] ${file} > ${name}`)
      : [],
  );
  expect(missing).toEqual([]);
});

test('only those that open.txt lists are open, and it lists no others', () => {
  expect(all.filter(({ shown }) => shown.kind === 'open').map(({ number }) => number)).toEqual(
    openNumbers(),
  );
});

test('every statement belongs to a chapter', () => {
  expect(chapters().flatMap((chapter) => chapter.statements)).toEqual(all);
});

test('a test that is not there is not found', () => {
  const here = 'test/spec/statements.test.ts';
  expect(hasTest(here, 'a test that is not there is not found')).toBe(true);
  expect(hasTest(here, 'a test that is not there')).toBe(false);
  const other = 'test/spec/supervisor-resources.test.ts';
  expect(hasTest(other, 'ioConfig [159] topic is kept')).toBe(true);
  expect(hasTest(other, 'a supervisor > [147] id')).toBe(true);
  expect(hasTest(other, 'another > [147] id')).toBe(false);
  expect(
    hasTest(
      'test/spec/conventions.test.ts',
      '[7] Coordinator has the port that the specification gives it',
    ),
  ).toBe(true);
  expect(
    hasTest(
      'test/spec/conventions.test.ts',
      '[8] Coordinator has the port that the specification gives it',
    ),
  ).toBe(false);
});
