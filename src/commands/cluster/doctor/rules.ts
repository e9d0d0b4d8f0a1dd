// Checks of retention rules: rules that never apply, and rules that need missing tiers.
import type { Context } from '../../../cli/command/command.ts';
import type { Finding } from '../../../cli/command/findings.ts';
import { cluster } from '../../../contract/cluster.ts';
import { type RetentionRuleBody, rules } from '../../../contract/rules.ts';
import { InvalidTime } from '../../../model/instant.ts';
import { contains, parseInterval } from '../../../model/interval.ts';
import { addPeriod, parsePeriod } from '../../../model/period.ts';
import { replicantsOf } from '../../../model/retention-rule.ts';
import { commandLine } from '../../../model/shell-text.ts';

export async function examineRules({ call }: Context): Promise<readonly Finding[]> {
  const [byDatasource, servers] = await Promise.all([
    call(rules.list),
    call(cluster.servers, { query: { simple: true } }),
  ]);
  const tiers = new Set(
    servers.flatMap((server) => (typeof server === 'string' ? [] : [server.tier])),
  );
  return Object.entries(byDatasource).flatMap(([name, list]) => [
    ...idleRules(name, list),
    ...lonelyRules(name, list, tiers),
  ]);
}

function idleRules(name: string, list: readonly RetentionRuleBody[]): readonly Finding[] {
  return list.flatMap((rule, at) => {
    const before = list.slice(0, at).findIndex((earlier) => covers(earlier, rule));
    if (before < 0) return [];
    const says = `Rule ${at + 1} of ${owner(name)}, ${formatRule(rule)}, can never apply: rule ${before + 1}, ${formatRule(list[before] ?? rule)}, decides before it`;
    return [
      {
        check: 'rules',
        state: 'warning',
        says,
        remedy: commandLine`svcctl rules get ${name}`,
        facts: { datasource: name, rule, place: at + 1 },
      },
    ];
  });
}

function lonelyRules(
  name: string,
  list: readonly RetentionRuleBody[],
  tiers: ReadonlySet<string>,
): readonly Finding[] {
  const wanted = list.flatMap((rule) =>
    Object.entries(replicantsOf(rule)).flatMap(([tier, count]) => (count > 0 ? [tier] : [])),
  );
  return [...new Set(wanted)]
    .filter((tier) => !tiers.has(tier))
    .map((tier) => ({
      check: 'rules',
      state: 'warning',
      says: `Rules of ${owner(name)} want copies on tier [${tier}], which has no servers`,
      remedy: 'svcctl servers tiers',
      facts: { datasource: name, tier },
    }));
}

const owner = (name: string) => (name === '_default' ? 'all datasources' : `datasource [${name}]`);
const formatRule = ({ type, period, interval }: RetentionRuleBody) =>
  [type, period ?? interval].filter(Boolean).join(' ');

// A load rule applies to overlapping segments, a drop rule only to contained ones. So an earlier
// load rule with a longer time decides before a later rule with a shorter one.
function covers(earlier: RetentionRuleBody, later: RetentionRuleBody): boolean {
  if (earlier.type.endsWith('Forever')) return true;
  if (!earlier.type.startsWith('load') && !earlier.type.startsWith('broadcast')) return false;
  try {
    if (earlier.type.endsWith('ByInterval') && later.type.endsWith('ByInterval'))
      return contains(parseInterval(earlier.interval ?? ''), parseInterval(later.interval ?? ''));
    const isRecent =
      /(load|broadcast|drop)ByPeriod/.test(later.type) && earlier.type.endsWith('ByPeriod');
    return (
      isRecent &&
      startOf(earlier) <= startOf(later) &&
      (earlier.includeFuture !== false || later.includeFuture === false)
    );
  } catch (error) {
    if (error instanceof InvalidTime) return false;
    throw error;
  }
}

const now = Date.now();
const startOf = ({ period }: RetentionRuleBody) => addPeriod(now, parsePeriod(period ?? ''), -1);
