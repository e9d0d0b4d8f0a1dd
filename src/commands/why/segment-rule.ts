// The retention rule that applies to a segment.
import type { Finding } from '../../cli/command/findings.ts';
import {
  isBroadcast,
  isDrop,
  isLoaded,
  type RetentionRule,
  replicantsOf,
} from '../../model/retention-rule.ts';
import { commandLine } from '../../model/shell-text.ts';

/** The first `own` rules are the datasource's, the others are the default rules. */
export function ruleFinding(
  dataSource: string,
  rule: RetentionRule | undefined,
  applied: readonly RetentionRule[],
  own: number,
): Finding {
  if (!rule)
    return {
      check: 'rule',
      state: 'warning',
      says: `None of the ${applied.length} rules applies to it: its copies stay, and other servers do not load it`,
      remedy: commandLine`svcctl rules add ${dataSource} --type loadForever`,
    };
  const at = applied.indexOf(rule);
  const place =
    at < own ? `Rule ${at + 1} of datasource [${dataSource}]` : `Default rule ${at - own + 1}`;
  const name = `${place}, ${rule.type}${rule.period || rule.interval ? ` ${rule.period ?? rule.interval}` : ''},`;
  const facts = { rule, place: at + 1, of: applied.length };
  const change =
    at < own ? commandLine`svcctl rules get ${dataSource}` : 'svcctl rules get _default';
  if (isDrop(rule))
    return { check: 'rule', state: 'critical', says: `${name} drops it`, remedy: change, facts };
  if (!isLoaded(rule))
    return {
      check: 'rule',
      state: 'warning',
      says: `${name} requires no copies: it is in deep storage only`,
      remedy: change,
      facts,
    };
  return {
    check: 'rule',
    state: 'ok',
    says: `${name} wants ${isBroadcast(rule) ? 'a copy on every server' : wishes(rule)}`,
    facts,
  };
}

const wishes = (rule: RetentionRule) =>
  Object.entries(replicantsOf(rule))
    .map(([tier, count]) => `${count} ${count === 1 ? 'copy' : 'copies'} on tier [${tier}]`)
    .join(' and ');
