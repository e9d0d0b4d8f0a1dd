// Macros that use only DuckDB's own functions. Their results are not much larger than their
// arguments.

import { letterCaseMacros } from './letter-case.ts';
import { failureSql, unexpectedWords } from './own-words.ts';
import { quote } from './quoted.ts';

// The texts of the few doubles for which Java prints another digit than the shortest one.
const smallest = [...Array(20).keys()]
  .map((times) => (times + 1) * Number.MIN_VALUE)
  .map((value) => value.toExponential(1).replace('e', 'E'))
  .join();

// Halfway between the largest float and the next value that a larger exponent would allow.
const firstInfinite = '3.4028235677973366e38';

// DuckDB cannot cut at a larger length, and texts are never that long.
const mostCut = 2_147_483_647;

// Java's syntax of a float, without hexadecimal ones; the group is the part without spaces and
// suffix. The one-byte letters are replaced by the last letters of Unicode, which sort after all
// others.
const letters = Array.from({ length: 127 }, (_, index) => index + 1);
const asciiLetters = String.fromCodePoint(...letters);
const lettersAboveAll = String.fromCodePoint(...letters.map((code) => 0x10ff80 + code));

const javaFloat =
  '[\\x00-\\x20]*([+-]?(?:NaN|Infinity|(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?))(?:[fFdD]?)[\\x00-\\x20]*';

const radian = '0.017453292519943295e0'; // as Java has it

// A power of two as a DOUBLE.
const power = (exponent: number) => `${2n ** BigInt(exponent)}e0`;

const positiveNeeded = (name: string) =>
  failureSql(
    `'${unexpectedWords}Function[${name}] needs a positive integer as the second argument'`,
  );

