// Aggregators that store the first or the last value of rows with its time, as
// `{"lhs":1704067201000,"rhs":"x"}` (Druid: SerializablePair).
import { pairTime, timeAndRow } from '../../sql/pairs.ts';
import type { SpecFields } from '../checks/spec-fields.ts';
import { itemText, numberSql } from './column-values.ts';
import type { RawField } from './raw-rows.ts';

const storedKinds = { string: 'String', long: 'Long', double: 'Double', float: 'Float' } as const;
type Kind = keyof typeof storedKinds;
const kinds = Object.keys(storedKinds) as Kind[];

export type PairType = `${Kind}${'First' | 'Last'}`;

export const pairTypes = kinds.flatMap((kind) => [`${kind}First`, `${kind}Last`] as const);

/** Settings of a pair aggregator, in the form of the API. */
export interface PairSettings {
  readonly timeColumn: string;
  readonly maxStringBytes?: number;
}

/** A metric that stores pairs, as SQL. */
interface PairMetric {
  readonly name: string;
  readonly type: string; // native
  readonly input: string;
  readonly field?: RawField;
  readonly toStored?: (input: string, time: string) => string;
  readonly combined: (pair: string, row: string) => string;
  readonly none: string; // what no row stores
}

/** Whether an aggregator's type stores pairs. */
export const isPairType = (type: string): type is PairType =>
  pairTypes.some((known) => known === type);

/** Reads the settings of a pair aggregator. Throws a Refusal for invalid ones. */
export function parsePairSettings(type: PairType, fields: SpecFields): PairSettings {
  const timeColumn = fields.optionalText('timeColumn') ?? '__time';
  if (!type.startsWith('string')) return { timeColumn };
  const maxStringBytes = fields.integer('maxStringBytes', 1024);
  if (maxStringBytes < 0 || maxStringBytes >= 2 ** 31)
    fields.refuse(`[maxStringBytes] must be between 0 and 2147483647, not [${maxStringBytes}]`);
  return { timeColumn, maxStringBytes };
}

/** Whether the times of pairs are those of the rows. */
export const readsRowTimes = ({ timeColumn }: Pick<PairSettings, 'timeColumn'>): boolean =>
  timeColumn === '__time';

/** The combination of pairs. Of pairs with the same time, the first or the last row decides. */
export const combinedPairs =
  (type: PairType) =>
  (pair: string, row: string): string =>
    `${type.endsWith('Last') ? 'arg_max' : 'arg_min'}(${pair}, ${timeAndRow(pairTime(pair), row)})`;

/** A pair aggregator over its field, and over a field with times other than those of the rows. */
export function pairMetric(
  type: PairType,
  name: string,
  { maxStringBytes = 0, ...settings }: PairSettings,
  field: RawField | undefined,
  timeField: RawField | undefined,
): PairMetric {
  const kind = kinds.find((one) => type.startsWith(one)) ?? 'string';
  const none = noPair(kind, type.endsWith('Last'));
  const pair = (value: string, time: string) =>
    kind === 'string'
      ? `CASE WHEN ${value} IS NULL OR ${time} IS NULL THEN ${none} ELSE json_object('lhs', ${time}, 'rhs', nullif(druid_cut_to_bytes(${value}, ${maxStringBytes}), '')) END`
      : `CASE WHEN ${time} IS NULL THEN ${none} ELSE json_object('lhs', ${time}, 'rhs', ${kind === 'long' ? value : fractionJson(value)}) END`;
  const metric = {
    name,
    type: `COMPLEX<serializablePairLong${storedKinds[kind]}>`,
    none,
    combined: combinedPairs(type),
  };
  const input = inputSql(kind, field);
  return readsRowTimes(settings)
    ? { ...metric, input, ...(field && kind !== 'string' && { field }), toStored: pair }
    : { ...metric, input: pair(input, numberSql('LONG', timeField)) };
}

/** A FLOAT or DOUBLE as JSON, which lacks infinities and would give a FLOAT too many digits. */
export const fractionJson = (value: string) =>
  `CASE WHEN isfinite(${value}) THEN to_json(${value}::VARCHAR::DOUBLE) ELSE to_json(druid_double_to_text(${value})) END`;

// Without a row, a pair has a time that every row precedes, or follows.
function noPair(kind: Kind, isLast: boolean): string {
  const [first, last] =
    kind === 'string'
      ? ['4611686018427387903', '-4611686018427387904']
      : ['9223372036854775807', '-9223372036854775808'];
  return `'{"lhs":${isLast ? last : first},"rhs":null}'::JSON`;
}

function inputSql(kind: Kind, field: RawField | undefined): string {
  if (kind !== 'string') return numberSql(numbers[kind], field);
  if (!field) return 'NULL::VARCHAR';
  return field.kind === 'json' ? itemText(field.sql) : field.sql;
}

const numbers = { long: 'LONG', double: 'DOUBLE', float: 'FLOAT' } as const;
