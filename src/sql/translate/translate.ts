// Entry point: translates Druid SQL to DuckDB SQL, with all facts needed to run and authorize it.
import { type EngineVersion, lacksOf, newestVersion } from '../../model/engine-version.ts';
import { InvalidTime, parseFarInstant } from '../../model/instant.ts';
import { formatJson } from '../../model/json.ts';
import { timeZoneOf } from '../../model/time-zone.ts';
import type { Ingest, Query, StatementList, StatementSize } from '../ast.ts';
import type { Catalog } from '../catalog.ts';
import { resolveExplain } from '../explain/explain.ts';
import { nameFor } from '../expressions/column-names.ts';
import type { Environment } from '../expressions/typed.ts';
import { refuseNativeIngest, resolveIngest } from '../ingest/ingest.ts';
import { parseStatements } from '../parse/parse.ts';
import { withIntermediates } from '../queries/intermediate-aggregates.ts';
import { resolveQuery } from '../queries/resolve-query.ts';
import type { NativePlan } from '../resolution/native-plan.ts';
import type {
  CommonTables,
  EngineName,
  ResolvedQuery,
  ResultColumn,
  Translation,
} from '../resolution/translation.ts';
import { failedPlanning, SqlError } from '../sql-error.ts';
import type {
  ExplainStatement,
  IngestStatement,
  KnownValues,
  QueryPlan,
  SelectStatement,
  TranslatedStatement,
} from '../statement.ts';
import { isInterval, isText, nativeTypeOf } from '../types.ts';
import {
  type BoundParameter,
  bindParameters,
  contextWith,
  refuseUnbound,
  withSharedParameters,
} from './parameters.ts';

export interface TranslateOptions {
  readonly catalog: Catalog;
  readonly context: Readonly<Record<string, unknown>>;
  readonly parameters: readonly (BoundParameter | null)[];
  readonly nowMs: bigint;
  readonly engine: EngineName;
  readonly version?: EngineVersion; // of the engine; the newest by default
  readonly mostKeptValues?: number; // values that its aggregates may keep in memory; by default 0
  readonly knownValues?: readonly KnownValues[] | undefined; // of queries behind IN
}

/**
 * Translates one statement (with SETs before it). Times are milliseconds since 1970; `nowMs` is the
 * value of CURRENT_TIMESTAMP. Throws SqlError with the engine's message for invalid syntax,
 * unresolvable names and unsupported features.
 */
export function translate(
  text: string,
  options: TranslateOptions & { engine: 'native' },
): SelectStatement | ExplainStatement;
export function translate(text: string, options: TranslateOptions): TranslatedStatement;
export function translate(text: string, options: TranslateOptions): TranslatedStatement {
  return translateParsed(parseStatements(text), options);
}

/** As `translate`, for a statement that has been parsed. */
export function translateParsed(
  written: StatementList,
  options: TranslateOptions,
): TranslatedStatement {
  const list = withSharedParameters(written, options.parameters);
  const context = contextWith(options.context, list.settings);
  refuseNegativeTimeout(context);
  const { statement } = list;
  if (statement.kind !== 'explain')
    return translateStatement(statement, list, context, options).statement;
  const {
    statement: explained,
    plan,
    native,
    nativeArms,
  } = translateStatement(statement.statement, list, context, options);
  return resolveExplain(explained, plan, nativeArms?.() ?? [native?.()]);
}

interface Translated<T> {
  readonly statement: T;
  readonly plan: QueryPlan;
  readonly native?: ResolvedQuery['native'];
  readonly nativeArms?: ResolvedQuery['nativeArms'];
}

function translateStatement(
  statement: Query | Ingest,
  list: StatementList,
  context: Readonly<Record<string, unknown>>,
  options: TranslateOptions,
): Translated<SelectStatement | IngestStatement> {
  if (statement.kind !== 'query' && options.engine === 'native') refuseNativeIngest(statement);
  const translation = newTranslation(list, context, options);
  const showQuery = (query: Query) =>
    options.engine === 'msq-task' && !finalizes(context) ? withIntermediates(query) : query;
  if (statement.kind === 'query')
    return translateQuery(showQuery(statement), translation, list.size, {
      outerLimit: outerLimitOf(context),
    });
  return resolveIngest(
    { ...statement, query: showQuery(statement.query) },
    translation,
    (query, isStored) =>
      translateQuery(query, translation, list.size, isStored ? { isIngested: true } : {}),
  );
}

