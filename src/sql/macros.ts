// What DuckDB says in many words, named. The engine creates these macros when it starts; the functions they call are in scalar-functions.ts.

// In characters. DuckDB makes a text in one go, which nothing interrupts; a gigabyte of it took minutes.
const longestText = 10_000_000;

/** `CREATE MACRO` statements, in an order in which each finds what it uses. */
export const macros: readonly string[] = Object.entries({
  // ── Numbers: Java's arithmetic ──
  // The low 64 bits of a HUGEINT.
  'druid_wrap(x)': '(((x + 9223372036854775808::HUGEINT) & 18446744073709551615::HUGEINT) - 9223372036854775808::HUGEINT)::BIGINT',
  'druid_divide(x, y)': "CASE WHEN y = 0 THEN error('/ by zero')::BIGINT WHEN y = -1 THEN druid_wrap(-(x::HUGEINT)) ELSE x // y END",
  'druid_remainder(x, y)': "CASE WHEN y = 0 THEN error('/ by zero')::BIGINT WHEN y = -1 THEN x * 0 ELSE x % y END",
  'druid_window(value, num_rows, max_rows)':
    "CASE WHEN num_rows > max_rows THEN error('Window of [' || num_rows || '] rows, at most [' || max_rows || ']') ELSE value END",
  'druid_ten(digits)': 'pow(10, digits)::BIGINT',
  'druid_abs(x)': 'coalesce(try(abs(x)), x)',
  'druid_shift_left(x, y)': 'druid_wrap(x::HUGEINT * (1::HUGEINT << (y & 63)::INTEGER))',
  'druid_shift_right(x, y)': 'CASE WHEN x < 0 THEN ~((~x) >> (y & 63)) ELSE x >> (y & 63) END',
  'druid_double_to_long(x)': `CASE WHEN isnan(x) THEN 0 WHEN x >= 9223372036854775807e0 THEN 9223372036854775807
    WHEN x <= -9223372036854775808e0 THEN (-9223372036854775808)::BIGINT ELSE trunc(x)::BIGINT END`,
  'druid_double_to_text(x)': `CASE WHEN x = 0 OR (abs(x) >= 1e-3 AND abs(x) < 1e7) THEN CAST(x::DOUBLE AS VARCHAR) ELSE druid_java_double(x::DOUBLE) END`,
  'druid_text_to_double(x)': `CASE WHEN lower(x) = 'true' THEN 1 WHEN lower(x) = 'false' THEN 0 WHEN regexp_full_match(x, '-0+') THEN 0 WHEN regexp_full_match(x, '[+-]?(NaN|Infinity|([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?)') THEN TRY_CAST(x AS DOUBLE)
    WHEN regexp_full_match(x, '[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]') THEN TRY_CAST(left(x, -1) AS DOUBLE) END`,
  'druid_text_to_long(x)': `CASE WHEN regexp_full_match(x, '[+-]?[0-9]{1,18}') THEN CAST(x AS BIGINT)
    WHEN regexp_full_match(x, '[+-]?[0-9]+') AND TRY_CAST(x AS BIGINT) IS NOT NULL THEN CAST(x AS BIGINT)
    ELSE druid_double_to_long(druid_text_to_double(x)) END`,
  'druid_text_to_boolean(x)': `CASE lower(x) WHEN 'true' THEN true WHEN 'false' THEN false ELSE druid_text_to_long(x) > 0 END`,
  // DuckDB fails where Java gives NaN or infinity.
  'druid_ln(x)': `CASE WHEN x > 0 THEN ln(x) WHEN x = 0 THEN '-inf'::DOUBLE WHEN x IS NOT NULL THEN 'nan'::DOUBLE END`,
  'druid_log10(x)': `CASE WHEN x > 0 THEN log10(x) WHEN x = 0 THEN '-inf'::DOUBLE WHEN x IS NOT NULL THEN 'nan'::DOUBLE END`,
  'druid_sqrt(x)': `CASE WHEN x >= 0 THEN sqrt(x) WHEN x IS NOT NULL THEN 'nan'::DOUBLE END`,
  'druid_power(x, y)': `CASE WHEN isnan(y) OR (abs(x) = 1 AND isinf(y)) THEN 'nan'::DOUBLE ELSE pow(x, y) END`,
  'druid_or_zero(x)': 'CASE WHEN isfinite(x) THEN x ELSE 0 END',
  'druid_finite(x, result)': `CASE WHEN isfinite(x) THEN result WHEN x IS NOT NULL THEN 'nan'::DOUBLE END`,
  'druid_or_unit(x)': 'CASE WHEN x BETWEEN -1 AND 1 THEN x ELSE 0 END',
  'druid_unit(x, result)': `CASE WHEN x BETWEEN -1 AND 1 THEN result WHEN x IS NOT NULL THEN 'nan'::DOUBLE END`,
  'druid_round(x)': `CASE WHEN isnan(x) THEN 0e0 WHEN isinf(x) THEN sign(x) * 1.7976931348623157e308 ELSE round(x) + 0e0 END`,
  'druid_round_to(x, digits)': 'CASE WHEN isfinite(x) THEN druid_java_round(x::DOUBLE, digits) ELSE druid_round(x) END',
  'druid_round_long(x, digits)':
    'CASE WHEN digits >= 0 THEN x WHEN digits < -18 THEN x * 0 ELSE druid_wrap(((abs(x::HUGEINT) + druid_ten(-digits) // 2) // druid_ten(-digits)) * druid_ten(-digits) * sign(x)) END',
  'druid_truncate_to(x, digits)': 'druid_double_to_long(x * pow(10e0, digits))::DOUBLE / pow(10e0, digits)',
  'druid_truncate_long(x, digits)':
    'CASE WHEN digits > 0 THEN druid_double_to_long(druid_truncate_to(x::DOUBLE, digits)) WHEN digits = 0 THEN x WHEN digits < -18 THEN x * 0 ELSE x // druid_ten(-digits) * druid_ten(-digits) END',
  // ── Multi-value strings and arrays ──
  'druid_any(conditions)': `CASE WHEN conditions IS NULL OR len(conditions) = 0 THEN NULL WHEN list_contains(conditions, true) THEN true
    WHEN list_contains(conditions, false) AND len(conditions) = len(list_filter(conditions, lambda c: c IS NOT NULL)) THEN false END`,
  'druid_any_null(items)': 'coalesce(len(items) = 0 OR len(items) > len(list_filter(items, lambda item: item IS NOT NULL)), true)',
  // Java's arrays: null is a value like others, a missing array makes the result null.
  'druid_list(item)': 'CASE WHEN item IS NOT NULL THEN [item] END',
  'druid_append(items, item)': 'CASE WHEN items IS NOT NULL THEN list_append(items, item) END',
  'druid_prepend(item, items)': 'CASE WHEN items IS NOT NULL THEN list_prepend(item, items) END',
  'druid_concat(items, others)': 'CASE WHEN items IS NOT NULL AND others IS NOT NULL THEN list_concat(items, others) END',
  'druid_has_null(items)': 'len(list_filter(items, lambda item: item IS NULL)) > 0',
  'druid_contains(items, wanted)':
    'CASE WHEN items IS NULL THEN NULL WHEN wanted IS NULL THEN druid_has_null(items) ELSE list_contains(items, wanted) END',
  'druid_contains_all(items, wanted)':
    'CASE WHEN items IS NULL THEN NULL WHEN wanted IS NULL THEN false ELSE len(list_filter(wanted, lambda w: NOT druid_contains(items, w))) = 0 END',
  'druid_overlap(items, others)':
    'CASE WHEN items IS NULL THEN NULL WHEN others IS NULL THEN false ELSE len(list_filter(others, lambda o: druid_contains(items, o))) > 0 END',
  'druid_values(items)': 'CASE WHEN items IS NULL OR len(items) = 0 THEN [NULL::VARCHAR] ELSE items END',
  'druid_values_overlap(items, others)': `CASE WHEN others IS NULL THEN NULL WHEN len(list_filter(others, lambda o: druid_contains(items, o))) > 0 THEN true
    WHEN druid_has_null(items) AND NOT druid_has_null(others) THEN NULL ELSE false END`,
  'druid_in(item, items)': 'CASE WHEN item IS NULL THEN CASE WHEN druid_has_null(items) THEN true END ELSE druid_contains(items, item) END',
  'druid_nonempty(items)': 'CASE WHEN len(items) > 0 THEN items END',
  'druid_index_of(items, wanted)': `nullif(CASE WHEN wanted IS NULL THEN list_position(list_transform(items, lambda item: item IS NULL), true)
    ELSE list_position(items, wanted) END, 0)::BIGINT`,
  // Beyond the end there are nulls, but a start beyond it gives null.
  'druid_slice(items, start, stop)':
    'CASE WHEN start >= 0 AND start <= len(items) AND stop >= start THEN list_resize(list_slice(items, start + 1, stop), stop - start) END',
  'druid_slice_from(items, start)': 'CASE WHEN start >= 0 AND start <= len(items) THEN list_slice(items, start + 1, len(items)) END',
  // A list of one is its value, also when that is null.
  'druid_list_to_text(items, separator)': `CASE len(items) WHEN 0 THEN '' WHEN 1 THEN items[1]
    ELSE array_to_string(list_transform(items, lambda item: coalesce(item, 'null')), separator) END`,
  // The same with a separator that is not known while planning.
  'druid_list_to_text_by(items, separator)': `CASE WHEN len(items) < 2 THEN druid_list_to_text(items, '')
    ELSE list_reduce(list_transform(items, lambda item: coalesce(item, 'null')), lambda text, item: text || separator || item) END`,
  'druid_at(items, index)': 'CASE WHEN index >= 0 THEN items[index + 1] END',
  // A list as Java prints it, a list of one as its value.
  'druid_list_text(items)': `CASE WHEN len(items) = 1 THEN items[1] ELSE '[' || array_to_string(list_transform(items, lambda item: coalesce(item, 'null')), ', ') || ']' END`,
  'druid_joined(items, separator)': 'CASE WHEN len(items) > 0 THEN array_to_string(items, separator) END',
  // Each value once, null among them.
  'druid_set(items)': `CASE WHEN list_contains(list_transform(items, lambda item: item IS NULL), true) THEN list_append(list_distinct(items), NULL) ELSE list_distinct(items) END`,
  'druid_too_large(size, most, type)': `error('Exceeded memory usage when aggregating type [' || type || '], size [' || size || '] is larger than max [' || most || ']')`,
  'druid_size(items)': '5 + len(items) + 8 * len(list_filter(items, lambda item: item IS NOT NULL))',
  'druid_size_of_texts(items)': '5 + list_sum(list_transform(items, lambda item: coalesce(5 + strlen(item), 1)))',
  'druid_sized(items, most, type)':
    'CASE WHEN druid_size(items) > most THEN [druid_too_large(druid_size(items), most, type)] ELSE items END',
  'druid_sized_texts(items, most, type)':
    'CASE WHEN druid_size_of_texts(items) > most THEN [druid_too_large(druid_size_of_texts(items), most, type)::VARCHAR] ELSE items END',
  'druid_ordered(items)': 'list_transform(items, lambda item: {known: item IS NOT NULL, item: item})',
  // ── Text, counted in UTF-16 units ──
  'druid_length(x)':
    "CASE WHEN strlen(x) = length(x) THEN length(x) ELSE length(x) + length(regexp_replace(x, '[^\\x{10000}-\\x{10FFFF}]', '', 'g')) END",
  'druid_is_plain(x)': "(strlen(x) = length(x) OR NOT regexp_matches(x, '[\\x{10000}-\\x{10FFFF}]'))",
  'druid_substring(x, start, size)': `CASE WHEN start < 0 THEN error('Function[substring] needs a positive integer as the second argument')::VARCHAR
    WHEN start >= druid_length(x) THEN NULL WHEN druid_is_plain(x) THEN
    CASE WHEN size < 0 THEN substr(x, start + 1) ELSE substr(x, start + 1, size) END ELSE druid_utf16_substring(x, start, size) END`,
  'druid_left(x, size)': `CASE WHEN size < 0 THEN error('Function[left] needs a positive integer as the second argument')::VARCHAR
    WHEN druid_is_plain(x) THEN left(x, size) ELSE druid_utf16_substring(x, 0, size) END`,
  'druid_right(x, size)': `CASE WHEN size < 0 THEN error('Function[right] needs a positive integer as the second argument')::VARCHAR
    WHEN druid_is_plain(x) THEN right(x, size) ELSE druid_utf16_substring(x, greatest(0, druid_length(x) - size), -1) END`,
  'druid_position(x, part)': `CASE WHEN x IS NOT NULL AND part = '' THEN 1 WHEN druid_is_plain(x) OR instr(x, part) = 0 THEN instr(x, part)
    ELSE druid_length(left(x, instr(x, part) - 1)) + 1 END`,
  // The text is bound once: written out each time it is used, an aggregate inside would take seconds to plan.
  'druid_position_from(x, part, start)': `list_transform([x], lambda whole: CASE WHEN start <= 1 THEN druid_position(whole, part)
    WHEN start > druid_length(whole) THEN 0 ELSE list_transform([druid_substring(whole, start - 1, -1)], lambda rest:
    CASE WHEN druid_position(rest, part) = 0 THEN 0 ELSE druid_position(rest, part) + start - 1 END)[1] END)[1]`,
  // Between all characters there is an empty part.
  'druid_replace(x, part, other)': `CASE WHEN part <> '' THEN replace(x, part, other) WHEN x = '' THEN other
    WHEN part = '' THEN other || array_to_string(list_transform(string_split(x, ''), lambda item: item || other), '') END`,
  'druid_too_long(name)': `error('Function[' || name || '] makes texts of at most [${longestText}] characters')::VARCHAR`,
  'druid_pad(x, size, padding, side)': `CASE WHEN x IS NULL OR padding IS NULL OR size = 0 THEN NULL WHEN size < 0 THEN ''
    WHEN size <= druid_length(x) THEN druid_left(x, size) WHEN padding = '' THEN x
    WHEN size > ${longestText} THEN druid_too_long(side[1] || 'pad') WHEN side = 'left' THEN lpad(x, (size - druid_length(x) + length(x))::INTEGER, padding)
    ELSE rpad(x, (size - druid_length(x) + length(x))::INTEGER, padding) END`,
  'druid_repeat(x, times)': `CASE WHEN times > ${longestText} // greatest(strlen(x), 1) THEN druid_too_long('repeat') WHEN times >= 1 THEN repeat(x, times) END`,
  'druid_re2_extract(x, pattern)': 'CASE WHEN regexp_matches(x, pattern) THEN regexp_extract(x, pattern) END',
  // ── Times ──
  'druid_modulo(x, size)': '(((x % size) + size) % size)',
  'druid_ceil(x, start, next)': 'CASE WHEN start = x THEN x ELSE next END',
  'druid_floor(x, size)': '(x - ((x % size) + size) % size)',
  // The engine rounds several hours up on days before 1970.
  'druid_floor_hours(x, size)': 'druid_floor(x, size) + CASE WHEN x < 0 AND x % size <> 0 THEN size ELSE 0 END',
  'druid_ceil_hours(x, size)': 'CASE WHEN x % size = 0 THEN x ELSE druid_floor_hours(x, size) + size END',
  'druid_local(x, zone)': "epoch_ms(timezone(zone, timezone('UTC', make_timestamp_ms(x))))",
  'druid_instant(x, zone)': 'epoch_ms(timezone(zone, x))',
  'druid_floor_local(x, unit, zone)': "druid_instant(date_trunc(unit, timezone(zone, timezone('UTC', make_timestamp_ms(x)))), zone)",
  'druid_add_months(x, months)': 'epoch_ms(make_timestamp_ms(x) + to_months(months::INTEGER))',
  'druid_add_months_local(x, months, zone)':
    "druid_instant(timezone(zone, timezone('UTC', make_timestamp_ms(x))) + to_months(months::INTEGER), zone)",
  // ── Sketches, as exact lists ──
  // What an HLL sketch of few values says: each pair of them may have met in one of 2^26 slots.
  'druid_hll_estimate(n)': '(n + n * (n - 1) / 6e0 / 67108864e0)::DOUBLE',
  // Its relative error, 0.409 of a slot in 2^13, as often as deviations are asked for.
  'druid_hll_bounds(n, deviations)': '[druid_hll_estimate(n), n::DOUBLE, druid_hll_estimate(n) / (1 - deviations * 0.409e0 / 8192)]',
  // What the engine's own sketch of 2,048 registers says: a few values meet in none of them, many are counted well.
  'druid_unique_estimate(n)': '(CASE WHEN n <= 40 THEN 2048e0 * ln(2048e0 / (2048e0 - n)) ELSE n END)::DOUBLE',
  'druid_without(items, others)': 'list_filter(items, lambda item: NOT list_contains(others, item))',
  'druid_quantile(items, fraction)':
    "CASE WHEN len(items) > 0 THEN items[least(len(items), greatest(1, ceil(fraction * len(items))::BIGINT))] ELSE 'nan'::DOUBLE END",
  'druid_quantiles(items, fractions)': 'list_transform(fractions, lambda fraction: druid_quantile(items, fraction))',
  // Fixed buckets: the rank's place within its bucket, as a float.
  'druid_within(items, low, high)': 'list_filter(items, lambda item: item >= low AND item < high)',
  'druid_bucket(item, buckets, low, high)': 'floor((item - low) / ((high - low) / buckets))',
  'druid_bucket_place(items, rank, bucket, buckets, low, high)': `(low + (high - low) / buckets * (bucket +
    (rank - len(list_filter(items, lambda item: druid_bucket(item, buckets, low, high) < bucket))) /
    len(list_filter(items, lambda item: druid_bucket(item, buckets, low, high) = bucket))))::FLOAT::DOUBLE`,
  'druid_bucket_quantile(items, fraction, buckets, low, high)': `druid_bucket_place(druid_within(items, low, high),
    fraction * len(druid_within(items, low, high)), druid_bucket(druid_quantile(druid_within(items, low, high), fraction), buckets, low, high), buckets, low, high)`,
  'druid_rank(items, point)': 'len(list_filter(items, lambda item: item <= point))::DOUBLE / len(items)',
  'druid_cdf(items, points)': 'list_append(list_transform(points, lambda point: druid_rank(items, point)), 1e0)',
  'druid_sketch_histogram(items, points)': `list_transform(range(1, len(points) + 2), lambda i: len(list_filter(items, lambda item:
    (i = 1 OR item > points[i - 1]) AND (i > len(points) OR item <= points[i])))::DOUBLE)`,
  'druid_sum_of(tuples, key)': `list_reduce(list_transform(list_filter(tuples, lambda t: t.key = key), lambda t: t.sums),
    lambda a, b: list_transform(list_zip(a, b), lambda pair: pair[1] + pair[2]))`,
  'druid_tuples(tuples)': `list_transform(list_distinct(list_transform(list_filter(tuples, lambda t: t.key <> ''), lambda t: t.key)),
    lambda key: {key: key, sums: druid_sum_of(tuples, key)})`,
  'druid_tuple_sums(tuples)':
    'CASE WHEN len(tuples) > 0 THEN list_reduce(list_transform(tuples, lambda t: t.sums), lambda a, b: list_transform(list_zip(a, b), lambda pair: pair[1] + pair[2])) ELSE [0e0] END',
  'druid_tuple_intersect(tuples, others)':
    'druid_tuples(list_filter(list_concat(tuples, others), lambda t: list_contains(list_transform(tuples, lambda o: o.key), t.key) AND list_contains(list_transform(others, lambda o: o.key), t.key)))',
  'druid_tuple_without(tuples, others)': 'list_filter(tuples, lambda t: NOT list_contains(list_transform(others, lambda o: o.key), t.key))',
  'druid_ipv4_valid(x)': 'CASE WHEN druid_ipv4_parse(x) IS NOT NULL THEN x END',
  'druid_ipv4(x)': 'CASE WHEN x BETWEEN 0 AND 4294967295 THEN x END',
  // ── Nested data ──
  'druid_json(x)': "CASE WHEN x::VARCHAR <> 'null' THEN x END",
  // A scalar as text: conditions are 1 and 0, an array of one scalar is that.
  'druid_json_text(x)': `CASE json_type(x) WHEN 'DOUBLE' THEN druid_double_to_text(x::DOUBLE) WHEN 'BOOLEAN' THEN (x::BOOLEAN)::BIGINT::VARCHAR
    WHEN 'VARCHAR' THEN x ->> '$' WHEN 'BIGINT' THEN x::VARCHAR WHEN 'UBIGINT' THEN x::VARCHAR WHEN 'HUGEINT' THEN x::VARCHAR END`,
  'druid_json_value(x)': "CASE WHEN json_array_length(x) = 1 THEN druid_json_text(json_extract(x, '$[0]')) ELSE druid_json_text(x) END",
  'druid_json_array(x)': `CASE WHEN x IS NOT NULL THEN CASE json_type(x) WHEN 'ARRAY' THEN CAST(x AS JSON[]) WHEN 'OBJECT' THEN NULL WHEN 'NULL' THEN NULL WHEN 'BOOLEAN' THEN [to_json((x::BOOLEAN)::BIGINT)] ELSE [x] END END`,
  'druid_json_texts(x)': `CASE WHEN json_type(x) = 'ARRAY' AND len(list_filter(CAST(x AS JSON[]), lambda item: json_type(item) IN ('OBJECT', 'ARRAY'))) = 0
    THEN list_transform(CAST(x AS JSON[]), lambda item: CASE json_type(item) WHEN 'NULL' THEN NULL WHEN 'DOUBLE' THEN druid_double_to_text(item::DOUBLE) ELSE item ->> '$' END) WHEN druid_json_text(x) IS NOT NULL THEN [druid_json_text(x)] END`,
  'druid_json_keys(x)': `CASE json_type(x) WHEN 'OBJECT' THEN json_keys(x)
    WHEN 'ARRAY' THEN list_transform(range(json_array_length(x)::BIGINT), lambda item: item::VARCHAR) END`,
  'druid_json_double(x)': `CASE WHEN isfinite(x) THEN druid_double_to_text(x)::JSON ELSE to_json(druid_double_to_text(x)) END`,
  // ── Times: full ISO form with a Z is read by DuckDB itself, many times as fast; every other text by the function ──
  'druid_iso_or_sql_time(x, zone)': String.raw`CASE WHEN regexp_full_match(x, '[1-9]\d{3}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?Z')
    THEN epoch_ms(TRY_CAST(x AS TIMESTAMP)) ELSE druid_text_to_time(x, zone) END`,
}).map(([head, body]) => `CREATE OR REPLACE MACRO ${head} AS ${body}`);
