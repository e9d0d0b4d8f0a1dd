// Retention rules as the specification has them: the first that applies decides, loading is
// generous and dropping careful.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatInterval, type Interval, parseInterval } from '../../src/model/interval.ts';
import {
  boundariesOf,
  type RetentionRule,
  ruleFor,
  rulesAt,
} from '../../src/model/retention-rule.ts';

const now = Date.parse('2024-06-15T12:00:00Z');

const applies = (rule: RetentionRule, segment: string) =>
  ruleFor([rule], parseInterval(segment), now) !== undefined;

test.for<[RetentionRule, readonly string[], readonly string[]]>([
  [{ type: 'loadForever' }, ['1900-01-01/1900-01-02', '2900-01-01/2900-01-02'], []],
  [{ type: 'dropForever' }, ['1900-01-01/1900-01-02', '2900-01-01/2900-01-02'], []],
  [{ type: 'broadcastForever' }, ['1900-01-01/1900-01-02', '2900-01-01/2900-01-02'], []],
  [
    { type: 'loadByInterval', interval: '2024-01-01/2024-02-01' },
    ['2024-01-31/2024-03-01', '2023-01-01/2025-01-01', '2024-01-05/2024-01-06'],
    ['2024-02-01/2024-03-01', '2023-12-01/2024-01-01'],
  ],
  [
    { type: 'broadcastByInterval', interval: '2024-01-01/2024-02-01' },
    ['2024-01-31/2024-03-01'],
    ['2024-02-01/2024-03-01'],
  ],
  [
    { type: 'dropByInterval', interval: '2024-01-01/2024-02-01' },
    ['2024-01-01/2024-02-01', '2024-01-05/2024-01-06'],
    ['2024-01-31/2024-03-01', '2023-12-31/2024-01-02'],
  ],
  [
    { type: 'loadByPeriod', period: 'P1M' }, // what lies ahead is meant too
    ['2024-05-15/2024-05-16', '2024-07-01/2024-07-02'],
    ['2024-05-14/2024-05-15'],
  ],
  [
    { type: 'loadByPeriod', period: 'P1M', includeFuture: false },
    ['2024-06-15/2024-06-16', '2024-05-15/2024-05-16'],
    ['2024-05-14/2024-05-15', '2024-06-16/2024-06-17'],
  ],
  [
    { type: 'broadcastByPeriod', period: 'P1M' },
    ['2024-05-15/2024-05-16'],
    ['2024-05-14/2024-05-15'],
  ],
  [
    { type: 'dropByPeriod', period: 'P1M' },
    ['2024-05-16/2024-05-17', '2024-07-01/2024-07-02'],
    ['2024-05-15/2024-05-16'],
  ],
  [
    { type: 'dropByPeriod', period: 'P1M', includeFuture: false },
    ['2024-05-16/2024-05-17'],
    ['2024-06-15/2024-06-16', '2024-07-01/2024-07-02', '2024-05-15/2024-05-16'],
  ],
  [
    { type: 'dropBeforeByPeriod', period: 'P1M' },
    ['2024-05-14/2024-05-15', '1900-01-01/1900-01-02'],
    ['2024-05-15/2024-05-16', '2024-06-01/2024-06-02'],
  ],
])('$0 means what the specification says', ([rule, those, not]) => {
  expect({ applies: those.filter((segment) => applies(rule, segment)) }).toEqual({
    applies: those,
  });
  expect({ applies: not.filter((segment) => applies(rule, segment)) }).toEqual({ applies: [] });
});

const hour = 3_600_000;
// Hours around now, so that segments and rules meet, touch and miss each other.
const span = fc
  .tuple(fc.integer({ min: -2000, max: 2000 }), fc.integer({ min: 1, max: 900 }))
  .map(
    ([from, hours]): Interval => ({ start: now + from * hour, end: now + (from + hours) * hour }),
  );
const period = fc.constantFrom('PT1H', 'P1D', 'P1W', 'P1M', 'P2M', 'P1Y');
const rule = fc.oneof(
  fc
    .constantFrom('loadForever', 'dropForever', 'broadcastForever')
    .map((type): RetentionRule => ({ type })),
  fc
    .tuple(fc.constantFrom('loadByInterval', 'dropByInterval', 'broadcastByInterval'), span)
    .map(([type, interval]): RetentionRule => ({ type, interval: formatInterval(interval) })),
  fc
    .tuple(
      fc.constantFrom('loadByPeriod', 'dropByPeriod', 'broadcastByPeriod', 'dropBeforeByPeriod'),
      period,
      fc.boolean(),
    )
    .map(
      ([type, ofTime, includeFuture]): RetentionRule => ({ type, period: ofTime, includeFuture }),
    ),
);

test('to drop what is before a period and load the rest is to load the period with the future and drop the rest', () => {
  fc.assert(
    fc.property(period, span, (ofTime, segment) => {
      const dropped = ruleFor(
        [{ type: 'dropBeforeByPeriod', period: ofTime }, { type: 'loadForever' }],
        segment,
        now,
      );
      const loaded = ruleFor(
        [{ type: 'loadByPeriod', period: ofTime, includeFuture: true }, { type: 'dropForever' }],
        segment,
        now,
      );
      expect(dropped?.type === 'loadForever').toBe(loaded?.type === 'loadByPeriod');
    }),
    { numRuns: 2000 },
  );
});

test('the first rule that applies decides, whatever follows; none leaves the segment as it is', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), span, (rules, segment) => {
      const alone = rules.filter((one) => ruleFor([one], segment, now));
      expect(ruleFor(rules, segment, now)).toBe(alone[0]);
    }),
    { numRuns: 2000 },
  );
});

test('order matters: of two rules that apply to a segment, the one that comes first decides', () => {
  fc.assert(
    fc.property(rule, rule, span, (one, other, segment) => {
      fc.pre(Boolean(ruleFor([one], segment, now) && ruleFor([other], segment, now)));
      expect(ruleFor([one, other], segment, now)).toBe(one);
      expect(ruleFor([other, one], segment, now)).toBe(other);
    }),
    { numRuns: 2000 },
  );
});

test('segments that begin and end between the same boundaries have the same rule', () => {
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 5 }),
      fc.array(span, { minLength: 2, maxLength: 60 }),
      (rules, segments) => {
        const boundaries = boundariesOf(rules, now);
        const ruleOf = rulesAt(rules, now);
        const first = new Map<string, RetentionRule | undefined>();
        for (const { start, end } of segments) {
          const place = [
            boundaries.filter((at) => at <= start).length,
            boundaries.filter((at) => at < end).length,
          ].join();
          if (!first.has(place)) first.set(place, ruleOf({ start, end }));
          expect(ruleOf({ start, end })).toBe(first.get(place));
        }
      },
    ),
    { numRuns: 1000 },
  );
});
