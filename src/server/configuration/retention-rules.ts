// Retention rules of datasources (the specification, "Retention rules"; Druid: RulesResource).

import type { AuditEntry } from '../../contract/audit.ts';
import type { RetentionRuleBody } from '../../contract/rules.ts';
import { InvalidTime } from '../../model/instant.ts';
import { formatInterval, parseInterval } from '../../model/interval.ts';
import { formatJson } from '../../model/json.ts';
import { requestLimits } from '../../model/limits.ts';
import { reprintPeriod } from '../../model/period.ts';
import { initialDefaultRules, replicantsOf } from '../../model/retention-rule.ts';
import { checkNameLength } from '../checks/name-length.ts';
import { requestLimitExceeded } from '../checks/refusals.ts';
import { type AuditInfo, addAuditEntry } from '../storage/audit.ts';
import { findRules, listRules, setRules } from '../storage/rules.ts';
import { auditHistory, type HistoryParts, type HistoryQuery } from './audit-history.ts';
import {
  countBeyondHistory,
  emptyDefaultRules,
  malformedInRule,
  negativeReplicants,
  ruleLacks,
} from './refusals.ts';

const defaults = '_default';

export class RetentionRules {
  readonly #parts: HistoryParts;
  readonly #known: Map<string, readonly RetentionRuleBody[]>;
  #revision = 0;

  /** A new store gets the default rules. */
  constructor(parts: HistoryParts) {
    const { metadata } = parts;
    this.#parts = parts;
    if (!findRules(metadata, defaults)) setRules(metadata, defaults, initialDefaultRules);
    this.#known = listRules<RetentionRuleBody>(metadata);
  }

  /** Increases with every change of a rule. */
  get revision(): number {
    return this.#revision;
  }

  /** Rules by datasource, including `_default`. */
  all = (): Record<string, RetentionRuleBody[]> =>
    Object.fromEntries([...this.#known].map(([name, rules]) => [name, [...rules]]));

  /** The datasource's own rules; an empty list when none were set. */
  of = (dataSource: string): RetentionRuleBody[] => [...(this.#known.get(dataSource) ?? [])];

  /** The rules in the order in which they are applied to a segment of the datasource. */
  withDefaults = (dataSource: string): RetentionRuleBody[] => [
    ...this.of(dataSource),
    ...this.of(defaults),
  ];

  /**
   * Replaces the rules of a datasource and records it in the history; equal rules change nothing.
   * Refuses an invalid rule.
   */
  set(dataSource: string, given: readonly RetentionRuleBody[], auditInfo: AuditInfo): void {
    if (
      dataSource === defaults &&
      given.length === 0 &&
      this.#parts.dialect.emptyDefaultRules === 'refused'
    )
      throw emptyDefaultRules();
    if (given.length > requestLimits.rules.most)
      throw requestLimitExceeded('rules', given.length, dataSource);
    checkNameLength(dataSource, 'dataSource');
    const rules = given.map(complete);
    const payload = formatJson(rules);
    if (this.#known.has(dataSource) && payload === formatJson(this.#known.get(dataSource))) return;
    this.#parts.metadata.transaction((tx) => {
      setRules(tx, dataSource, rules);
      addAuditEntry(tx, {
        key: dataSource,
        type: 'rules',
        auditInfo,
        payload,
        timeMs: this.#parts.now(),
      });
    });
    this.#known.set(dataSource, rules);
    this.#revision++;
  }

  /**
   * Authors and times of rule changes, for one datasource or all. Refuses the same queries as
   * `auditHistory`, and, as specified for this history alone, a count above the number of changes.
   */
  history(dataSource: string | undefined, query: HistoryQuery): AuditEntry[] {
    const entries = auditHistory(
      this.#parts,
      { type: 'rules', ...(dataSource !== undefined && { key: dataSource }) },
      query,
    );
    const { count = 0 } = query;
    if (entries.length < count && this.#parts.dialect.historyCountTooLarge === 'notFound')
      throw countBeyondHistory(count, entries.length);
    return entries;
  }
}

// The rule in the real engine's form: the fields of its type, with defaults, the type last.
function complete(rule: RetentionRuleBody): RetentionRuleBody {
  const { type, period, interval, tieredReplicants } = rule;
  const [includeFuture, useDefaultTierForNull] = [
    rule.includeFuture !== false,
    rule.useDefaultTierForNull !== false,
  ];
  if (type.endsWith('ByPeriod') && !period) throw ruleLacks(type, 'period');
  if (type.endsWith('ByInterval') && !interval) throw ruleLacks(type, 'interval');
  for (const [tier, count] of Object.entries(tieredReplicants ?? {})) {
    checkNameLength(tier, 'tieredReplicants');
    if (count < 0) throw negativeReplicants(tier, count);
  }
  return {
    ...(period && { period: readIn(type, 'period', () => reprintPeriod(period)) }),
    ...(interval && {
      interval: readIn(type, 'interval', () => formatInterval(parseInterval(interval))),
    }),
    ...(type.endsWith('ByPeriod') && type !== 'dropBeforeByPeriod' && { includeFuture }),
    ...(type.startsWith('load') && {
      tieredReplicants: replicantsOf(rule),
      useDefaultTierForNull,
    }),
    type,
  };
}

function readIn<T>(type: string, field: 'interval' | 'period', read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof InvalidTime ? malformedInRule(type, field, error.message) : error;
  }
}
