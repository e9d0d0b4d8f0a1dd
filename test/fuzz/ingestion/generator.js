// Random specifications for the sampler: lines in several formats, and what reads them.
import { Dice } from '../native/dice.js';

const fields = ['a', 'b', 'c', 'd', 'e'];

// Times that all formats of the specifications read alike: version 33 keeps the last text with its
// time, whatever the format is.
const times = ['2015-09-12T00:46:58.771Z', '2015-09-12', '2015-09-12T01:02:03', '2015-W37'];
const oddTimes = [...times, 'never', '', null, '2015-09-12T25:00:00Z'];

const numbers = ['1', '2', '007', '-3', '1.5', '1e3', 'NaN', '+5', '1.5f', '1,000'];
const words = ['a', 'b', 'A b', '', ' x ', 'é', 'true', 'null', 'x|y', '|', '"q"'];
const cells = [...words, ...numbers, '1|2', 'x|y|', 'a\u0001b', '"a,b"', '"a""b"'];
const scalars = [...words, ...numbers, 0, 1, 2, -5, 1.5, 1e20, 2 ** 53, true, false, null];

const expressions = [
  (a, b) => `concat(${a}, ${b})`,
  (a, b) => `${a} + ${b}`,
  (a, b) => `${a} || ${b}`,
  (a, b) => `${a} == ${b}`,
  (a, b) => `nvl(${a}, ${b})`,
  (a, b) => `if(${a}, ${b}, 'no')`,
  (a, b) => `array(${a}, ${b})`,
  (a, b) => `greatest(${a}, ${b})`,
  (a) => a,
  (a) => `upper(${a})`,
  (a) => `strlen(${a})`,
  (a) => `${a} + 1`,
  (a) => `${a} / 0`,
  (a) => `!${a}`,
  (a) => `${a} > 1`,
  (a) => `cast(${a}, 'LONG')`,
  (a) => `cast(${a}, 'DOUBLE')`,
  (a) => `parse_long(${a})`,
  (a) => `try_parse_json(${a})`,
  (a) => `to_json_string(${a})`,
  (a) => `substring(${a}, 0, 1)`,
  (a) => `regexp_extract(${a}, '[a-z]')`,
  (a) => `like(${a}, 'a%')`,
  (a) => `replace(${a}, 'a', 'b')`,
  (a) => `mv_to_array(${a})`,
  (a) => `array_length(${a})`,
  (a) => `array_to_string(${a}, '-')`,
  (a) => `string_to_array(${a}, '|')`,
  (a) => `case_searched(${a} == 'a', 1, 0)`,
  () => "json_value(n, '$.p')",
  () => 'timestamp_format(__time)',
  () => '0.0 / 0',
  () => "'k'",
];

const paths = [
  { type: 'path', name: 'p1', expr: '$.n.p' },
  { type: 'path', name: 'p2', expr: '$.n.q.s[1].u' },
  { type: 'path', name: 'p3', expr: '$.n.q.s[*]' },
  { type: 'path', name: 'p4', expr: "$['n']['p']" },
  { type: 'path', name: 'a', expr: '$.b' },
  { type: 'root', name: 'p5', expr: 'n' },
  { type: 'root', name: 'p6', expr: 'b' },
  { type: 'tree', name: 'p7', nodes: ['n', 'q', 'r'] },
  { type: 'jq', name: 'p8', expr: '.n.p' },
];