const finalizes = ({ finalizeAggregations }: Readonly<Record<string, unknown>>) =>
  String(finalizeAggregations) !== 'false';

function translateQuery(
  query: Query,
  translation: Translation,
  size: StatementSize,
  { outerLimit, isIngested }: { outerLimit?: number | undefined; isIngested?: true },
): Translated<SelectStatement> {
  const { sql, columns, plan, native, nativeArms, isEmpty, isDivisible, keepsRows } = resolveQuery(
    query,
    translation,
    {
      commonTables: noCommonTables,
      top: true,
      ...(outerLimit !== undefined && { outerLimit }),
      ...(isIngested && { isIngested }),
    },
  );
  translation.refusePlan();
  refuseUnwritable(columns, isEmpty === true);
  if (
    translation.engine === 'native' &&
    String(translation.environment.context.skipEmptyBuckets) === 'false'
  )
    refuseEmptyBuckets(native?.());
  const lacked = lacksOf(translation.environment.version).replyDetails;
  const hasLongFloats = lacked.has('FEWEST DIGITS OF LARGE FLOATS') || undefined;
  const statement: SelectStatement = {
    kind: 'select',
    duckdb: sql,
    columns: columns.map(({ name, type }) => ({
      name,
      type,
      nativeType: nativeTypeOf(type),
      ...(type.name === 'FLOAT' && hasLongFloats && { hasLongFloats }),
    })),
    resources: translation.resources,
    externs: translation.externs,
    joins: translation.joins,
    inlined: translation.inlined,
    files: [...translation.files],
    queryType: plan.queryType,
    context: translation.environment.context,
    size,
    numRows: translation.read.numRows,
    keptValues: translation.keptValues,
    readsClock: translation.readsClock,
    ...(isDivisible && { isDivisible }),
    ...(keepsRows && { keepsRows }),
  };
  return { statement, plan, native, nativeArms };
}

// Only native timeseries return rows for empty buckets.
function refuseEmptyBuckets(plan: NativePlan | undefined): void {
  const granularity = plan?.query.queryType === 'timeseries' ? plan.query.granularity : undefined;
  if (granularity === undefined || isOfAllTime(granularity)) return;
  throw new SqlError(
    'SQL omits time buckets without rows, but the query context has [skipEmptyBuckets: false]. Send the native query of EXPLAIN PLAN FOR, with [skipEmptyBuckets: false] in its context.',
    { category: 'UNSUPPORTED' },
  );
}

const isOfAllTime = (granularity: unknown): boolean =>
  typeof granularity === 'object' &&
  granularity !== null &&
  'type' in granularity &&
  granularity.type === 'all';

// Values that a result cannot hold: several values in one row, except texts; small integers, except
// null; intervals.
function refuseUnwritable(columns: readonly ResultColumn[], isEmpty: boolean): void {
  columns.forEach(({ type, isSeveral, isNull, isDecided }, index) => {
    if (isSeveral || (type.multiValue && !isText(type)))
      throw notCoercible(index, 'java.util.ArrayList', type.name);
    if (!isNull && !isEmpty && (type.name === 'TINYINT' || type.name === 'SMALLINT'))
      throw notCoercible(index, 'java.lang.Integer', type.name);
    if (isInterval(type)) {
      const unit = type.unit?.replaceAll(' TO ', '_') ?? 'DAY';
      throw isDecided
        ? new SqlError(`Cannot handle literal of unsupported type [INTERVAL_${unit}].`)
        : notCoercible(index, 'java.lang.Long', `INTERVAL_${unit}`);
    }
  });
}

const notCoercible = (index: number, from: string, to: string) =>
  new SqlError(`Cannot coerce field [v${index}] from type [${from}] to type [${to}]`, {
    code: 'general',
  });

const noCommonTables: CommonTables = { find: () => undefined };

