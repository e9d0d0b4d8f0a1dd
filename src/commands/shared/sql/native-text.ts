// Parts of native queries on one line each: conditions as SQL, aggregations as calls. Unknown parts
// stay JSON.
import { formatJson } from '../../../model/json.ts';
import { quotedName, quotedText } from '../../../model/sql-text.ts';

export type NativeObject = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is NativeObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A column or table name, quoted if necessary. */
export const nameText = (name: unknown): string =>
  typeof name === 'string' && /^[\w.$]+$/.test(name)
    ? name
    : quotedName(typeof name === 'string' ? name : formatJson(name ?? null));

/** Names or values, comma-separated; long lists are shortened. */
export const listText = (texts: readonly string[], most = 100): string =>
  texts.length <= most
    ? texts.join(', ')
    : `${texts.slice(0, most).join(', ')}, ... (${texts.length} in all)`;

/** The conditions of a conjunction, one per line. */
export function conditionsOf(filter: unknown): readonly string[] {
  if (!isRecord(filter)) return [];
  const fields = listIn(filter.fields);
  if (filter.type !== 'and' || fields.length < 2) return [filterText(filter)];
  return fields.map((field, at) => `${at === 0 ? '' : 'AND '}${within(field)}`);
}

/** A condition on one line. */
export function filterText(filter: unknown): string {
  if (!isRecord(filter)) return formatJson(filter ?? null);
  const said = hasMore(filter)
    ? undefined
    : (comparisons[String(filter.type)]?.(filter, false) ?? sayings[String(filter.type)]?.(filter));
  return said ?? (Object.keys(filter).length === 1 ? `${filter.type}` : formatJson(filter));
}

const hasMore = ({ extractionFn, filterTuning }: NativeObject) =>
  Boolean(extractionFn) || Boolean(filterTuning);

type Saying = (filter: NativeObject) => string | undefined;

// An operator and its negation.
const equality = (isNegated: boolean) => (isNegated ? '<>' : '=');
const nullTest = (isNegated: boolean) => (isNegated ? 'IS NOT NULL' : 'IS NULL');
const negatable = (operator: string, isNegated: boolean) =>
  isNegated ? `NOT ${operator}` : operator;

const comparisons: Readonly<Record<string, (filter: NativeObject, isNegated: boolean) => string>> =
  {
    selector: ({ dimension, value }, isNegated) =>
      value === null
        ? `${nameText(dimension)} ${nullTest(isNegated)}`
        : `${nameText(dimension)} ${equality(isNegated)} ${valueText(value)}`,
    equals: ({ column, matchValue }, isNegated) =>
      `${nameText(column)} ${equality(isNegated)} ${valueText(matchValue, column)}`,
    null: ({ column }, isNegated) => `${nameText(column)} ${nullTest(isNegated)}`,
    in: ({ dimension, column, values }, isNegated) =>
      membership(dimension ?? column, values, isNegated),
    inType: ({ column, sortedValues }, isNegated) => membership(column, sortedValues, isNegated),
    like: ({ dimension, pattern }, isNegated) =>
      `${nameText(dimension)} ${negatable('LIKE', isNegated)} ${valueText(pattern)}`,
  };

const sayings: Readonly<Record<string, Saying>> = {
  and: ({ fields }) => listIn(fields).map(within).join(' AND '),
  or: ({ fields }) => listIn(fields).map(within).join(' OR '),
  not: ({ field }) => negate(field),
  true: () => 'TRUE',
  false: () => 'FALSE',
  regex: ({ dimension, pattern }) => `REGEXP_LIKE(${nameText(dimension)}, ${valueText(pattern)})`,
  bound: ({ dimension, lower, upper, lowerStrict, upperStrict, ordering }) => {
    const isNumeric = ordering === 'numeric' || (isRecord(ordering) && ordering.type === 'numeric');
    const limit = (value: unknown) =>
      isNumeric && typeof value === 'string' ? timeText(value, dimension) : valueText(value);
    return range(nameText(dimension), limit, {
      lower,
      upper,
      lowerOpen: lowerStrict,
      upperOpen: upperStrict,
    });
  },
  range: ({ column, ...limits }) =>
    range(nameText(column), (value) => valueText(value, column), limits),
  interval: ({ dimension, intervals }) =>
    `${nameText(dimension)} IN (${listText(listIn(intervals).map(String), fewValues)})`,
  expression: ({ expression }) => (typeof expression === 'string' ? expression : undefined),
  arrayContainsElement: ({ column, elementMatchValue }) =>
    `ARRAY_CONTAINS(${nameText(column)}, ${valueText(elementMatchValue)})`,
  columnComparison: ({ dimensions }) => listIn(dimensions).map(nameText).join(' = '),
  filter: ({ filter }) => (filter === undefined ? undefined : filterText(filter)),
  greaterThan: ({ aggregation, value }) =>
    `${nameText(aggregation)} > ${formatJson(value ?? null)}`,
  lessThan: ({ aggregation, value }) => `${nameText(aggregation)} < ${formatJson(value ?? null)}`,
  equalTo: ({ aggregation, value }) => `${nameText(aggregation)} = ${formatJson(value ?? null)}`,
};

