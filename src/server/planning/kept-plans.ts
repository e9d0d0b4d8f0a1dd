// Plans of small statements that wait for the next request with the same text, as dashboards send
// them: planning takes longer than many a small query.
import type { Catalog } from '../../sql/catalog.ts';
import type { SelectStatement, TranslatedStatement } from '../../sql/statement.ts';
import type { PlanningRequest } from './plan.ts';

/**
 * Keeps the plans of statements that read nothing but datasources. A plan is found again as long as
 * the datasources have the same data.
 */
export class KeptPlans {
  readonly #plans = new Map<string, KeptPlan>(); // least recently used first

  /** The plan of an equal request, with the query id of this one. */
  find(request: PlanningRequest, catalog: Catalog): SelectStatement | undefined {
    const key = keyOf(request);
    const kept = key === undefined ? undefined : this.#plans.get(key);
    if (key === undefined || !kept) return undefined;
    this.#plans.delete(key);
    const isOld = performance.now() - kept.atMs > mostAgeMs;
    if (
      isOld ||
      ![...kept.stamps].every(([name, stamp]) => isEqual(stamp, catalog.stampOf?.(name)))
    )
      return undefined;
    this.#plans.set(key, kept);
    const { statement } = kept;
    const { sqlQueryId } = request.context;
    return { ...statement, context: { ...statement.context, sqlQueryId } };
  }

  /** Plans a request over the catalog that is given to `plan`, and keeps the plan if possible. */
  keep(
    request: PlanningRequest,
    catalog: Catalog,
    plan: (catalog: Catalog) => TranslatedStatement,
  ): TranslatedStatement {
    const reads = new DatasourcesRead(catalog);
    const statement = plan(reads.catalog);
    const key = keyOf(request);
    const { stamps } = reads;
    if (
      key === undefined ||
      !stamps ||
      statement.kind !== 'select' ||
      statement.readsClock ||
      statement.duckdb.length > mostLength
    )
      return statement;
    // Only tasks read files and joins, whose texts grow with the number of segments
    const kept = { ...statement, files: [], joins: [] };
    this.#plans.set(key, { statement: kept, stamps, atMs: performance.now() });
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > mostPlans && oldest !== undefined) this.#plans.delete(oldest);
    return statement;
  }
}

interface KeptPlan {
  readonly statement: SelectStatement;
  readonly stamps: ReadonlyMap<string, Stamp>; // of the datasources that it reads
  readonly atMs: number;
}

type Stamp = readonly unknown[];

/** The catalog of one plan, which notes the datasources that are read. */
class DatasourcesRead {
  readonly catalog: Catalog;
  #stamps: Map<string, Stamp> | undefined = new Map();

  constructor(catalog: Catalog) {
    this.catalog = {
      findTable: (schema, name) => {
        const table = catalog.findTable(schema, name);
        const stamp = table?.kind === 'datasource' ? catalog.stampOf?.(name) : undefined;
        if (stamp) this.#stamps?.set(name, stamp);
        else this.#stamps = undefined;
        return table;
      },
      findLookup: (name) => {
        this.#stamps = undefined;
        return catalog.findLookup(name);
      },
    };
  }

  /** Undefined when something else is read, whose changes are unknown. */
  get stamps(): ReadonlyMap<string, Stamp> | undefined {
    return this.#stamps;
  }
}

// Undefined for a request that is not kept.
function keyOf({
  text,
  context,
  parameters,
  engine,
  knownValues,
}: PlanningRequest): string | undefined {
  const { sqlQueryId, ...settings } = context;
  const isPlain = Object.values(settings).every((value) => plainTypes.includes(typeof value));
  return engine === 'native' && parameters.length === 0 && isPlain
    ? JSON.stringify([text, settings, knownValues])
    : undefined;
}

const isEqual = (one: Stamp, other: Stamp | undefined) =>
  one.length === other?.length && one.every((value, at) => value === other[at]);

const plainTypes = ['string', 'number', 'boolean'];
const mostPlans = 128;
const mostLength = 32 * 1024;
const mostAgeMs = 10_000; // after which the segment cache learns again that its tables are in use