function newTranslation(
  list: StatementList,
  context: Readonly<Record<string, unknown>>,
  {
    catalog,
    parameters,
    nowMs,
    engine,
    version = newestVersion,
    mostKeptValues = 0,
    knownValues = [],
  }: TranslateOptions,
): Translation {
  const timeZone = timeZoneIn(context);
  refuseUnbound(list, parameters);
  let readsClock = false;
  let keptValues = 0;
  let refusal: SqlError | undefined;
  const environment: Environment = {
    now() {
      readsClock = true;
      return currentTimeIn(context) ?? nowMs;
    },
    version,
    timeZone,
    context,
    parameters: bindParameters(list, parameters, timeZone),
    lookup: (name) => catalog.findLookup(name),
    inPlanning(check) {
      try {
        check();
      } catch (error) {
        if (!isOfPlanning(error)) throw error;
        refusal ??= error;
      }
    },
    keepValues(count) {
      if (keptValues + count > mostKeptValues) return false;
      keptValues += count;
      return true;
    },
  };
  const aliases = new Set<string>();
  const translation: Translation = {
    catalog,
    environment,
    engine,
    resources: [],
    externs: [],
    joins: [],
    inlined: [],
    inlinedQueries: new Set(),
    knownValues,
    files: new Set(),
    read: { numRows: 0 },
    commonTexts: [],
    get readsClock() {
      return readsClock;
    },
    get keptValues() {
      return keptValues;
    },
    alias(wanted) {
      const name = nameFor(wanted, 'query');
      let alias = name;
      for (let attempt = 2; aliases.has(alias.toLowerCase()); attempt++)
        alias = `${name}_${attempt}`;
      aliases.add(alias.toLowerCase());
      return alias;
    },
    resolveQuery: (query, queryContext) => resolveQuery(query, translation, queryContext),
    refusePlan() {
      if (refusal) throw refusal;
    },
    planApart() {
      const before = refusal;
      return () => {
        refusal = before;
      };
    },
  };
  return translation;
}

// Wrong names and types are invalid input.
const isOfPlanning = (error: unknown): error is SqlError =>
  error instanceof SqlError && error.code !== 'invalidInput';

function refuseNegativeTimeout({ timeout }: Readonly<Record<string, unknown>>): void {
  if (typeof timeout !== 'number' || timeout >= 0) return;
  throw new SqlError(`Timeout [timeout] must be a non negative value, but was ${timeout}`, {
    code: 'legacyQueryException',
    persona: 'OPERATOR',
    context: { legacyErrorCode: 'Query context parse failed' },
  });
}

// The time that stands for the present, where the context names one.
function currentTimeIn({ sqlCurrentTimestamp: time }: Readonly<Record<string, unknown>>) {
  if (time === undefined || time === null) return undefined;
  if (Number.isSafeInteger(time)) return BigInt(time as number);
  if (typeof time !== 'string')
    throw new SqlError(
      `Context parameter [sqlCurrentTimestamp] must be an ISO 8601 time or milliseconds, not [${formatJson(time)}]`,
    );
  try {
    return parseFarInstant(time);
  } catch (error) {
    if (error instanceof InvalidTime) throw new SqlError(error.message);
    throw error;
  }
}

// Unknown time zones fall back to GMT (java.util.TimeZone).
function timeZoneIn({ sqlTimeZone }: Readonly<Record<string, unknown>>): string {
  if (typeof sqlTimeZone !== 'string' || sqlTimeZone === '') return 'UTC';
  try {
    return timeZoneOf(sqlTimeZone).id;
  } catch {
    return 'Etc/GMT';
  }
}

// The limit as a long of Java, of which the planner keeps 32 bits.
function outerLimitOf({ sqlOuterLimit }: Readonly<Record<string, unknown>>): number | undefined {
  if (sqlOuterLimit === undefined || sqlOuterLimit === null) return undefined;
  const isText = typeof sqlOuterLimit === 'string';
  const limit = isText && !/^[+-]?\d+$/.test(sqlOuterLimit) ? Number.NaN : Number(sqlOuterLimit);
  if (!Number.isFinite(limit) || typeof sqlOuterLimit === 'boolean')
    throw failedPlanning(
      `Expected key [sqlOuterLimit] to be in long format, but got [${String(sqlOuterLimit)}]`,
    );
  const kept = Number(BigInt.asIntN(32, BigInt(Math.trunc(limit))));
  if (kept < 0) throw failedPlanning('limit == null || limit >= 0');
  return kept;
}
