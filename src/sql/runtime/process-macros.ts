// Macros for query processes: they call functions in TypeScript, or build texts and lists that may
// be much larger than their arguments.
import { failureSql } from './own-words.ts';
import { longestList, longestText } from './value-limits.ts';

/** Macro bodies by head, ordered by their dependencies. They also use the plain macros. */
export const processMacroBodies: Readonly<Record<string, string>> = {
  // ── Limits: a function refuses a value that is too large, with a message for the caller ──
  // The check is inside the arguments, because DuckDB computes the branches of a CASE during
  // planning if all their inputs are constant.
  'druid_short(x, size, name)': `CASE WHEN size > ${longestText} THEN CASE WHEN druid_refuse_text(name) THEN x END ELSE x END`,
  'druid_fitting(items, count, name)': `CASE WHEN count > ${longestList} THEN CASE WHEN druid_refuse_list(name) THEN items END ELSE items END`,
  // The bytes of a list's texts with a separator, which counts as at least one byte because
  // elements may be empty.
  'druid_size_of_list(items, gap)':
    'coalesce(list_sum(list_transform(items, lambda item: coalesce(strlen(item), 4))), 0) + len(items) * greatest(gap, 1)',
  'druid_sized_json(x, name)':
    'list_transform([x], lambda made: druid_short(made, strlen(made::VARCHAR), name))[1]',
  // Names that mark values collected from many rows, or from several lists.
  'druid_collected(items)': 'items',
  'druid_flattened(lists)': 'flatten(lists)',
  // A JSON object as a map that keeps repeated keys.
  'druid_many_pairs(object)': `from_json(object, '"MAP(VARCHAR,VARCHAR)"')`,
  // ── Numbers: Java's arithmetic ──
  'druid_round_to(x, digits)':
    'CASE WHEN isfinite(x) THEN druid_java_round(x::DOUBLE, digits) ELSE druid_round(x) END',
  // DuckDB keeps a letter and its marks in order; Java reverses code points. The list of them is
  // larger than the text.
  'druid_reverse(x)':
    "CASE WHEN strlen(x) = length(x) THEN reverse(x) ELSE array_to_string(list_reverse(regexp_extract_all(x, '(?s).')), '') END",
  // ── Multi-value strings and arrays ──
  'druid_append(items, item)':
    "CASE WHEN items IS NOT NULL THEN list_append(druid_fitting(items, len(items) + 1, 'array_append'), item) END",
  'druid_prepend(item, items)':
    "CASE WHEN items IS NOT NULL THEN list_prepend(item, druid_fitting(items, len(items) + 1, 'array_prepend')) END",
  'druid_concat(items, others)': `CASE WHEN items IS NOT NULL AND others IS NOT NULL THEN
    list_concat(druid_fitting(items, len(items) + len(others), 'array_concat'), others) END`,
  // Empty parts at the end are left out, which the function does.
  'druid_split_at(x, part, pattern)': `CASE WHEN suffix(x, part) OR strlen(x) > ${longestList} THEN druid_split(x, pattern) ELSE string_split(x, part) END`,
  // Items beyond the end are null, but a start beyond the end makes the result null.
  'druid_slice(items, start, stop)': `CASE WHEN start >= 0 AND start <= len(items) AND stop >= start THEN
    list_resize(list_slice(druid_fitting(items, stop - start, 'array_slice'), start + 1, stop), least(stop - start, ${longestList})) END`,
  // A list of one becomes its value, even if that is null.
  'druid_list_to_text(items, separator)': `CASE len(items) WHEN 0 THEN '' WHEN 1 THEN items[1] ELSE
    array_to_string(list_transform(druid_short(items, druid_size_of_list(items, strlen(separator)), 'array_to_string'), lambda item: coalesce(item, 'null')), separator) END`,
  // As above, with a separator that is not known during planning.
  'druid_list_to_text_by(items, separator)': `CASE WHEN len(items) < 2 THEN druid_list_to_text(items, '') WHEN separator IS NOT NULL THEN
    substr(array_to_string(list_transform(druid_short(items, druid_size_of_list(items, strlen(separator)), 'array_to_string'),
    lambda item: separator || coalesce(item, 'null')), ''), length(separator) + 1) END`,
  // A list in Java's text format. A list of one becomes its value.
  'druid_items_text(items)': `'[' ||
    array_to_string(list_transform(druid_short(items, druid_size_of_list(items, 2), 'array_to_string'), lambda item: coalesce(item, 'null')), ', ') || ']'`,
  'druid_list_text(items)':
    'CASE WHEN len(items) = 1 THEN items[1] ELSE druid_items_text(items) END',
  'druid_joined(items, separator)': `CASE WHEN len(items) > 0 THEN
    array_to_string(druid_short(items, druid_size_of_list(items, strlen(separator)), 'string_agg'), separator) END`,
  // Distinct values, including null.
  'druid_set(items)': `CASE WHEN list_contains(list_transform(items, lambda item: item IS NULL), true) THEN list_append(list_distinct(items), NULL) ELSE list_distinct(items) END`,
  'druid_too_large(size, most, type)': failureSql(
    "'Exceeded memory usage when aggregating type [' || type || '], size [' || size || '] is larger than max [' || most || ']'",
  ),
  'druid_size(items)':
    '5 + len(items) + 8 * len(list_filter(items, lambda item: item IS NOT NULL))',
  'druid_size_of_texts(items)':
    '5 + list_sum(list_transform(items, lambda item: coalesce(5 + strlen(item), 1)))',
  'druid_sized(items, most, type)':
    'CASE WHEN druid_size(items) > most THEN [druid_too_large(druid_size(items), most, type)] ELSE items END',
  'druid_sized_texts(items, most, type)':
    'CASE WHEN druid_size_of_texts(items) > most THEN [druid_too_large(druid_size_of_texts(items), most, type)::VARCHAR] ELSE items END',
  // ── Text, counted in UTF-16 units ──
  // Occurrences are only counted if a text full of them could become too long.
  'druid_replace_text(x, part, other)': `replace(druid_short(x, CASE WHEN strlen(other) <= strlen(part) OR strlen(x) * strlen(other) <= ${longestText} THEN 0
    ELSE strlen(x) + (strlen(x) - strlen(replace(x, part, ''))) // strlen(part) * (strlen(other) - strlen(part)) END, 'replace'), part, other)`,
  // An empty part matches between all characters.
  'druid_replace(x, part, other)': `CASE WHEN part <> '' THEN druid_replace_text(x, part, other) WHEN x = '' THEN other WHEN part = '' THEN
    other || array_to_string(list_transform(string_split(druid_short(x, strlen(x) + (length(x) + 1) * strlen(other), 'replace'), ''), lambda item: item || other), '') END`,
  // A padding of plain characters, and a size of 1 or more, known during planning.
  'druid_pad_left(x, size, padding)': `CASE WHEN druid_is_plain(x) THEN lpad(x, size, padding) ELSE druid_pad(x, size, padding, 'left') END`,
  'druid_pad_right(x, size, padding)': `CASE WHEN druid_is_plain(x) THEN rpad(x, size, padding) ELSE druid_pad(x, size, padding, 'right') END`,
  'druid_most_times(x)': `${longestText} // greatest(strlen(x), 1)`,
  'druid_repeat(x, times)': `CASE WHEN times >= 1 THEN repeat(druid_short(x, CASE WHEN times > druid_most_times(x) THEN ${longestText} + 1 ELSE 0 END, 'repeat'),
    least(times, druid_most_times(x))) END`,
  // Cases in which RE2 may take seconds: patterns with many steps, and replacements, which search
  // for the next match repeatedly.
  'druid_matches_large(x, pattern)': 'regexp_matches(x, pattern)',
  'druid_matches_whole_large(x, pattern)': 'regexp_full_match(x, pattern)',
  'druid_match_text_large(x, pattern, place)': 'druid_match_text(x, pattern, place)',
  'druid_match_group_large(x, pattern, place)': 'druid_match_group(x, pattern, place)',
  // RE2 if the result cannot be too long, whatever matches. Otherwise the function, which checks
  // the length as it goes.
  'druid_replace_matches(x, re2, rewrite, growth, pattern, replacement)': `CASE WHEN strlen(x) * growth <= ${longestText}
    THEN regexp_replace(CASE WHEN strlen(x) * growth <= ${longestText} THEN x END, re2, rewrite, 'g') ELSE druid_regexp_replace(x, pattern, replacement) END`,
  // ── Addresses ──
  'druid_ipv4_valid(x)': 'CASE WHEN druid_ipv4_parse(x) IS NOT NULL THEN x END',
  // ── Times: DuckDB itself reads full ISO form with a Z, and dates and times of UTC. The
  // function that reads other texts is much slower
  'druid_iso_or_sql_time(x, zone)': String.raw`CASE WHEN regexp_full_match(x, '[1-9]\d{3}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?Z')
    OR zone = 'UTC' AND regexp_full_match(x, '[1-9]\d{3}-\d\d-\d\d([T ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?)?')
    THEN epoch_ms(TRY_CAST(x AS TIMESTAMP)) ELSE druid_text_to_time(x, zone) END`,
};
