// The columns that a query can name: those of a datasource, and those that it computes.
import { tables } from '../sql/data.js';

const bare = (name) => name.replaceAll('"', '');

/** Columns of the datasources by kind, their keys of few values, and an interval of their rows. */
export const sources = tables.map(({ name, columns, keys }) => ({
  name,
  isSmall: name === 'fuzz_types',
  interval: name === 'fuzz_types' ? '1960-01-01/2030-01-01' : '2015-09-12/2015-09-13',
  keys: keys.map(bare),
  text: columns.text.map(bare),
  long: columns.long,
  double: columns.double ?? [],
  arrays: ['texts', 'longs', 'doubles'].flatMap((kind) => columns[kind] ?? []),
  json: columns.json ?? [],
  several: columns.text.includes('mv') ? ['mv'] : [],
}));

/** A scope in which computed columns have joined the columns of one kind. */
export const withColumns = (scope, kind, names) => ({
  ...scope,
  [kind]: [...scope[kind], ...names],
  keys: kind === 'arrays' ? scope.keys : [...scope.keys, ...names],
});

/** Values that rows have, and some that they have not. */
export const values = {
  text: {
    fuzz_edits: ['#en.wikipedia', '#de.wikipedia', 'true', 'false', 'US', 'Main', 'Talk', 'Paris'],
    fuzz_types: ['alpha', 'Alpha', 'a', 'b', '42', '007', '', "it's 😀", '2015-09-12', 'x,y'],
  },
  long: ['0', '1', '7', '42', '100', '-7', '1000', '9007199254740993'],
  double: ['0.5', '1.5', '2.5', '42', '-3.25', '0', '1e30'],
};

/** A constant of a column, as text. */
export function valueFor(dice, scope, kind) {
  if (kind !== 'text') return dice.among(dice.chance(0.05) ? ['x', ''] : values[kind]);
  return dice.among(values.text[scope.name] ?? values.text.fuzz_edits);
}

/** A column, with its kind. */
export function columnOf(dice, scope) {
  const kind = dice.among(
    ['text', 'text', 'text', 'long', 'double'].filter((one) => scope[one].length > 0),
  );
  return { kind, name: dice.among(scope[kind]) };
}
