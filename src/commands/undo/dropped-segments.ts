// Segments that rules have marked unused since a change: undoing the rules does not mark them as
// used again.
import type { Context } from '../../cli/command/command.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { endpointNamed, type JournalStep } from '../../cli/command/journal.ts';
import { metadata, type UnusedSegment } from '../../contract/metadata.ts';
import { type RetentionRuleBody, rules } from '../../contract/rules.ts';
import { check } from '../../contract/schema.ts';
import { parseInterval } from '../../model/interval.ts';
import { isDrop, rulesAt } from '../../model/retention-rule.ts';
import { findUnusedSegments } from '../shared/segments/unused-segments.ts';

type CallContext = Pick<Context, 'call'>;

/** The unused segments of a datasource that the current rules drop and the previous ones do not. */
export interface DroppedSegments {
  readonly dataSource: string;
  readonly since: readonly string[]; // ids of segments marked unused since the change
  readonly before: readonly string[]; // ids of segments marked unused earlier
  readonly areUnknown?: true; // the service cannot list unused segments, or the user may not
}

/**
 * The segments dropped by the rules that `steps` undo, by datasource; empty when no step is about
 * rules. `sinceMs` is the time of the change in milliseconds since 1970, by the clock of this
 * machine. Call it before the steps are sent.
 */
export async function findDroppedSince(
  { call }: CallContext,
  steps: readonly JournalStep[],
  sinceMs: number,
): Promise<DroppedSegments[]> {
  const restored = new Map(steps.flatMap((step) => restoreRules(step)));
  if (restored.size === 0) return [];
  const all = await ifKnown(call(rules.list));
  const present = async (name: string) =>
    all ? (all[name] ?? []) : await ifKnown(call(rules.get, { params: { dataSource: name } }));
  const found: DroppedSegments[] = [];
  for (const dataSource of await segmentsTouchedBy({ call }, restored)) {
    const [own, others] = [await present(dataSource), await present(defaults)];
    const now = [...(own ?? []), ...(others ?? [])];
    const then = [
      ...(restored.get(dataSource) ?? own ?? []),
      ...(restored.get(defaults) ?? others ?? []),
    ];
    if (own && others && !now.some(isDrop)) continue;
    const unused = own && others && (await ifKnown(findUnusedSegments({ call }, dataSource)));
    const nowMs = Date.now();
    const [ruleNow, ruleThen] = [rulesAt(now, nowMs), rulesAt(then, nowMs)];
    const dropped = (unused ?? []).filter(({ dataSegment }) => {
      const interval = parseInterval(dataSegment.interval);
      return drops(ruleNow(interval)) && !drops(ruleThen(interval));
    });
    const isSince = ({ usedStatusLastUpdatedDate }: UnusedSegment) =>
      Date.parse(usedStatusLastUpdatedDate ?? '') >= sinceMs;
    const [since, before] = [
      idsOf(dropped.filter(isSince)),
      idsOf(dropped.filter((segment) => !isSince(segment))),
    ];
    if (!unused || dropped.length > 0)
      found.push({ dataSource, since, before, ...(!unused && { areUnknown: true }) });
  }
  return found;
}

const drops = (rule: RetentionRuleBody | undefined): boolean => rule !== undefined && isDrop(rule);

const idsOf = (segments: readonly UnusedSegment[]) =>
  segments.flatMap(({ dataSegment: { identifier } }) => identifier ?? []);

const defaults = '_default';

function restoreRules({
  endpoint: name,
  given,
}: JournalStep): [dataSource: string, rules: readonly RetentionRuleBody[]][] {
  const endpoint = endpointNamed(name);
  if (endpoint !== rules.set && endpoint !== rules.setDefault) return [];
  const params = given.params as { readonly dataSource?: string } | undefined;
  return [[params?.dataSource ?? defaults, check(rules.set.body, given.body)]];
}

async function segmentsTouchedBy(
  { call }: CallContext,
  restored: ReadonlyMap<string, unknown>,
): Promise<readonly string[]> {
  if (!restored.has(defaults)) return [...restored.keys()];
  const all = (await ifKnown(call(metadata.datasources, { query: { includeUnused: true } }))) ?? [];
  return [
    ...new Set([
      ...all.flatMap((one) => (typeof one === 'string' ? [one] : [])),
      ...restored.keys(),
    ]),
  ].filter((name) => name !== defaults);
}