// Adds parentheses where the context would change the meaning.
const within = (filter: unknown): string => {
  const isOpen =
    isRecord(filter) &&
    ['and', 'expression', 'or'].includes(String(filter.type)) &&
    Object.keys(filter).length > 1;
  return isOpen ? `(${filterText(filter)})` : filterText(filter);
};

function negate(field: unknown): string {
  if (!isRecord(field)) return `NOT ${filterText(field)}`;
  const said = hasMore(field) ? undefined : comparisons[String(field.type)]?.(field, true);
  return said ?? `NOT (${filterText(field)})`;
}

const fewValues = 8;

const membership = (name: unknown, values: unknown, isNegated: boolean) =>
  `${nameText(name)} ${negatable('IN', isNegated)} (${listText(
    listIn(values).map((value) => valueText(value)),
    fewValues,
  )})`;

function range(
  name: string,
  limit: (value: unknown) => string,
  { lower, upper, lowerOpen, upperOpen }: NativeObject,
): string | undefined {
  const isSet = (value: unknown) => value !== undefined && value !== null;
  const above = isSet(lower)
    ? `${name} ${lowerOpen === true ? '>' : '>='} ${limit(lower)}`
    : undefined;
  const below = isSet(upper)
    ? `${name} ${upperOpen === true ? '<' : '<='} ${limit(upper)}`
    : undefined;
  return [above, below].filter((one) => one !== undefined).join(' AND ') || undefined;
}

function valueText(value: unknown, column?: unknown): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return quotedText(value);
  return typeof value === 'number' ? timeText(String(value), column) : formatJson(value ?? null);
}

// Times are milliseconds since 1970 in native queries.
function timeText(number: string, column: unknown): string {
  const time = Number(number);
  return column === '__time' && Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : number;
}

/** A computed value after its name: an aggregation, a post-aggregation, or a virtual column. */
export function termOf(given: unknown): string {
  if (!isRecord(given)) return formatJson(given ?? null);
  const { name, type, outputType } = given;
  const call = callText(given);
  const shown = nameIn(given) ?? name;
  const typed = outputType === undefined ? '' : ` ${outputType}`;
  if (call === undefined) return `${nameText(shown)}${typed}`;
  return `${shown === undefined ? '' : `${nameText(shown)} = `}${call}${type === 'expression' ? typed : ''}`;
}

const nameIn = ({ name, aggregator }: NativeObject): unknown =>
  name ?? (isRecord(aggregator) ? aggregator.name : undefined);

function callText(given: NativeObject): string | undefined {
  const {
    type,
    name: _name,
    aggregator,
    filter,
    expression,
    fieldName,
    fieldNames,
    field,
    fields,
    fn,
  } = given;
  if (type === undefined) return undefined;
  if (type === 'filtered' && isRecord(aggregator))
    return `${callText(aggregator) ?? termOf(aggregator)} WHERE ${filterText(filter)}`;
  if (type === 'expression') return typeof expression === 'string' ? expression : undefined;
  if (type === 'fieldAccess' || type === 'finalizingFieldAccess') return nameText(fieldName);
  if (type === 'constant') return formatJson(given.value ?? null);
  if (type === 'arithmetic') return listIn(fields).map(operand).join(` ${fn} `);
  const names = fieldName === undefined ? listIn(fieldNames ?? fields) : [fieldName];
  const inner =
    field === undefined
      ? names.map((one) => (isRecord(one) ? operand(one) : nameText(one)))
      : [operand(field)];
  if (inner.length > 0) return `${type}(${listText(inner)})`;
  return typeof expression === 'string' ? `${type}(${expression})` : String(type);
}

function operand(given: unknown): string {
  if (!isRecord(given)) return nameText(given);
  if (given.type === undefined || given.type === 'default')
    return nameText(given.dimension ?? given.name);
  const said = callText(given) ?? formatJson(given);
  return given.type === 'arithmetic' ? `(${said})` : said;
}
