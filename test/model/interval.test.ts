import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatInstant, maxInstant, minInstant, parseInstant } from '../../src/model/instant.ts';
import {
  abuts,
  condense,
  contains,
  eternity,
  formatInterval,
  type Interval,
  overlaps,
  overlapsAny,
  parseInterval,
  parsePathInterval,
  without,
} from '../../src/model/interval.ts';

test.each([
  ['2024', '2024-01-01T00:00:00.000Z'],
  ['2024-02', '2024-02-01T00:00:00.000Z'],
  ['2024-060', '2024-02-29T00:00:00.000Z'],
  ['2024-W05', '2024-01-29T00:00:00.000Z'],
  ['2024-W05-3', '2024-01-31T00:00:00.000Z'],
  ['2024-02-29T12', '2024-02-29T12:00:00.000Z'],
  ['2024-02-29T12:30+02:00', '2024-02-29T10:30:00.000Z'],
  ['2024-02-29T12:30:15,123456Z', '2024-02-29T12:30:15.123Z'],
  ['T12:00', '1970-01-01T12:00:00.000Z'],
  ['12345-01-01', '12345-01-01T00:00:00.000Z'],
  ['-0005-01-01', '-0005-01-01T00:00:00.000Z'],
  ['-146136543-09-08T08:23:32.096Z', '-146136543-09-08T08:23:32.096Z'],
])('the time %s is %s', (text, full) => {
  expect(formatInstant(parseInstant(text))).toBe(full);
});

test.each([
  ['', 'Invalid format: ""'],
  ['yesterday', 'Invalid format: "yesterday"'],
  ['2024-01-01Z', 'Invalid format: "2024-01-01Z"'],
  ['T', 'Invalid format: "T"'],
  ['2023-02-29', 'Cannot parse "2023-02-29": Value 29 for dayOfMonth must be in the range [1,28]'],
  ['2024-13-01', 'Cannot parse "2024-13-01": Value 13 for monthOfYear must be in the range [1,12]'],
  [
    '2024-01-01T24:00',
    'Cannot parse "2024-01-01T24:00": Value 24 for hourOfDay must be in the range [0,23]',
  ],
])('the time %j is refused: %s', (text, message) => {
  expect(() => parseInstant(text)).toThrow(message);
});

test('any time of a Date is printed as it prints it, and read back', () => {
  fc.assert(
    fc.property(
      fc.date({
        min: new Date(0, 0, 1),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      }),
      (date) => {
        expect(formatInstant(date.getTime())).toBe(date.toISOString());
        expect(parseInstant(date.toISOString())).toBe(date.getTime());
      },
    ),
  );
});

test('any instant is read back from its text', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (instant) => {
      expect(parseInstant(formatInstant(instant))).toBe(instant);
    }),
  );
});

test.each([
  ['2024-01-01/2024-02-01', '2024-01-01T00:00:00.000Z/2024-02-01T00:00:00.000Z'],
  ['2024-01-31/P1M', '2024-01-31T00:00:00.000Z/2024-02-29T00:00:00.000Z'],
  ['P1D/2024-03-01', '2024-02-29T00:00:00.000Z/2024-03-01T00:00:00.000Z'],
  ['2024-01-01T00:00/PT36H', '2024-01-01T00:00:00.000Z/2024-01-02T12:00:00.000Z'],
  ['2024/2024', '2024-01-01T00:00:00.000Z/2024-01-01T00:00:00.000Z'],
])('the interval %s is %s', (text, full) => {
  expect(formatInterval(parseInterval(text))).toBe(full);
  expect(parsePathInterval(text.replace('/', '_'))).toEqual(parseInterval(text));
});

test.each([
  ['2024-01-01', "Format requires a '/' separator: 2024-01-01"],
  ['2025/2024', 'The end instant must be greater than the start instant'],
  ['P1D/P2D', 'Interval composed of two durations: P1D/P2D'],
])('the interval %s is refused: %s', (text, message) => {
  expect(() => parseInterval(text)).toThrow(message);
});

test('eternity is read, held and printed', () => {
  const text = '-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z';
  expect(parseInterval(text)).toEqual(eternity);
  expect(formatInterval(eternity)).toBe(text);
  expect([minInstant, maxInstant].every(Number.isSafeInteger)).toBe(true);
});

const interval = fc
  .tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 10 }))
  .map(([start, length]): Interval => ({ start, end: start + length }));
const momentsOf = ({ start, end }: Interval) =>
  Array.from({ length: end - start }, (_, offset) => start + offset);

test('intervals relate as the moments in them do', () => {
  fc.assert(
    fc.property(interval, interval, (a, b) => {
      const [inA, inB] = [new Set(momentsOf(a)), momentsOf(b)];
      expect(overlaps(a, b)).toBe(inB.some((moment) => inA.has(moment)));
      expect(contains(a, b)).toBe(inB.every((moment) => inA.has(moment)));
      expect(abuts(a, b)).toBe(a.end === b.start || b.end === a.start);
    }),
  );
});

test('condensing and taking away keep the right moments', () => {
  fc.assert(
    fc.property(interval, fc.array(interval), (one, others) => {
      const covered = new Set(others.flatMap(momentsOf));
      expect(condense(others).flatMap(momentsOf)).toEqual([...covered].sort((a, b) => a - b));
      expect(overlapsAny(condense(others), one)).toBe(others.some((other) => overlaps(other, one)));
      expect(without(one, others).flatMap(momentsOf)).toEqual(
        momentsOf(one).filter((moment) => !covered.has(moment)),
      );
    }),
  );
});

test('the form that services write means the same as its shorter and longer spellings', () => {
  for (const day of [
    '0000-01-01',
    '1969-12-31',
    '1970-01-01',
    '2016-02-28',
    '2024-12-28',
    '9999-01-01',
  ]) {
    for (const time of ['00:00:00.000', '09:08:07.006', '23:59:59.999'])
      expect([day, time, parseInstant(`${day}T${time}Z`)]).toEqual([
        day,
        time,
        parseInstant(`${day}T${time}+00:00`),
      ]);
  }
  for (const text of [
    '2023-02-29T00:00:00.000Z',
    '2023-04-31T00:00:00.000Z',
    '2023-01-01T24:00:00.000Z',
    '2023-13-01T00:00:00.000Z',
  ])
    expect(() => parseInstant(text), text).toThrow('Cannot parse');
});

test('letters may be small, as in Joda', () => {
  for (const [text, interval] of [
    ['2015-09-12t00:00:00z/p1d', '2015-09-12T00:00:00.000Z/2015-09-13T00:00:00.000Z'],
    ['p1d/2015-09-12', '2015-09-11T00:00:00.000Z/2015-09-12T00:00:00.000Z'],
    ['2015-09-12/p1w2D', '2015-09-12T00:00:00.000Z/2015-09-21T00:00:00.000Z'],
    ['2015-w37-6/pt1h30m', '2015-09-12T00:00:00.000Z/2015-09-12T01:30:00.000Z'],
  ] as const)
    expect(formatInterval(parseInterval(text)), text).toBe(interval);
});
