import { expect, test } from 'vitest';
import { fieldLines } from '../../../src/cli/output/field-lines.ts';

const look = { header: false, width: 40, now: undefined };

test('what is too long in a list goes on behind the dash, not below it', () => {
  const spread = () => '- READ DATASOURCE of-a-long-name and more\n- WRITE CONFIG\n';
  expect(fieldLines([['permissions', ['', '']]], { ...look, spread })).toBe(
    'permissions  - READ DATASOURCE\n               of-a-long-name and more\n             - WRITE CONFIG\n',
  );
});

test('how long something took that has not ended is not known', () => {
  const spread = () => '';
  expect(fieldLines([['duration', -1]], { ...look, spread })).toBe('duration  -\n');
  expect(fieldLines([['duration', 61_000]], { ...look, spread })).toBe('duration  1m1s\n');
});
