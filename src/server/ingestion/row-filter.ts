// Filters of a transformSpec, over fields that have no types yet (Druid: querying/filters).
import { quoted } from '../engine/sql-text.ts';
import type { RawField } from './raw-rows.ts';
import type { SpecFields } from './spec-fields.ts';

type FieldOf = (name: string) => RawField | undefined;

/** The fields a filter reads; refuses types that are not known here. */
export function filterColumns(filter: SpecFields): readonly string[] {
  const type = filter.type('DimFilter', filterTypes);
  switch (type) {
    case 'true':
    case 'false':
      return [];
    case 'and':
    case 'or':
      return filter.objects('fields').flatMap(filterColumns);
    case 'not':
      return filterColumns(filter.object('field'));
    default:
      return [columnOf(filter)];
  }
}

/** The condition that a filter is, with SQL's three truth values. */
export function filterCondition(filter: SpecFields, fieldOf: FieldOf): string {
  const type = filter.type('DimFilter', filterTypes);
  switch (type) {
    case 'true':
    case 'false':
      return type;
    case 'and':
    case 'or':
      return `(${
        filter
          .objects('fields')
          .map((field) => filterCondition(field, fieldOf))
          .join(` ${type.toUpperCase()} `) || 'true'
      })`;
    case 'not':
      return `(NOT ${filterCondition(filter.object('field'), fieldOf)})`;
    default:
      return columnCondition(type, filter, fieldOf(columnOf(filter)));
  }
}

const filterTypes = [
  'true',
  'false',
  'and',
  'or',
  'not',
  'selector',
  'equals',
  'null',
  'in',
  'inType',
  'like',
  'regex',
  'bound',
  'range',
] as const;

const columnOf = (filter: SpecFields): string => filter.optionalText('dimension') ?? filter.text('column');

function columnCondition(
  type: Exclude<(typeof filterTypes)[number], 'true' | 'false' | 'and' | 'or' | 'not'>,
  filter: SpecFields,
  field: RawField | undefined,
): string {
  // Any value of a list may match.
  const values = field ? valuesOf(field) : '[NULL::VARCHAR]';
  const some = (condition: string) => `coalesce(list_bool_or(list_transform(${values}, lambda v: ${condition})), false)`;
  switch (type) {
    case 'selector':
    case 'equals': {
      const value = filter.optionalText(type === 'equals' ? 'matchValue' : 'value');
      return value === undefined ? some('v IS NULL') : some(`v = ${quoted(value)}`);
    }
    case 'null':
      return some('v IS NULL');
    case 'in':
    case 'inType':
      return some(
        `v IN (${(filter.optionalList('values') ?? filter.optionalList('matchValues') ?? []).map((value) => quoted(String(value))).join(', ') || 'NULL'})`,
      );
    case 'like':
      return some(`v LIKE ${quoted(filter.text('pattern'))}${filter.has('escape') ? ` ESCAPE ${quoted(filter.text('escape'))}` : ''}`);
    case 'regex':
      return some(`regexp_matches(v, ${quoted(filter.text('pattern'))})`);
    case 'bound':
      return some(bounds(filter, filter.optionalText('ordering') === 'numeric', ['lower', 'lowerStrict'], ['upper', 'upperStrict']));
    case 'range':
      return some(bounds(filter, filter.optionalText('matchValueType') !== 'STRING', ['lower', 'lowerOpen'], ['upper', 'upperOpen']));
  }
}

function bounds(filter: SpecFields, numeric: boolean, lower: readonly [string, string], upper: readonly [string, string]): string {
  const compared = (value: string) => (numeric ? `TRY_CAST(${value} AS DOUBLE)` : value);
  const parts = [
    [lower, '>'],
    [upper, '<'],
  ].flatMap(([[name = '', open = ''] = [], sign]) => {
    const limit = filter.optionalText(name);
    return limit === undefined ? [] : [`${compared('v')} ${sign}${filter.truth(open) ? '' : '='} ${compared(quoted(limit))}`];
  });
  return parts.join(' AND ') || 'true';
}

const valuesOf = ({ sql, kind }: RawField): string =>
  kind === 'text' ? `[${sql}]` : `CASE WHEN json_type(${sql}) = 'ARRAY' THEN json_extract_string(${sql}, '$[*]') ELSE [${sql} ->> '$'] END`;
