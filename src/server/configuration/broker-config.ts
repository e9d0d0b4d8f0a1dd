// Dynamic configuration of the Brokers: default query context and the query blocklist (Druid:
// api-reference/dynamic-configuration-api; QueryBlocklistRule).

import { requestLimits } from '../../model/limits.ts';
import { queryTypeOf } from '../../sql/native/translate-native.ts';
import type { Resource } from '../../sql/statement.ts';
import { checkNameLength } from '../checks/name-length.ts';
import { Refusal, requestLimitExceeded } from '../checks/refusals.ts';
import { isObject, type SpecValues } from '../checks/spec-fields.ts';

/** The parts of a query that rules match. */
export interface QueryToRun {
  readonly id: string;
  readonly type: string | undefined; // the name in native queries
  readonly dataSources: readonly string[];
  readonly context: SpecValues;
}

/** Dynamic configuration of the Brokers, read again for each query. */
export class BrokerConfig {
  readonly #read: () => SpecValues | undefined;

  constructor(read: () => SpecValues | undefined) {
    this.#read = read;
  }

  /** The context of a query: the configured defaults, overridden by the query's own values. */
  contextOf(given: SpecValues | null | undefined): SpecValues {
    if (given) checkContextSize(given);
    const configured = this.#read()?.queryContext;
    return { ...(isObject(configured) && configured), ...given };
  }

  /** Refuses a query that a rule blocks. */
  check(query: QueryToRun): void {
    const rules = this.#read()?.queryBlocklist;
    const rule = Array.isArray(rules)
      ? rules.filter(isObject).find((one) => matches(one, query))
      : undefined;
    if (rule) throw blockedQueryOf(query.id, rule.ruleName);
  }
}

/**
 * Refuses a context with too many parameters, before it is copied, and query ids that are too long.
 */
export function checkContextSize(context: SpecValues): void {
  const count = Object.keys(context).length;
  if (count > requestLimits.contextParameters.most)
    throw requestLimitExceeded('contextParameters', count, 'context');
  for (const name of queryIds)
    if (typeof context[name] === 'string') checkNameLength(context[name], `context.${name}`);
}

const queryIds = ['queryId', 'subQueryId', 'sqlQueryId', 'dartQueryId'];

/** The datasources among the resources of a query. */
export const dataSourcesIn = (resources: readonly Resource[]): string[] =>
  resources.flatMap(({ type, name }) => (type === 'DATASOURCE' ? [name] : []));

/** Refuses a configuration with a rule that has no name or would block all queries. */
export function checkBlocklist({ queryBlocklist }: SpecValues): void {
  if (!Array.isArray(queryBlocklist)) return;
  for (const rule of queryBlocklist) {
    if (!isObject(rule) || typeof rule.ruleName !== 'string' || rule.ruleName === '')
      throw badRule('ruleName must not be null or empty');
    if (criteriaOf(rule).length === 0) {
      throw badRule(
        'At least one criterion (dataSources, queryTypes, or contextMatches) must be specified. A rule with all null/empty criteria would block ALL queries.',
      );
    }
  }
}

// All present criteria must match.
function matches(rule: SpecValues, query: QueryToRun): boolean {
  const criteria = criteriaOf(rule);
  return criteria.length > 0 && criteria.every((meets) => meets(query));
}

function criteriaOf({
  dataSources,
  queryTypes,
  contextMatches,
}: SpecValues): ((query: QueryToRun) => boolean)[] {
  const criteria: ((query: QueryToRun) => boolean)[] = [];
  if (Array.isArray(dataSources) && dataSources.length > 0)
    criteria.push((query) => query.dataSources.some((name) => dataSources.includes(name)));
  if (Array.isArray(queryTypes) && queryTypes.length > 0)
    criteria.push(({ type }) =>
      queryTypes.some(
        (name) =>
          typeof name === 'string' && type !== undefined && queryTypeOf(name) === queryTypeOf(type),
      ),
    );
  const wanted = isObject(contextMatches) ? Object.entries(contextMatches) : [];
  if (wanted.length > 0)
    criteria.push(({ context }) =>
      wanted.every(([key, value]) => textOf(context[key]) === textOf(value)),
    );
  return criteria;
}

const textOf = (value: unknown) =>
  value === undefined || value === null ? undefined : String(value);

const blockedQueryOf = (id: string, rule: unknown) =>
  new Refusal('forbidden', `Query[${id}] blocked by rule[${String(rule)}]`);
const badRule = (message: string) => new Refusal('invalidInput', message);
