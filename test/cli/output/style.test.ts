import { expect, test } from 'vitest';
import { paintLabels } from '../../../src/cli/output/style.ts';

test('what begins a line is painted: a label in its colour, a state in that of the state, and nothing else', () => {
  expect(paintLabels('failed: no disk\nhint: df')).toBe('\x1b[1m\x1b[31mfailed:\x1b[39m\x1b[22m no disk\n\x1b[2mhint:\x1b[22m df');
  expect(paintLabels('SUCCESS after 3.0s')).toBe('\x1b[32mSUCCESS\x1b[39m after 3.0s');
  for (const plain of ['Task [error: x] is stopping.', 'SELECT failed: no', 'an error: it says', 'hints: none'])
    expect(paintLabels(plain)).toBe(plain);
});
