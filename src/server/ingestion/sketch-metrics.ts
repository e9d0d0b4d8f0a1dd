// Aggregators that store sketches at ingestion: from the values of a field, or from sketches in
// base64 (Druid: the extension datasketches).
import { isLgK } from '../../sketches/hll.ts';
import { defaultKllK, isKllK, kllWidth } from '../../sketches/kll.ts';
import { defaultK, isQuantilesK } from '../../sketches/quantiles.ts';
import { isThetaSize } from '../../sketches/theta.ts';
import { defaultTupleSize, isTupleSize } from '../../sketches/tuple.ts';
import { couponFunctions } from '../../sql/functions/sketches.ts';
import type { SpecFields } from '../checks/spec-fields.ts';
import { valueSql } from './column-values.ts';
import type { RawField } from './raw-rows.ts';

export const sketchTypes = [
  'thetaSketch',
  'HLLSketchBuild',
  'HLLSketchMerge',
  'quantilesDoublesSketch',
  'KllDoublesSketch',
  'KllFloatsSketch',
  'arrayOfDoublesSketch',
] as const;
export type SketchType = (typeof sketchTypes)[number];

export interface SketchMetric {
  readonly stored: string; // the native type
  /** The sketch of one row. */
  readonly input: (field: RawField) => string;
  /** The sketch of a group's sketches. */
  readonly combined: (input: string) => string;
}

/** Whether an aggregator's type creates sketches. */
export const isSketchType = (type: string): type is SketchType =>
  sketchTypes.some((known) => known === type);

/** Reads the settings of a sketch aggregator. Throws a Refusal for invalid ones. */
export function parseSketchMetric(type: SketchType, fields: SpecFields): SketchMetric {
  if (type === 'thetaSketch') return thetaMetric(fields);
  if (type === 'arrayOfDoublesSketch') return tupleMetric(fields);
  if (type === 'KllDoublesSketch' || type === 'KllFloatsSketch') return kllMetric(type, fields);
  return type === 'quantilesDoublesSketch'
    ? quantilesMetric(fields)
    : hllMetric(fields, type === 'HLLSketchMerge');
}

function thetaMetric(fields: SpecFields): SketchMetric {
  const size = fields.integer('size', 16384);
  if (!isThetaSize(size)) fields.refuse(`[size] must be a power of 2, not [${size}]`);
  return {
    stored: 'COMPLEX<thetaSketch>',
    input: fields.truth('isInputThetaSketch')
      ? (field) => `druid_theta_read(${textSql(field)})`
      : (field) =>
          `druid_theta(${hashesSql(field, 'druid_theta_hash')}::UBIGINT[], ${size}::BIGINT)`,
    combined: (input) => `druid_theta_union(list(${input}), ${size}::BIGINT)`,
  };
}

function hllMetric(fields: SpecFields, merges: boolean): SketchMetric {
  const lgK = fields.integer('lgK', 12);
  if (!isLgK(lgK)) fields.refuse(`[lgK] must be between 4 and 21, not [${lgK}]`);
  const type = fields.optionalText('tgtHllType') ?? 'HLL_4';
  const bits =
    { HLL_4: 4, HLL_6: 6, HLL_8: 8 }[type] ??
    fields.refuse(`[tgtHllType] must be HLL_4, HLL_6 or HLL_8, not [${type}]`);
  const encoding =
    (fields.optionalText('stringEncoding') ?? 'utf16le').toLowerCase() === 'utf8'
      ? 'utf8'
      : 'utf16le';
  const settings = `${lgK}::BIGINT, ${bits}::BIGINT`;
  return {
    stored: 'COMPLEX<HLLSketch>',
    input: merges
      ? (field) => `druid_hll_read(${textSql(field)})`
      : (field) =>
          `druid_hll(${hashesSql(field, 'druid_hll_coupon', couponFunctions[encoding])}::INTEGER[], ${settings})`,
    combined: (input) => `druid_hll_union(list(${input}), ${settings})`,
  };
}

// Numbers, and texts that are numbers, are values; other texts are sketches.
function quantilesMetric(fields: SpecFields): SketchMetric {
  const k = fields.integer('k', defaultK);
  if (!isQuantilesK(k)) fields.refuse(`[k] must be a power of 2 between 2 and 32768, not [${k}]`);
  return {
    stored: 'COMPLEX<quantilesDoublesSketch>',
    input: (field) => `druid_doubles_of_text(${textSql(field)}, ${k}::BIGINT)`,
    combined: (input) => `druid_doubles_union(list(${input}), ${k}::BIGINT)`,
  };
}

function kllMetric(type: 'KllDoublesSketch' | 'KllFloatsSketch', fields: SpecFields): SketchMetric {
  const k = fields.integer('k', defaultKllK);
  if (!isKllK(k)) fields.refuse(`[k] must be between 8 and 65535, not [${k}]`);
  const settings = `${k}::BIGINT, ${kllWidth(type)}::BIGINT`;
  return {
    stored: `COMPLEX<${type}>`,
    input: (field) => `druid_kll_of_text(${textSql(field)}, ${settings})`,
    combined: (input) => `druid_kll_union(list(${input}), ${settings})`,
  };
}

// A row has one field per metric: sketches are read here, and SQL creates sketches of several
// columns.
function tupleMetric(fields: SpecFields): SketchMetric {
  const size = fields.integer('nominalEntries', defaultTupleSize);
  if (!isTupleSize(size))
    fields.refuse(`[nominalEntries] must be a power of 2 from 16 to 67108864, not [${size}]`);
  if (fields.has('metricColumns'))
    fields.refuse(
      '[metricColumns] is not supported at ingestion: store sketches in base64, or create them with DS_TUPLE_DOUBLES in INSERT or REPLACE',
    );
  return {
    stored: 'COMPLEX<arrayOfDoublesSketch>',
    input: (field) => `druid_tuple_read(${textSql(field)})`,
    combined: (input) => `druid_tuple_union(list(${input}), ${size}::BIGINT)`,
  };
}

const textSql = (field: RawField) =>
  `nullif(${valueSql('STRING', { listDelimiter: undefined, parseNumbers: false }, field)}, '')`;

// JSON numbers are hashed as numbers, and each item of a list separately; a hash of zero does not
// count.
function hashesSql({ sql, kind }: RawField, hash: string, hashOfText = hash): string {
  const ofText = (text: string) => `coalesce(${hashOfText}(${text}), 0)`;
  if (kind !== 'json') return `CASE WHEN ${sql} IS NOT NULL THEN [${ofText(sql)}] END`;
  return `CASE json_type(${sql}) WHEN 'BIGINT' THEN [${hash}_of_long(${sql}::BIGINT)] WHEN 'UBIGINT' THEN [coalesce(${hash}_of_long(TRY_CAST(${sql} AS BIGINT)), 0)]
    WHEN 'DOUBLE' THEN [${hash}_of_double(${sql}::DOUBLE)] WHEN 'ARRAY' THEN list_transform(json_extract(${sql}, '$[*]'), lambda item: ${ofText("item ->> '$'")})
    WHEN 'NULL' THEN NULL ELSE CASE WHEN ${sql} IS NOT NULL THEN [${ofText(`${sql} ->> '$'`)}] END END`;
}
