// Options that describe a single rule.
import type { Completer } from '../../cli/command/command.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { cluster } from '../../contract/cluster.ts';
import type { RetentionRuleBody } from '../../contract/rules.ts';
import {
  flag,
  intervalText,
  listOf,
  oneOf,
  optional,
  periodText,
  required,
  text,
} from '../../contract/schema.ts';
import { ruleTypes } from '../../model/retention-rule.ts';

export const ruleOptions = {
  type: required(oneOf(...ruleTypes), 'Type of the rule'),
  period: optional(periodText, 'ISO period back from now, such as P1M'),
  interval: optional(intervalText, 'ISO interval, such as 2024-01-01/2025-01-01'),
  replicas: optional(listOf(text), 'Replicas on a tier, such as _default_tier=2; may be repeated'),
  excludeFuture: optional(flag, 'With a period: exclude future data'),
};

/** Completion of their values: the existing tiers. */
export const ruleCompleters = {
  replicas: (async ({ call }) =>
    ((await call(cluster.tiers)) as readonly string[]).map(
      (tier) => `${tier}=`,
    )) satisfies Completer,
};

interface RuleInWords {
  readonly type: RetentionRuleBody['type'];
  readonly period?: string;
  readonly interval?: string;
  readonly replicas?: readonly string[];
  readonly excludeFuture?: boolean;
}

/** Throws a usage error for an invalid number of copies. */
export function ruleFrom({
  type,
  period,
  interval,
  replicas,
  excludeFuture,
}: RuleInWords): RetentionRuleBody {
  return {
    type,
    ...(period !== undefined && { period }),
    ...(interval !== undefined && { interval }),
    ...(excludeFuture && { includeFuture: false }),
    ...(replicas && { tieredReplicants: Object.fromEntries(replicas.map(tierAndCount)) }),
  };
}

function tierAndCount(given: string): [string, number] {
  const [, tier, count] = /^(.+)=(\d{1,9})$/.exec(given) ?? [];
  if (tier === undefined)
    throw new UsageError(
      `Invalid value for --replicas: [${given}] is not a TIER=COUNT`,
      'an example: --replicas _default_tier=2',
    );
  return [tier, Number(count)];
}
