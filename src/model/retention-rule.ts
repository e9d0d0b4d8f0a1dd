// Retention rules, which decide whether segments are loaded or dropped (the specification,
// "Retention rule"; Druid: "Using rules to drop and retain data").
import { contains, type Interval, overlaps, parseInterval } from './interval.ts';
import { addPeriod, parsePeriod } from './period.ts';

/** A rule in its transferred and stored form. */
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

/** The initial default rules of a cluster. */
export const initialDefaultRules: readonly RetentionRule[] = [
  { tieredReplicants: { [defaultTier]: 2 }, useDefaultTierForNull: true, type: 'loadForever' },
];

/** The rule for a segment: the first one that applies; `undefined` leaves the segment unchanged. */
export function ruleFor<Rule extends RetentionRule>(
  rules: readonly Rule[],
  segment: Interval,
  nowMs: number,
): Rule | undefined {
  return rulesAt(rules, nowMs)(segment);
}

/** The same for many segments at one instant: intervals and periods are parsed once. */
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
 * The instants that rules compare with segments at `nowMs`, ascending, in milliseconds since 1970.
 * Rules treat segments alike that start at or after the same instants and end after the same ones.
 */
export function boundariesOf(rules: readonly RetentionRule[], nowMs: number): readonly number[] {
  const spans = rules.flatMap((rule) => {
    if (rule.type.endsWith('ByInterval')) return [parseInterval(rule.interval ?? '')];
    return isOfPeriod(rule) ? [untilNow(rule, nowMs)] : [];
  });
  return [...new Set(spans.flatMap(({ start, end }) => [start, end]))].sort(
    (one, other) => one - other,
  );
}

/** Whether the rule applies to other times at each moment: its period ends now. */
export const isOfPeriod = ({ type }: RetentionRule): boolean => type.endsWith('ByPeriod');
/** Whether the rule unloads segments. */
export const isDrop = ({ type }: RetentionRule): boolean => type.startsWith('drop');
/** Whether every server loads the segments (Druid: "Broadcast rules"). */
export const isBroadcast = ({ type }: RetentionRule): boolean => type.startsWith('broadcast');

/**
 * The copies by tier in a load rule. Without a map, the default tier has two, or none when that is
 * switched off.
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
 * Whether the rule puts segments on a Historical: a load rule with no copies keeps them in deep
 * storage only.
 */
export const isLoaded = (rule: RetentionRule): boolean =>
  isBroadcast(rule) || Object.values(replicantsOf(rule)).some((replicants) => replicants > 0);

const untilNow = ({ period = '' }: RetentionRule, nowMs: number): Interval => ({
  start: addPeriod(nowMs, parsePeriod(period), -1),
  end: nowMs,
});
