// Native expressions by the kind of their result. {text}, {long} … is a column of this kind.

const forms = {
  text: [
    "concat({text}, '!')",
    'upper({text})',
    'lower({text})',
    "nvl({text}, 'none')",
    'substring({text}, 0, 3)',
    "replace({text}, 'a', 'b')",
    "lookup({text}, 'fuzz_names')",
    "if({long} > 1, {text}, 'few')",
    "case_searched({text} == 'true', 'yes', {long} > 10, 'many', 'no')",
    "case_simple({text}, 'true', 'yes', 'false', 'no', null)",
    "timestamp_format(__time, 'yyyy-MM-dd')",
    "timestamp_format(timestamp_floor(__time, 'PT1H'))",
    "regexp_extract({text}, '^(.)', 1)",
    "cast({long}, 'STRING')",
    "cast({double}, 'STRING')",
    'trim({text})',
    "lpad({text}, 4, '*')",
    "format('%s-%d', {text}, {long})",
    'left({text}, 2)',
    "strpos({text}, 'a')",
    'reverse({text})',
    "'constant'",
  ],
  long: [
    '{long} + 1',
    '{long} * 2',
    '{long} - {long}',
    '{long} % 3',
    'div({long}, 2)',
    'abs({long})',
    'strlen({text})',
    "cast({text}, 'LONG')",
    "timestamp_extract(__time, 'HOUR')",
    "timestamp_extract(__time, 'DOW', 'America/New_York')",
    "timestamp_floor(__time, 'PT6H')",
    "timestamp_shift(__time, 'P1D', 1)",
    'if({long} > 1, 1, 0)',
    '{long} > 1 && {long} < 50',
    "{text} == 'true'",
    'isnull({text})',
    'nvl({long}, 0)',
    'bitwiseAnd({long}, 6)',
    'max({long}, 5)',
    'parse_long({text})',
    "like({text}, 'a%')",
    '-{long}',
    '__time',
  ],
  double: [
    '{long} / 3.0',
    '{double} * 2',
    '{double} + {long}',
    'sqrt(abs({long}))',
    'round({double}, 1)',
    'pow({long}, 2.0)',
    'floor({double})',
    "cast({text}, 'DOUBLE')",
    'nvl({double}, 0.5)',
    'safe_divide({long}, {double})',
    'log10(abs({long}) + 1)',
  ],
  arrays: [
    "array({text}, 'x')",
    "string_to_array({text}, 'a')",
    'mv_to_array({several})',
    "array_append({arrays}, 'x')",
    '{arrays}',
    'array_slice({arrays}, 0, 1)',
    "filter((x) -> x == 'a', {several})",
    "map((x) -> concat(x, '!'), {several})",
    'array({long}, 1)',
  ],
  ofSeveral: [
    'array_length({arrays})',
    "array_contains({arrays}, 'a')",
    "array_to_string({arrays}, ',')",
    "array_overlap({arrays}, array('a', 'b'))",
    'mv_harmonize_nulls({several})',
    'array_offset({arrays}, 0)',
    "any((x) -> x == 'a', {several})",
    'fold((x, acc) -> acc + x, {longs}, 0)',
    "json_value({json}, '$.x')",
    "json_value({json}, '$.x', 'LONG')",
    "json_value({json}, '$.o.k')",
  ],
};

/** An expression with a result of this kind; an empty gap is a column of another kind. */
export function expressionOf(dice, scope, kind) {
  const isOfSeveral = scope.several.length > 0 && kind !== 'arrays' && dice.chance(0.12);
  const form = dice.among(forms[isOfSeveral ? 'ofSeveral' : kind]);
  return form.replace(/\{(\w+)\}/g, (_, gap) => {
    if (gap === 'longs') return 'nums';
    const names =
      scope[gap]?.length > 0 ? scope[gap] : scope.long.length > 0 ? scope.long : scope.text;
    return nameIn(dice.among(names));
  });
}

const nameIn = (name) => (/^\w+$/.test(name) ? name : `"${name}"`);

/** A condition, as an expression. */
export function conditionOf(dice, scope) {
  const column = (kind) => nameIn(dice.among(scope[kind].length > 0 ? scope[kind] : scope.text));
  return dice.among([
    () => `${column('long')} > 10`,
    () => `${column('text')} == 'true'`,
    () => `${column('text')} != 'a'`,
    () => `like(${column('text')}, '%a%')`,
    () => `strlen(${column('text')}) > 4`,
    () => `timestamp_extract(__time, 'HOUR') == 7`,
    () => `isnull(${column('text')}) || ${column('long')} < 5`,
    () => `notnull(${column('long')})`,
    () => `regexp_like(${column('text')}, '^[A-M]')`,
    () => `${column('long')} % 2 == 1 && ${column('text')} >= 'b'`,
    () => `${column('double')} <= 2.5`,
  ])();
}