/** Macro bodies by head, ordered by their dependencies. */
export const plainMacroBodies: Readonly<Record<string, string>> = {
  // ── Numbers: Java's arithmetic ──
  // The low 64 bits of a HUGEINT.
  'druid_wrap(x)':
    '(((x + 9223372036854775808::HUGEINT) & 18446744073709551615::HUGEINT) - 9223372036854775808::HUGEINT)::BIGINT',
  'druid_divide(x, y)': `CASE WHEN y = 0 AND x IS NOT NULL THEN ${failureSql("'/ by zero'", 'arithmetic')}::BIGINT WHEN y = -1 THEN druid_wrap(-(x::HUGEINT)) ELSE x // y END`,
  'druid_remainder(x, y)': `CASE WHEN y = 0 AND x IS NOT NULL THEN ${failureSql("'/ by zero'", 'arithmetic')}::BIGINT WHEN y = -1 THEN x * 0 ELSE x % y END`,
  'druid_window(value, num_rows, max_rows)': `CASE WHEN num_rows > max_rows THEN ${failureSql('to_json({windowRows: num_rows, maxRows: max_rows})::VARCHAR')} ELSE value END`,
  // The adjacent values of an integer, within 64 bits.
  'druid_next(x)': 'CASE WHEN x < 9223372036854775807 THEN x + 1 ELSE x END',
  'druid_previous(x)': 'CASE WHEN x > -9223372036854775808 THEN x - 1 ELSE x END',
  // A double as a float. Values out of range become infinite, as in Java.
  'druid_float(x)': `list_transform([x], lambda v: CASE WHEN abs(v) >= ${firstInfinite} AND isfinite(v) THEN sign(v) * 'inf'::DOUBLE ELSE v::FLOAT::DOUBLE END)[1]`,
  'druid_ten(digits)': 'pow(10, digits)::BIGINT',
  'druid_abs(x)': 'druid_wrap(abs(x::HUGEINT))',
  'druid_shift_left(x, y)': 'druid_wrap(x::HUGEINT * (1::HUGEINT << (y & 63)::INTEGER))',
  'druid_shift_right(x, y)': 'CASE WHEN x < 0 THEN ~((~x) >> (y & 63)) ELSE x >> (y & 63) END',
  'druid_double_to_long(x)': `CASE WHEN isnan(x) THEN 0 WHEN x >= 9223372036854775807e0 THEN 9223372036854775807
    WHEN x <= -9223372036854775808e0 THEN (-9223372036854775808)::BIGINT ELSE trunc(x)::BIGINT END`,
  'druid_pointed(digits)': "CASE WHEN contains(digits, '.') THEN digits ELSE digits || '.0' END",
  'druid_mantissa(digits)':
    "left(digits, 1) || '.' || CASE WHEN length(digits) > 1 THEN substr(digits, 2) ELSE '0' END",
  // Java prints the two nearest digits where one digit would be enough.
  'druid_smallest(t)': `string_split('${smallest}', ',')[(t::DOUBLE / '${Number.MIN_VALUE}'::DOUBLE)::INTEGER]`,
  'druid_scientific(digits)': `list_transform([digits], lambda t: CASE WHEN ends_with(t, 'e-324') OR ends_with(t, 'e-323') OR t = '1e-322' THEN druid_smallest(t)
    WHEN contains(t, 'e') THEN druid_pointed(split_part(t, 'e', 1)) || 'E' || split_part(t, 'e', 2)::INTEGER
    WHEN starts_with(t, '0.') THEN druid_mantissa(ltrim(substr(t, 3), '0')) || 'E-' || (length(t) - 1 - length(ltrim(substr(t, 3), '0')))
    ELSE druid_mantissa(rtrim(replace(t, '.', ''), '0')) || 'E' || (instr(t, '.') - 2) END)[1]`,
  // A whole number with its last digits rounded to a unit, as Java prints it.
  'druid_whole_text(x, unit)':
    "druid_scientific(((x::HUGEINT + unit // 2) // unit * unit)::VARCHAR || '.')",
  // Java's text of a double. DuckDB prints the same digits, but very large and very small numbers
  // in another format, and large whole numbers with fewer digits.
  'druid_double_to_text(x)': `CASE WHEN x = 0 OR (abs(x) >= 1e-3 AND abs(x) < 1e7) THEN CAST(x::DOUBLE AS VARCHAR) WHEN isnan(x) THEN 'NaN'
    ELSE CASE WHEN x < 0 THEN '-' ELSE '' END || CASE WHEN isinf(x) THEN 'Infinity'
    WHEN abs(x) >= ${power(54)} AND abs(x) < ${power(63)} THEN druid_whole_text(abs(x::DOUBLE), CASE WHEN abs(x) < ${power(58)} THEN 1 WHEN abs(x) < ${power(61)} THEN 10 ELSE 100 END)
    ELSE druid_scientific(CAST(abs(x::DOUBLE) AS VARCHAR)) END END`,
  // A FLOAT has fewer digits than the same DOUBLE.
  'druid_float_to_text(x)':
    'druid_double_to_text(CAST(CAST(druid_float(x)::FLOAT AS VARCHAR) AS DOUBLE))',
  'druid_text_to_double(x)': `CASE WHEN lower(x) = 'true' THEN 1 WHEN lower(x) = 'false' THEN 0 WHEN regexp_full_match(x, '-0+') THEN 0 WHEN regexp_full_match(x, '[+-]?(NaN|Infinity|([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?)') THEN TRY_CAST(x AS DOUBLE)
    WHEN regexp_full_match(x, '[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]') THEN TRY_CAST(left(x, -1) AS DOUBLE) END`,
  'druid_text_to_long(x)': `CASE WHEN regexp_full_match(x, '[+-]?[0-9]{1,18}') THEN CAST(x AS BIGINT)
    WHEN regexp_full_match(x, '[+-]?[0-9]+') AND TRY_CAST(x AS BIGINT) IS NOT NULL THEN CAST(x AS BIGINT)
    ELSE druid_double_to_long(druid_text_to_double(x)) END`,
  'druid_text_to_boolean(x)': `CASE lower(x) WHEN 'true' THEN true WHEN 'false' THEN false ELSE druid_text_to_long(x) > 0 END`,
  ...letterCaseMacros,
  // DuckDB fails where Java returns NaN or infinity.
  'druid_ln(x)': `CASE WHEN x > 0 THEN ln(x) WHEN x = 0 THEN '-inf'::DOUBLE WHEN x IS NOT NULL THEN 'nan'::DOUBLE END`,
  'druid_log10(x)': `CASE WHEN x > 0 THEN log10(x) WHEN x = 0 THEN '-inf'::DOUBLE WHEN x IS NOT NULL THEN 'nan'::DOUBLE END`,
  'druid_sqrt(x)': `CASE WHEN x >= 0 THEN sqrt(x) WHEN x IS NOT NULL THEN 'nan'::DOUBLE END`,
  'druid_power(x, y)': `CASE WHEN isnan(y) OR (abs(x) = 1 AND isinf(y)) THEN 'nan'::DOUBLE ELSE pow(x, y) END`,
  'druid_or_zero(x)': 'CASE WHEN isfinite(x) THEN x ELSE 0 END',
  'druid_finite(x, result)': `CASE WHEN isfinite(x) THEN result WHEN x IS NOT NULL THEN 'nan'::DOUBLE END`,
  'druid_or_unit(x)': 'CASE WHEN x BETWEEN -1 AND 1 THEN x ELSE 0 END',
  'druid_unit(x, result)': `CASE WHEN x BETWEEN -1 AND 1 THEN result WHEN x IS NOT NULL THEN 'nan'::DOUBLE END`,
  'druid_round(x)': `CASE WHEN isnan(x) THEN 0e0 WHEN isinf(x) THEN sign(x) * 1.7976931348623157e308 ELSE round(x) + 0e0 END`,
  // Rounds half up on the printed decimal digits, for 0 to 15 digits known during planning. Below
  // 1e12, a product with a power of ten is off by less than 1e-3, so that only values near a half
  // need the digits.
  'druid_round_digits(x, digits)': `CASE WHEN abs(x::DOUBLE) * pow(10e0, digits) < 1e12 AND abs(abs(x::DOUBLE) * pow(10e0, digits) % 1 - 0.5e0) > 1e-3
      THEN sign(x) * round(abs(x::DOUBLE) * pow(10e0, digits)) / pow(10e0, digits) + 0e0
    WHEN NOT isfinite(x) THEN druid_round(x) WHEN abs(x) >= 1e17 THEN x::DOUBLE
    WHEN abs(x) < 1e-3 THEN druid_read_double(round(x::DOUBLE::VARCHAR::DECIMAL(38, 37), digits))
    WHEN abs(x) < 1e15 THEN druid_read_double(round(x::DOUBLE::VARCHAR::DECIMAL(38, 20), digits))
    ELSE druid_read_double(round(x::DOUBLE::VARCHAR::DECIMAL(38, 5), digits)) END`,
  'druid_read_double(x)': 'x::VARCHAR::DOUBLE',
  'druid_round_long(x, digits)':
    'CASE WHEN digits >= 0 THEN x WHEN digits < -18 THEN x * 0 ELSE druid_wrap(((abs(x::HUGEINT) + druid_ten(-digits) // 2) // druid_ten(-digits)) * druid_ten(-digits) * sign(x)) END',
  'druid_truncate_to(x, digits)':
    'druid_double_to_long(x * pow(10e0, digits))::DOUBLE / pow(10e0, digits)',
  'druid_truncate_long(x, digits)':
    'CASE WHEN digits > 0 THEN druid_double_to_long(druid_truncate_to(x::DOUBLE, digits)) WHEN digits = 0 THEN x WHEN digits < -18 THEN x * 0 ELSE x // druid_ten(-digits) * druid_ten(-digits) END',
  // ── Coordinates: a text of comma-separated numbers, as floats; null if a part is not a number
  'druid_is_coordinate(part)': `regexp_full_match(part, '${javaFloat}')`,
  'druid_is_coordinates(text)':
    "len(list_filter(string_split(text, ','), lambda part: NOT druid_is_coordinate(part))) = 0",
  'druid_coordinates(text)': `CASE WHEN druid_is_coordinates(text)
    THEN list_transform(string_split(text, ','), lambda part: druid_float(TRY_CAST(regexp_extract(part, '${javaFloat}', 1) AS DOUBLE))) END`,
  'druid_point(name, text)': `CASE WHEN len(string_split(text, ',')) = 2 THEN text
    ELSE ${failureSql("'Spatial dimension [' || name || '] has a value of [' || len(string_split(text, ',')) || '] coordinates, and takes two'")} END`,
  // The stored value of a spatial dimension: its own values, or else the values of its parts. The
  // index accepts points with two coordinates.
  'druid_spatial_value(name, own, parts)': `list_transform([{own: own, parts: parts}], lambda given: CASE
    WHEN len(given.own) > 1 THEN ${failureSql("'Spatial dimension [' || name || '] has several values in a row, and takes one'")}
    WHEN len(given.own) = 1 THEN CASE WHEN druid_is_coordinates(given.own[1]) THEN druid_point(name, given.own[1]) END
    ELSE list_transform([flatten(list_filter(given.parts, lambda part: len(list_filter(part, lambda item: druid_is_coordinate(item))) = len(part)))], lambda found:
      CASE WHEN len(found) = len(given.parts) AND len(found) > 0 THEN druid_point(name, array_to_string(found, ',')) END)[1] END)[1]`,
  'druid_in_rectangle(text, low_x, low_y, high_x, high_y)': `list_transform([druid_coordinates(text)], lambda p: len(p) >= 2
    AND (isnan(p[1]) OR p[1] BETWEEN low_x AND high_x) AND (isnan(p[2]) OR p[2] BETWEEN low_y AND high_y))[1]`,
  'druid_in_circle(text, x, y, most)': `list_transform([druid_coordinates(text)], lambda p: len(p) >= 2
    AND pow(druid_float(p[1] - x), 2) + pow(druid_float(p[2] - y), 2) <= most)[1]`,
  'druid_haversine(to_y, to_x, y, x)':
    'sin((to_y - y) / 2) * sin((to_y - y) / 2) + cos(y) * cos(to_y) * sin((to_x - x) / 2) * sin((to_x - x) / 2)',
  // By the haversine formula, in meters on a sphere.
  'druid_in_distance(text, latitude, longitude, most)': `list_transform([druid_coordinates(text)], lambda p: len(p) >= 2 AND isfinite(p[1]) AND isfinite(p[2])
    AND list_transform([druid_haversine(druid_or_zero(p[1]) * ${radian}, druid_or_zero(p[2]) * ${radian}, latitude * ${radian}, longitude * ${radian})], lambda a:
      6371000e0 * (2 * atan2(sqrt(greatest(a, 0)), sqrt(greatest(1 - a, 0)))))[1] <= most)[1]`,
  'druid_side(crossing, x)':
    'list_transform([crossing], lambda c: CASE WHEN c = x THEN 2 WHEN c < x THEN 1 ELSE 0 END)[1]',
  'druid_edge(e, x, y)': `CASE WHEN e.x = x AND e.y = y THEN 2 WHEN e.rise = 0 THEN CASE WHEN e.y = y AND x BETWEEN least(e.x, e.to_x) AND greatest(e.x, e.to_x) THEN 2 ELSE 0 END
    WHEN y BETWEEN least(e.y, e.to_y) AND greatest(e.y, e.to_y) AND (e.to_x <= x OR e.x <= x)
    THEN druid_side(druid_float(e.x + druid_float(druid_float(druid_float(y - e.y) / e.rise) * e.run)), x) ELSE 0 END`,
  // Inside an odd number of edges, or on an edge.
  'druid_in_polygon(text, edges)': `list_transform([druid_coordinates(text)], lambda p: len(p) >= 2 AND list_transform(
    [list_transform(edges, lambda e: druid_edge(e, p[1], p[2]))], lambda states: list_contains(states, 2) OR list_sum(states) % 2 = 1)[1])[1]`,
  // ── Multi-value strings and arrays ──
  'druid_any(conditions)':
    'CASE WHEN list_contains(conditions, true) THEN true WHEN list_count(conditions) = len(conditions) AND len(conditions) > 0 THEN false END',
  'druid_any_equal(items, wanted)':
    'CASE WHEN list_contains(items, wanted) THEN true WHEN list_count(items) = len(items) AND len(items) > 0 THEN false END',
  'druid_any_null(items)':
    'coalesce(len(items) = 0 OR len(items) > len(list_filter(items, lambda item: item IS NOT NULL)), true)',
  // Java's arrays: null is a value like others, and a null array makes the result null.
  'druid_list(item)': 'CASE WHEN item IS NOT NULL THEN [item] END',
  'druid_has_null(items)': 'len(list_filter(items, lambda item: item IS NULL)) > 0',
  'druid_contains(items, wanted)':
    'CASE WHEN items IS NULL THEN NULL WHEN wanted IS NULL THEN druid_has_null(items) ELSE list_contains(items, wanted) END',
  // For an item that is read from a text: a text that cannot be read is in no list.
  'druid_contains_read(items, item, text)':
    'CASE WHEN items IS NOT NULL AND item IS NULL AND text IS NOT NULL THEN false ELSE druid_contains(items, item) END',
  'druid_shares(items, others)':
    'list_has_any(items, others) OR (druid_has_null(items) AND druid_has_null(others))',
  'druid_contains_all(items, wanted)':
    'CASE WHEN items IS NULL THEN NULL WHEN wanted IS NULL THEN false ELSE list_has_all(items, wanted) AND (druid_has_null(items) OR NOT druid_has_null(wanted)) END',
  'druid_overlap(items, others)':
    'CASE WHEN items IS NULL THEN NULL WHEN others IS NULL THEN false ELSE druid_shares(items, others) END',
  'druid_values(items)': 'CASE WHEN items IS NULL OR len(items) = 0 THEN [NULL] ELSE items END',
  'druid_only_value(items, name)': `CASE WHEN len(items) > 1 THEN ${failureSql("'Encountered multi-value dimension [' || name || '] that cannot be processed with [groupByEnableMultiValueUnnesting] set to false. Set it to true in the query context'", 'state')} ELSE druid_values(items) END`,
  'druid_items(items)': 'CASE WHEN items IS NULL THEN [NULL] ELSE items END',
  'druid_values_overlap(items, others)': `CASE WHEN others IS NULL THEN NULL WHEN druid_shares(items, others) THEN true
    WHEN druid_has_null(items) AND NOT druid_has_null(others) THEN NULL ELSE false END`,
  'druid_in(item, items)':
    'CASE WHEN item IS NULL THEN CASE WHEN druid_has_null(items) THEN true END ELSE druid_contains(items, item) END',
  'druid_nonempty(items)': 'CASE WHEN len(items) > 0 THEN items END',
  'druid_index_of(items, wanted)': `nullif(CASE WHEN wanted IS NULL THEN list_position(list_transform(items, lambda item: item IS NULL), true)
    ELSE list_position(items, wanted) END, 0)::BIGINT`,
  'druid_slice_from(items, start)':
    'CASE WHEN start >= 0 AND start <= len(items) THEN list_slice(items, start + 1, len(items)) END',
  // A character of UTF-8 has at most four bytes.
  'druid_cut_to_bytes(text, most)': `list_transform([text], lambda t: CASE WHEN strlen(t) > most THEN
    coalesce(try(decode(encode(t)[1:most])), try(decode(encode(t)[1:greatest(most - 1, 0)])), try(decode(encode(t)[1:greatest(most - 2, 0)])), try(decode(encode(t)[1:greatest(most - 3, 0)])), '') ELSE t END)[1]`,
  'druid_signed_bytes(words)': `translate(words, ${quote(asciiLetters)}, ${quote(lettersAboveAll)})`,
  'druid_only(items)': 'CASE WHEN len(items) = 1 THEN items[1] END',
  'druid_at(items, index)': 'CASE WHEN index >= 0 THEN items[druid_next(index)] END',
  'druid_array_quantile(items, rank)':
    "CASE WHEN items IS NOT NULL THEN coalesce(list_aggregate(items, 'quantile_cont', rank), 'nan'::DOUBLE) END",
  'druid_ordered(items)':
    'list_transform(items, lambda item: {known: item IS NOT NULL, item: item})',
  'druid_sorted_arrays(arrays)': `list_transform(list_sort(list_transform(arrays,
    lambda whole: {known: whole IS NOT NULL, ordered: druid_ordered(whole), whole: whole})), lambda sorted: sorted.whole)`,
  // ── Text, counted in UTF-16 units ──
  'druid_is_plain(x)':
    "(strlen(x) = length(x) OR NOT regexp_matches(x, '[\\x{10000}-\\x{10FFFF}]'))",
  'druid_length(x)':
    "CASE WHEN druid_is_plain(x) THEN length(x) ELSE length(x) + length(regexp_replace(x, '[^\\x{10000}-\\x{10FFFF}]', '', 'g')) END",
  // A mark after each character of two units turns character positions into unit positions. Half of
  // such a character becomes a replacement character.
  'druid_marked(x)': String.raw`regexp_replace(x, '([\x{10000}-\x{10FFFF}])', concat('\1', chr(64976)), 'g')`,
  'druid_unmarked(x)': String.raw`regexp_replace(regexp_replace(regexp_replace(x, '[\x{10000}-\x{10FFFF}]\z', chr(65533)), '\A\x{FDD0}', chr(65533)),
    '([\x{10000}-\x{10FFFF}])\x{FDD0}', '\1', 'g')`,
  'druid_utf16_substring(x, start, size)':
    'druid_unmarked(CASE WHEN size < 0 THEN substr(druid_marked(x), start + 1) ELSE substr(druid_marked(x), start + 1, size) END)',
  'druid_substring(x, start, size)': `CASE WHEN x IS NOT NULL AND start < 0 THEN ${failureSql(`'${unexpectedWords}Function[substring] encountered unknown exception.'`)}::VARCHAR
    WHEN start >= druid_length(x) THEN NULL WHEN druid_is_plain(x) THEN
    CASE WHEN size < 0 OR size > ${mostCut} THEN substr(x, start + 1) ELSE substr(x, start + 1, size) END
    ELSE druid_utf16_substring(x, start, CASE WHEN size > ${mostCut} THEN -1 ELSE size END) END`,
  'druid_left(x, size)': `CASE WHEN x IS NOT NULL AND size < 0 THEN ${positiveNeeded('left')}::VARCHAR
    WHEN size > ${mostCut} THEN x WHEN druid_is_plain(x) THEN left(x, size) ELSE druid_utf16_substring(x, 0, size) END`,
  'druid_right(x, size)': `CASE WHEN x IS NOT NULL AND size < 0 THEN ${positiveNeeded('right')}::VARCHAR
    WHEN size > ${mostCut} THEN x WHEN druid_is_plain(x) THEN right(x, size) ELSE druid_utf16_substring(x, greatest(0, druid_length(x) - size), -1) END`,
  'druid_position(x, part)': `CASE WHEN x IS NOT NULL AND part = '' THEN 1 WHEN druid_is_plain(x) OR instr(x, part) = 0 THEN instr(x, part)
    ELSE druid_length(left(x, instr(x, part) - 1)) + 1 END`,
  // The text is bound once. If it were repeated, an aggregate inside it would take seconds to plan.
  'druid_position_from(x, part, start)': `list_transform([x], lambda whole: CASE WHEN start <= 1 THEN druid_position(whole, part)
    WHEN start > druid_length(whole) THEN CASE WHEN part = '' THEN druid_length(whole) + 1 ELSE 0 END ELSE list_transform([druid_substring(whole, start - 1, -1)], lambda rest:
    CASE WHEN druid_position(rest, part) = 0 THEN 0 ELSE druid_position(rest, part) + start - 1 END)[1] END)[1]`,
  'druid_decode_complex(x)': `CASE WHEN regexp_full_match(x, '([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?') THEN from_base64(x)
    WHEN x IS NOT NULL THEN ${failureSql("'Function[decode_base64_complex] second argument must be text in base64'")}::BLOB END`,
  // First a group that is not empty in any match, then any group that participates in each match.
  'druid_match_text(x, pattern, place)': "nullif(regexp_extract(x, pattern, place), '')",
  'druid_match_group(x, pattern, place)':
    'CASE WHEN regexp_matches(x, pattern) THEN regexp_extract(x, pattern, place) END',
  // ── Times ──
  'druid_modulo(x, size)': '(((x % size) + size) % size)',
  'druid_ceil(x, start, next)': 'CASE WHEN start = x THEN x ELSE next END',
  'druid_floor(x, size)': '(x - ((x % size) + size) % size)',
  // Before 1970, the engine rounds several hours up.
  'druid_floor_hours(x, size)':
    'druid_floor(x, size) + CASE WHEN x < 0 AND x % size <> 0 THEN size ELSE 0 END',
  'druid_ceil_hours(x, size)':
    'CASE WHEN x % size = 0 THEN x ELSE druid_floor_hours(x, size) + size END',
  'druid_local(x, zone)': "epoch_ms(timezone(zone, timezone('UTC', make_timestamp_ms(x))))",
  'druid_instant(x, zone)': 'epoch_ms(timezone(zone, make_timestamp_ms(x)))',
  'druid_long_to_int(x)': 'xor(x & 4294967295, 2147483648) - 2147483648', // Java: (int) x
  'druid_add_months(x, months)': 'epoch_ms(make_timestamp_ms(x) + to_months(months::INTEGER))',
  // ── Addresses ──
  'druid_ipv4(x)': 'CASE WHEN x BETWEEN 0 AND 4294967295 THEN x END',
  // ── Nested data ──
  'druid_json(x)': "CASE WHEN x::VARCHAR <> 'null' THEN x END",
  // A scalar as text: conditions are 1 and 0, an array of one scalar is that scalar.
  'druid_json_text(x)': `CASE json_type(x) WHEN 'DOUBLE' THEN druid_double_to_text(x::DOUBLE) WHEN 'BOOLEAN' THEN (x::BOOLEAN)::BIGINT::VARCHAR
    WHEN 'VARCHAR' THEN x ->> '$' WHEN 'BIGINT' THEN x::VARCHAR WHEN 'UBIGINT' THEN CASE WHEN x::UBIGINT > 9223372036854775807 THEN druid_wrap(x::HUGEINT)::VARCHAR ELSE x::VARCHAR END END`,
  'druid_json_boolean(x)': `CASE json_type(x) WHEN 'DOUBLE' THEN x::DOUBLE >= 1 WHEN 'BOOLEAN' THEN x::BOOLEAN
    WHEN 'VARCHAR' THEN lower(x ->> '$') = 'true' WHEN 'BIGINT' THEN false WHEN 'UBIGINT' THEN x::UBIGINT > 0 END`,
  'druid_json_number(x)': `CASE json_type(x) WHEN 'OBJECT' THEN NULL WHEN 'ARRAY' THEN NULL WHEN 'NULL' THEN NULL WHEN 'BOOLEAN' THEN (x::BOOLEAN)::BIGINT::DOUBLE
    WHEN 'VARCHAR' THEN druid_text_to_double(x ->> '$') ELSE x::DOUBLE END`,
  'druid_json_value(x)':
    "list_transform([CASE WHEN json_array_length(x) = 1 THEN json_extract(x, '$[0]') ELSE x END], lambda one: druid_json_text(one))[1]",
  // A field as a scan shows it: a list of scalars is one of texts.
  'druid_json_shown(x)': `CASE WHEN json_type(x) = 'ARRAY' THEN to_json(druid_json_texts(x))::VARCHAR ELSE druid_json_text(x) END`,
  'druid_json_array(x)': `CASE WHEN x IS NOT NULL THEN CASE json_type(x) WHEN 'ARRAY' THEN CAST(x AS JSON[]) WHEN 'OBJECT' THEN NULL WHEN 'NULL' THEN NULL WHEN 'BOOLEAN' THEN [to_json((x::BOOLEAN)::BIGINT)] ELSE [x] END END`,
  'druid_json_texts(x)': `CASE WHEN json_type(x) = 'ARRAY' AND len(list_filter(CAST(x AS JSON[]), lambda item: json_type(item) IN ('OBJECT', 'ARRAY'))) = 0
    THEN list_transform(CAST(x AS JSON[]), lambda item: CASE json_type(item) WHEN 'NULL' THEN NULL WHEN 'DOUBLE' THEN druid_double_to_text(item::DOUBLE) ELSE item ->> '$' END) ELSE list_transform([druid_json_text(x)], lambda one: CASE WHEN one IS NOT NULL THEN [one] END)[1] END`,
  'druid_json_keys(x)': `CASE json_type(x) WHEN 'OBJECT' THEN json_keys(x)
    WHEN 'ARRAY' THEN list_transform(range(json_array_length(x)::BIGINT), lambda item: item::VARCHAR) END`,
  'druid_json_double(x)': `CASE WHEN isfinite(x) THEN druid_double_to_text(x)::JSON ELSE to_json(druid_double_to_text(x)) END`,
};
