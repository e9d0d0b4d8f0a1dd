// Functions, aggregators and formats of disabled extensions, in statements and native queries.
import type { Position } from '../../sql/ast.ts';
import { invalidSql, SqlError } from '../../sql/sql-error.ts';
import type { TranslatedStatement } from '../../sql/statement.ts';
import { objectsIn } from './statement-objects.ts';

/** A disabled extension and the reason: the end of a sentence about a feature that needs it. */
export interface Lacking {
  readonly extension: keyof typeof parts;
  readonly reason: string;
}

// SQL functions of each extension, and the types of its aggregators and post-aggregators (Druid:
// "Loading extensions").
const parts = {
  'avro-extensions': [],
  'bloom-filter': [/^BLOOM_FILTER/, /^bloom$/],
  datasketches: [
    /^(DS_|HLL_SKETCH_|THETA_SKETCH_|APPROX_COUNT_DISTINCT_DS_|APPROX_QUANTILE_DS$)/,
    /^(HLL|theta|quantilesDoubles|arrayOfDoubles|kllDoubles|kllFloats)Sketch/,
  ],
  histogram: [/^APPROX_QUANTILE(_FIXED_BUCKETS)?$/, /^(approxHistogram|fixedBucketsHistogram)/],
  'parquet-extensions': [],
  stats: [
    /^(VARIANCE|VAR_POP|VAR_SAMP|STDDEV|STDDEV_POP|STDDEV_SAMP)$/,
    /^(variance|varianceFold|stddev)$/,
  ],
} as const;

/** The extensions of input formats. */
export const formatExtensions = {
  avro_ocf: 'avro-extensions',
  parquet: 'parquet-extensions',
} as const;

/** Extensions whose parts can occur in queries. */
export const queryExtensions = Object.keys(parts) as readonly (keyof typeof parts)[];

/** Whether a SQL function belongs to a disabled extension. */
export const isOff = (name: string, lacking: readonly Lacking[]): boolean =>
  reasonFor(name, 0, lacking) !== undefined;

/**
 * Refuses a parsed statement that calls a function of a disabled extension.
 * Throws SqlError.
 */
export function checkFunctions(statement: unknown, lacking: readonly Lacking[]): void {
  if (lacking.length === 0) return;
  for (const node of objectsIn(statement)) {
    if (node.kind !== 'call' || typeof node.name !== 'string') continue;
    const reason = reasonFor(node.name, 0, lacking);
    if (reason !== undefined)
      throw invalidSql(`Function [${node.name}] ${reason}`, node.nameAt as Position);
  }
}

/**
 * Refuses a native query with an aggregator, a post-aggregator or a function of a disabled
 * extension.
 * Throws SqlError.
 */
export function checkNative(
  query: Readonly<Record<string, unknown>>,
  lacking: readonly Lacking[],
): void {
  if (lacking.length === 0) return;
  for (const { type, expression } of objectsIn({ ...query, context: undefined })) {
    const reason = typeof type === 'string' ? reasonFor(type, 1, lacking) : undefined;
    if (reason !== undefined) throw new SqlError(`Type [${type}] ${reason}`);
    const [, name] =
      typeof expression === 'string' ? (/\b(bloom_filter_test)\s*\(/i.exec(expression) ?? []) : [];
    const reasonOfName = name && reasonFor(name.toUpperCase(), 0, lacking);
    if (reasonOfName) throw new SqlError(`Function [${name}] ${reasonOfName}`);
  }
}

/** Refuses a statement that reads a format of a disabled extension. Throws SqlError. */
export function checkFormats(statement: TranslatedStatement, lacking: readonly Lacking[]): void {
  const inner = statement.kind === 'explain' ? statement.statement : statement;
  const externs = inner.kind === 'select' ? inner.externs : inner.query.externs;
  for (const [format, extension] of Object.entries(formatExtensions)) {
    const reason = lacking.find((lack) => lack.extension === extension)?.reason;
    if (reason !== undefined && externs.some(({ inputFormat }) => inputFormat.type === format))
      throw new SqlError(`Input format [${format}] ${reason}`);
  }
}

const reasonFor = (name: string, which: 0 | 1, lacking: readonly Lacking[]): string | undefined =>
  lacking.find(({ extension }) => parts[extension][which]?.test(name))?.reason;
