import { expect, test } from 'vitest';
import { patternTest } from '../../../src/commands/ingest/pattern-time.ts';

test.each([
  ['dd.MM.yyyy', ['01.05.2024', '1.5.2024'], ['32.05.2024', '31.04.2024', '2024-05-01', '']],
  ['yyyyMMddHHmm', ['202405011259'], ['2024050', '202405012560']],
  ["yyyy-MM-dd'T'HH:mm:ss.SSS", ['2024-02-29T10:00:00.123'], ['2023-02-29T10:00:00.123']],
  ['dd/MMM/yyyy:HH:mm:ss Z', ['01/May/2024:10:00:00 +0200'], ['01/May/2024 10:00']],
  ['hh:mm a', ['09:30 PM'], ['09:75 PM']],
  ['G', ['anything at all'], []], // an unusual letter: the service decides
])('times of the pattern %s', (pattern, good, bad) => {
  const isTime = patternTest(pattern);
  expect(good.filter((text) => !isTime(text))).toEqual([]);
  expect(bad.filter((text) => isTime(text))).toEqual([]);
});
