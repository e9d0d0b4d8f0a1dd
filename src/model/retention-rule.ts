// Retention rules: which segments are loaded and which are dropped (the specification, "Retention
// rule"; Druid: "Using rules to drop and retain data").
import { contains, type Interval, overlaps, parseInterval } from './interval.ts';
import { addPeriod, parsePeriod } from './period.ts';

/** A rule as it travels and is stored. */
export interface RetentionRule {
  readonly type: RuleType;
  readonly period?: string;
  readonly interval?: string;
  readonly includeFuture?: boolean | null;
  readonly tieredReplicants?: Readonly<Record<string, number>> | null;
  readonly useDefaultTierForNull?: boolean | null;
}

export const ruleTypes = [
  'loadForever',
  'loadByInterval',
  'loadByPeriod',
  'dropForever',
  'dropByInterval',
  'dropByPeriod',
  'dropBeforeByPeriod',
  'broadcastForever',
  'broadcastByInterval',
  'broadcastByPeriod',
] as const;
export type RuleType = (typeof ruleTypes)[number];

export const defaultTier = '_default_tier';

/** What the cluster starts with. */
export const initialDefaultRules: readonly RetentionRule[] = [
  { tieredReplicants: { [defaultTier]: 2 }, useDefaultTierForNull: true, type: 'loadForever' },
];

/**
 * What happens to a segment: the first rule that applies decides; `undefined` leaves it as it is.
 */
export function ruleFor<Rule extends RetentionRule>(
  rules: readonly Rule[],
  segment: Interval,
  nowMs: number,
): Rule | undefined {
  return rulesAt(rules, nowMs)(segment);
}

/** The same for many segments at one instant: intervals and periods are read once. */
export function rulesAt<Rule extends RetentionRule>(
  rules: readonly Rule[],
  nowMs: number,
): (segment: Interval) => Rule | undefined {
  const tests = rules.map((rule) => ({ rule, applies: testOf(rule, nowMs) }));
  return (segment) => tests.find(({ applies }) => applies(segment))?.rule;
}

// Loading is generous, an overlap is enough; dropping is careful, the segment must lie inside.
function testOf(rule: RetentionRule, nowMs: number): (segment: Interval) => boolean {
  switch (rule.type) {
    case 'loadForever':
    case 'dropForever':
    case 'broadcastForever':
      return () => true;
    case 'loadByInterval':
    case 'broadcastByInterval': {
      const interval = parseInterval(rule.interval ?? '');
      return (segment) => overlaps(interval, segment);
    }
    case 'dropByInterval': {
      const interval = parseInterval(rule.interval ?? '');
      return (segment) => contains(interval, segment);
    }
    case 'loadByPeriod':
    case 'broadcastByPeriod': {
      const recent = untilNow(rule, nowMs);
      return rule.includeFuture === false
        ? (segment) => overlaps(recent, segment)
        : ({ end }) => recent.start < end;
    }
    case 'dropByPeriod': {
      const recent = untilNow(rule, nowMs);
      return rule.includeFuture === false
        ? (segment) => contains(recent, segment)
        : ({ start }) => recent.start <= start;
    }
    case 'dropBeforeByPeriod': {
      const { start } = untilNow(rule, nowMs);
      return ({ end }) => end <= start;
    }
  }
}

/**
 * The instants that rules compare a segment with at `nowMs`, ascending, all in milliseconds since
 * 1970: of segments that begin at or after the same ones, and end after the same ones, one is as
 * good as another.
 */
export function boundariesOf(rules: readonly RetentionRule[], nowMs: number): readonly number[] {
  const spans = rules.flatMap((rule) => {
    if (rule.type.endsWith('ByInterval')) return [parseInterval(rule.interval ?? '')];
    return rule.type.endsWith('ByPeriod') ? [untilNow(rule, nowMs)] : [];
  });
  return [...new Set(spans.flatMap(({ start, end }) => [start, end]))].sort(
    (one, other) => one - other,
  );
}

/** Whether the segments it applies to are unloaded. */
export const isDrop = ({ type }: RetentionRule): boolean => type.startsWith('drop');
/** Whether the segments it applies to are loaded by every server (Druid: "Broadcast rules"). */
export const isBroadcast = ({ type }: RetentionRule): boolean => type.startsWith('broadcast');

/**
 * Copies by tier that a load rule asks for; without a map the default tier gets two, or nobody when
 * that is switched off.
 */
export function replicantsOf({
  type,
  tieredReplicants,
  useDefaultTierForNull,
}: RetentionRule): Readonly<Record<string, number>> {
  if (!type.startsWith('load')) return {};
  return tieredReplicants ?? (useDefaultTierForNull === false ? {} : { [defaultTier]: 2 });
}

/**
 * Whether a segment that this rule decides on is to be on a Historical: a load rule for no copies
 * keeps it in deep storage only.
 */
export const isLoaded = (rule: RetentionRule): boolean =>
  isBroadcast(rule) || Object.values(replicantsOf(rule)).some((replicants) => replicants > 0);

const untilNow = ({ period = '' }: RetentionRule, nowMs: number): Interval => ({
  start: addPeriod(nowMs, parsePeriod(period), -1),
  end: nowMs,
});
