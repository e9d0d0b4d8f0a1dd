// Paths of flatten specifications, and their values as DuckDB's expressions (Druid:
// ingestion/data-formats, Jayway JsonPath). Filters and functions are not read.
import { quote } from '../engine/sql-text.ts';
import { duckdbPath, type PathStep, parseJsonPath } from './json-path.ts';

/**
 * A path whose result is one value (`$.a[0].b`), or a list: of the items of a list (`[*]`), the
 * values of an object (`.*`), the fields of a name in all depths (`..a`), a slice (`[1:]`), or
 * some items (`[0,2]`).
 */
export type FlattenPath =
  | { readonly kind: 'value'; readonly steps: readonly PathStep[] }
  | { readonly kind: 'list'; readonly paths: readonly string[] } // of DuckDB, whose lists are joined
  | {
      readonly kind: 'items';
      readonly list: readonly PathStep[];
      readonly of: string; // DuckDB's expression of the items of a list
      readonly rest: readonly PathStep[]; // within each of the items
    };

export const valueAt = (...names: readonly string[]): FlattenPath => ({
  kind: 'value',
  steps: names.map((name) => ({ name })),
});

/**
 * Reads a JSONPath. Undefined for one with a filter, a function or several wildcards, and for one
 * that is too long.
 */
export function parseFlattenPath(text: string): FlattenPath | undefined {
  if (text.length > longestPath) return undefined;
  const path = text.startsWith('$') ? text : `$.${text}`;
  return selectedItems(path) ?? descendants(path) ?? membersOf(path) ?? ofSteps(path);
}

/** The most characters of a path: each may become a part of a statement. */
export const longestPath = 2000;

/** The value of a path within a JSON text: JSON, or null if there is none. */
export function flattenSql(json: string, path: FlattenPath): string {
  switch (path.kind) {
    case 'value':
      return `TRY(json_extract(${json}, ${quote(duckdbPath(path.steps))}))`;
    case 'list': {
      const [first = '', second] = path.paths.map(
        (each) => `TRY(json_extract(${json}, ${quote(each)}))`,
      );
      return `to_json(${second === undefined ? first : `list_concat(${first}, ${second})`})`;
    }
    case 'items': {
      const { list, of, rest } = path;
      const items = `list_transform([TRY_CAST(TRY(json_extract(${json}, ${quote(duckdbPath(list))})) AS JSON[])], lambda items: ${of})[1]`;
      const within =
        rest.length === 0
          ? items
          : `list_filter(list_transform(${items}, lambda item: json_extract(item, ${quote(duckdbPath(rest))})), lambda item: item IS NOT NULL)`;
      return `CASE WHEN ${json} IS NOT NULL THEN to_json(coalesce(${within}, [])) END`;
    }
  }
}

function ofSteps(path: string): FlattenPath | undefined {
  const steps = parseJsonPath(path);
  if (!steps) return undefined;
  return steps.includes('all')
    ? { kind: 'list', paths: [duckdbPath(steps)] }
    : { kind: 'value', steps };
}

function descendants(path: string): FlattenPath | undefined {
  const [, head = '', tail = ''] = /^([^.]*(?:\.[^.]+)*)\.(\.[^.*[].*)$/s.exec(path) ?? [];
  const [above, below] = [parseJsonPath(head), parseJsonPath(`$${tail}`)];
  return above && below
    ? { kind: 'list', paths: [`${duckdbPath(above)}.${duckdbPath(below).slice(1)}`] }
    : undefined;
}

// The values of an object, and the items of a list.
function membersOf(path: string): FlattenPath | undefined {
  const [, head = '', tail = ''] = /^([^*]*)\.\*([^*]*)$/.exec(path) ?? [];
  const [above, below] = [parseJsonPath(head), parseJsonPath(`$${tail}`)];
  if (!above || !below) return undefined;
  const paths = ['.*', '[*]'].map(
    (all) => `${duckdbPath(above)}${all}${duckdbPath(below).slice(1)}`,
  );
  return { kind: 'list', paths };
}

function selectedItems(path: string): FlattenPath | undefined {
  const [, head = '', inner = '', tail = ''] =
    /^([^,:]*)\[(-?\d{0,9}:-?\d{0,9}|-?\d{1,9}(?:,-?\d{1,9})+)\](.*)$/s.exec(path) ?? [];
  const [list, rest] = [parseJsonPath(head), parseJsonPath(`$${tail}`)];
  if (!list || !rest || [...list, ...rest].includes('all')) return undefined;
  return { kind: 'items', list, rest, of: inner.includes(':') ? slice(inner) : some(inner) };
}

// DuckDB counts from 1, and its last item belongs to the slice.
function slice(inner: string): string {
  const [from = 0, to] = inner.split(':').map((side) => (side === '' ? undefined : Number(side)));
  const end = to === undefined ? '' : to < 0 ? to - 1 : to;
  return `items[${from < 0 ? from : from + 1}:${end}]`;
}

const some = (inner: string): string => {
  const items = inner
    .split(',')
    .map(Number)
    .map((index) => `items[${index < 0 ? index : index + 1}]`);
  return `CASE WHEN items IS NOT NULL THEN [${items.join(', ')}] END`;
};