export class SampleGenerator extends Dice {
  next() {
    const { lines, inputFormat } = this.made([
      [5, () => this.#json()],
      [2, () => this.#values('csv', ',')],
      [2, () => this.#values('tsv', this.among(['\t', ';', '|']))],
      [1, () => this.#regex()],
    ]);
    const inputSource = { type: 'inline', data: lines.join(this.chance(0.9) ? '\n' : '\r\n') };
    const dataSchema = {
      dataSource: 'sampled',
      timestampSpec: {
        column: this.chance(0.95) ? 't' : 'none',
        format: this.among(['auto', 'iso']),
        ...this.maybe(0.5, () => ({ missingValue: '2020-01-01' })),
      },
      dimensionsSpec: this.#dimensionsSpec(),
      transformSpec: this.#transformSpec(),
      metricsSpec: this.chance(0.3) ? this.#metrics() : [],
      granularitySpec: {
        rollup: this.chance(0.2),
        queryGranularity: this.among(['none', 'none', 'hour', 'day']),
        segmentGranularity: 'day',
      },
    };
    const ioConfig = { type: 'index', inputSource, inputFormat };
    return {
      type: 'index',
      spec: { type: 'index', ioConfig, dataSchema, tuningConfig: { type: 'index' } },
      samplerConfig: { numRows: 100, timeoutMs: 15_000 },
    };
  }

  #time = () => this.among(this.chance(0.8) ? times : oddTimes);

  #value(depth = 0) {
    if (depth < 2 && this.chance(0.12)) return this.some(0, 3, () => this.#value(depth + 1));
    if (depth < 2 && this.chance(0.12))
      return Object.fromEntries(
        this.few(['p', 'q'], 2).map((key) => [key, this.#value(depth + 1)]),
      );
    return this.among(scalars);
  }

  #json() {
    const lines = this.some(1, 6, () => {
      const row = {
        ...this.maybe(0.95, () => ({ t: this.#time() })),
        ...Object.fromEntries(this.few(fields, 5).map((name) => [name, this.#value()])),
        ...this.maybe(0.3, () => ({
          n: { p: this.#value(1), q: { r: 1, s: [this.#value(2), { u: this.#value(2) }] } },
        })),
      };
      const line = JSON.stringify(row);
      return this.made([
        [95, () => line],
        [2, () => `${line} more`],
        [2, () => line.slice(0, -1)],
        [1, () => ''],
      ]);
    });
    const flattenSpec = () => ({
      flattenSpec: {
        useFieldDiscovery: this.chance(0.6),
        fields: [{ type: 'root', name: 't' }, ...this.few(paths, 3)],
      },
    });
    return { lines, inputFormat: { type: 'json', ...this.maybe(0.3, flattenSpec) } };
  }

  #values(type, separator) {
    const columns = ['t', ...fields];
    const lines = this.some(1, 6, () =>
      this.chance(0.05)
        ? ''
        : [this.#time() ?? '', ...this.some(3, 6, () => this.among(cells))].join(separator),
    );
    const inputFormat = {
      type,
      ...(type === 'tsv' && { delimiter: separator }),
      ...this.maybe(0.3, () => ({ listDelimiter: this.among(['|', ';', '\u0001']) })),
      ...this.maybe(0.2, () => ({ tryParseNumbers: true })),
    };
    if (this.chance(0.2))
      return {
        lines: [columns.join(separator), ...lines],
        inputFormat: { ...inputFormat, findColumnsFromHeader: true },
      };
    return { lines, inputFormat: { ...inputFormat, columns } };
  }

  #regex() {
    const lines = this.some(1, 5, () =>
      this.chance(0.9)
        ? `${this.#time()} [${this.among(words)}] ${this.among(numbers)}`
        : this.among(words),
    );
    const pattern = this.among(['^(.*) \\[(.*)\\] (.*)$', '(.*) \\[(.*)\\].*']);
    const listDelimiter = this.maybe(0.3, () => ({ listDelimiter: '|' }));
    return {
      lines,
      inputFormat: { type: 'regex', pattern, columns: ['t', 'a', 'b'], ...listDelimiter },
    };
  }

  #dimensionsSpec() {
    const dimensionExclusions = this.chance(0.15) ? [this.among(fields)] : [];
    const names = this.few([...fields, 'n', 'p1', 'v1'], 5);
    const types = ['string', 'long', 'double', 'float', 'json', 'auto'];
    const listed = () =>
      names
        .filter((name) => !dimensionExclusions.includes(name))
        .map((name) => (this.chance(0.5) ? name : { type: this.among(types), name }));
    return this.made([
      [3, () => ({ useSchemaDiscovery: true, dimensionExclusions })],
      [2, () => ({ dimensions: [], dimensionExclusions })],
      [5, () => ({ dimensions: listed(), dimensionExclusions })],
      [1, () => ({ dimensions: listed(), includeAllDimensions: true, dimensionExclusions })],
    ]);
  }

  #expression() {
    const make = this.among(expressions);
    return make(this.among(fields), this.among(fields));
  }

  #transformSpec() {
    const transforms = this.few(['v1', 'v2', 'a', 'b'], 2).map((name) => ({
      type: 'expression',
      name,
      expression: this.#expression(),
    }));
    return {
      ...this.maybe(0.4, () => ({ transforms })),
      ...this.maybe(0.25, () => ({ filter: this.#filter() })),
    };
  }

  #filter(depth = 0) {
    const dimension = this.among(fields);
    const inner = () => (depth < 2 ? this.#filter(depth + 1) : { type: 'true' });
    return this.made([
      [2, () => ({ type: 'selector', dimension, value: this.among(['a', '1', '1.5', '', null]) })],
      [2, () => ({ type: 'in', dimension, values: this.few(['a', 'b', '1', '', null], 3) })],
      [1, () => ({ type: 'bound', dimension, lower: '1', ordering: 'numeric' })],
      [1, () => ({ type: 'bound', dimension, upper: 'b', ordering: 'lexicographic' })],
      [1, () => ({ type: 'regex', dimension, pattern: '^a' })],
      [1, () => ({ type: 'like', dimension, pattern: 'a%' })],
      [1, () => ({ type: 'null', column: dimension })],
      [1, () => ({ type: 'equals', column: dimension, matchValueType: 'LONG', matchValue: 1 })],
      [1, () => ({ type: 'expression', expression: `${dimension} == 'a'` })],
      [1, () => ({ type: 'not', field: inner() })],
      [1, () => ({ type: this.among(['and', 'or']), fields: [inner(), inner()] })],
    ]);
  }

  #metrics() {
    const fieldName = () => this.among(fields);
    return this.few(
      [
        { type: 'count', name: 'm1' },
        { type: 'longSum', name: 'm2', fieldName: fieldName() },
        { type: 'doubleMax', name: 'm3', fieldName: fieldName() },
        { type: 'floatMin', name: 'm4', fieldName: fieldName() },
        { type: 'stringLast', name: 'm5', fieldName: fieldName() },
        { type: 'filtered', aggregator: { type: 'count', name: 'm6' }, filter: this.#filter() },
      ],
      3,
    );
  }
}
