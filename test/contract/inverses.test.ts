// Inverses: every changing endpoint names its inverse, or the reason why there is none.
import { expect, test } from 'vitest';
import { namesOf } from '../../src/contract/index.ts';
import { inverses } from '../../src/contract/inverses.ts';
import { changesSomething } from '../support/asks.ts';

const named = [...namesOf].map(([endpoint, name]) => ({ endpoint, name }));

test('every endpoint that changes something says what takes it back, or why nothing does; those that read say nothing', () => {
  expect(named.filter(({ endpoint }) => inverses.has(endpoint)).map(({ name }) => name)).toEqual(
    named.filter(({ endpoint }) => changesSomething(endpoint)).map(({ name }) => name),
  );
  expect(inverses.size).toBeGreaterThan(50);
});

test('what is asked before a change changes nothing, and what takes it back is a change', () => {
  const given = {
    params: { dataSource: 'wiki', supervisorId: 'edits', role: 'readers', host: 'localhost:8091' },
    body: {},
  };
  for (const [endpoint, inverse] of inverses) {
    if (typeof inverse === 'string') {
      expect({ endpoint: namesOf.get(endpoint), inverse }).toEqual({
        endpoint: namesOf.get(endpoint),
        inverse: expect.stringMatching(/^[a-z].*[^.]$/),
      });
      continue;
    }
    const [asked] = inverse.state?.(given) ?? [];
    if (asked)
      expect({ endpoint: namesOf.get(endpoint), changes: changesSomething(asked) }).toEqual({
        endpoint: namesOf.get(endpoint),
        changes: false,
      });
    const undo = inverse.undo(given, undefined, undefined);
    for (const [step] of typeof undo === 'string' ? [] : undo)
      expect(changesSomething(step)).toBe(true);
  }
});
