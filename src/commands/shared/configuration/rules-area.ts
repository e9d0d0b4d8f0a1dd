import { rules } from '../../../contract/rules.ts';
import { isObject, withoutNulls } from '../../../model/difference.ts';
import { formatInterval, parseInterval } from '../../../model/interval.ts';
import { defaultTier } from '../../../model/retention-rule.ts';
import { checkRules } from '../rules/check-rules.ts';
import type { Area } from './area.ts';
import { withPeriods } from './periods.ts';

/** Retention rules by datasource; the default rules have the name _default. */
export const rulesArea: Area = {
  name: 'rules',
  endpoints: [rules.list],
  writes: [rules.set],
  read: async ({ call }) => {
    const all = Object.entries(await call(rules.list));
    return new Map(all.filter(([name, list]) => list.length > 0 || name === '_default'));
  },
  schema: () => rules.set.body,
  normal: (document) => (Array.isArray(document) ? document.map(normalRule) : document),
  check: (document) => void checkRules(document),
  set: ({ call }, dataSource, { document }, headers) =>
    call(rules.set, { params: { dataSource }, headers, body: [...checkRules(document)] }),
  remove: ({ call }, dataSource, _, headers) =>
    call(rules.set, { params: { dataSource }, headers, body: [] }),
  stays: (name) => name === '_default',
};

// Druid, "Using rules to drop and retain data". Intervals are stored with full times, periods
// include future data by default, and the default is two copies on the default tier.
function normalRule(rule: unknown): unknown {
  if (!isObject(rule)) return rule;
  const {
    includeFuture = true,
    useDefaultTierForNull = true,
    tieredReplicants,
    ...rest
  } = withPeriods(withoutNulls(rule)) as Rule;
  const loads = String(rest.type).startsWith('load');
  return {
    ...rest,
    ...(typeof rest.interval === 'string' && { interval: normalSpelling(rest.interval) }),
    ...(String(rest.type).endsWith('ByPeriod') &&
      rest.type !== 'dropBeforeByPeriod' && { includeFuture }),
    ...(loads && {
      tieredReplicants:
        tieredReplicants ?? (useDefaultTierForNull === false ? {} : { [defaultTier]: 2 }),
    }),
  };
}

function normalSpelling(interval: string): string {
  try {
    return formatInterval(parseInterval(interval));
  } catch {
    return interval;
  }
}

type Rule = Readonly<Record<string, unknown>>;
