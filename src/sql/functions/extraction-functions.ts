// Extraction functions that SQL lacks, for single values (docs/querying/dimensionspecs.md).
import { bindOnce } from '../expressions/bind-once.ts';
import { toDouble } from '../expressions/casts.ts';
import { zoneOf } from '../expressions/time-text.ts';
import { groupSql, matchSql } from '../regex/pattern-sql.ts';
import { failureSql } from '../runtime/own-words.ts';
import { quote } from '../runtime/quoted.ts';
import { bigint, isNumeric, varchar } from '../types.ts';
import {
  any,
  asDouble,
  asLong,
  asText,
  druidFunction,
  knownCharacter,
  numeric,
  type ScalarCall,
  type ScalarFunction,
} from './scalar-function.ts';
import { retainingLookup } from './text.ts';

const constantText = ({ args }: ScalarCall, index: number) => String(args[index]?.constant ?? '');

const setting = { ...any, literal: 'known' as const };

/** Keyed by name in small letters. */
export const extractionFunctions: Readonly<Record<string, ScalarFunction>> = {
  // A group of the first match, even if the group did not participate. Without a match, another
  // value.
  regex_or_else: druidFunction(
    [asText, knownCharacter, setting, any],
    varchar,
    ([x = '', , , otherwise], call) => {
      const [pattern, index] = [constantText(call, 1), constantText(call, 2)];
      const group = groupSql(x, pattern, index, 'regex');
      return `CASE WHEN ${matchSql(x, pattern, 'regex')} THEN ${group} ELSE ${otherwise ?? x} END`;
    },
    { optional: 1 },
  ),
  lookup_or_itself: retainingLookup,
  // The text for a key, of pairs of keys and texts. The flag tells whether other texts stay
  // unchanged; the next argument replaces them.
  mapped_text: druidFunction(
    [asText, setting, setting, setting],
    varchar,
    ([text = '', , otherwise = 'NULL', ...pairs], { args: [, isRetained] }) => {
      const whens = pairs.flatMap((key, index) =>
        index % 2 === 0 ? [`WHEN ${key} THEN ${pairs[index + 1] ?? 'NULL'}`] : [],
      );
      return bindOnce([text], ([x = '']) => {
        const rest = isRetained?.constant === 1n ? x : otherwise;
        return whens.length === 0
          ? `(${rest})::VARCHAR`
          : `CASE ${x} ${whens.join(' ')} ELSE ${rest} END`;
      });
    },
    { variadic: true, optional: 1 },
  ),
  matching_only: druidFunction(
    [asText, knownCharacter],
    varchar,
    ([x = ''], call) => `CASE WHEN ${matchSql(x, constantText(call, 1), 'partial')} THEN ${x} END`,
  ),
  // Texts that are not times stay unchanged.
  time_or_itself: druidFunction(
    [asText, knownCharacter, knownCharacter],
    varchar,
    ([x, pattern, result]) =>
      bindOnce(
        [`druid_parse_time(${x}, ${pattern}, 'UTC')`],
        ([time]) =>
          `CASE WHEN ${time} IS NULL THEN ${x} ELSE druid_format_time(${time}, ${result}, 'UTC') END`,
      ),
  ),
  // The time of an ISO text, or of its milliseconds if the flag is set. Other texts fail.
  millis_or_fail: druidFunction([asText, asLong], bigint, ([text = ''], { args: [, flag] }) =>
    bindOnce([text], ([x = '']) => {
      const time = `CASE WHEN ${x} IS NULL THEN NULL ELSE coalesce(druid_iso_to_millis(${x}), ${failureSql(`'Invalid format: "' || ${x} || '"'`, 'illegalArgument')}::BIGINT) END`;
      return flag?.constant === 1n ? `coalesce(TRY_CAST(${x} AS BIGINT), ${time})` : time;
    }),
  ),
  // A number with a fraction cannot be read as a time.
  no_time: druidFunction([numeric], bigint, ([x = ''], { args: [value] }) => {
    const type = value?.type.name === 'FLOAT' ? 'Float' : 'Double';
    const message = `'No instant converter found for type: java.lang.${type}'`;
    return `CASE WHEN ${x} IS NOT NULL THEN ${failureSql(message, 'illegalArgument')}::BIGINT END`;
  }),
  // Whole numbers have no fraction.
  bucket_text: druidFunction(
    [numeric, asDouble, asDouble],
    varchar,
    ([x], { args: [value, size, offset], environment }) => {
      const number =
        value && isNumeric(value.type)
          ? toDouble({ ...value, sql: x ?? '' }, environment.timeZone).sql
          : `druid_text_to_double(${x})`;
      const [by, from] = [size?.sql, offset?.sql];
      return bindOnce(
        [`floor((${number} - ${from}) / ${by}) * ${by} + ${from}`],
        ([start]) =>
          `CASE WHEN ${start} = druid_double_to_long(${start}) THEN druid_double_to_long(${start})::VARCHAR ELSE druid_double_to_text(${start}) END`,
      );
    },
  ),
  format_in_locale: druidFunction(
    [asLong, knownCharacter, knownCharacter, knownCharacter],
    varchar,
    ([x, pattern, , locale], call) => {
      return `druid_format_time_in(${x}, ${pattern}, ${quote(zoneOf(constantText(call, 2)).id)}, ${locale})`;
    },
  ),
  floor_to_duration: druidFunction(
    [asLong, asLong, asLong],
    bigint,
    ([x, size, origin]) => `(druid_floor(${x} - ${origin}, ${size}) + ${origin})`,
  ),
  // A place before a text fails the query.
  before_text: druidFunction(
    [asText, asLong],
    varchar,
    ([x, index]) =>
      `CASE WHEN ${x} IS NOT NULL THEN ${failureSql(`'begin ' || ${index}`, 'textIndex')}::VARCHAR END`,
  ),
  // A float with the digits that a float has.
  float_text: druidFunction([any], varchar, ([x]) => `druid_float_to_text(${x})`),
  // A key for texts with a sort order other than the lexicographic one.
  ordering_key: druidFunction(
    [asText, knownCharacter],
    varchar,
    ([x, ordering]) => `druid_ordering_key(${x}, ${ordering})`,
  ),
};
