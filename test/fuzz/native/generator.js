// Typed native queries, as dashboards, clients and people write them, from a seed; some are spoilt
// afterwards.
import { lookup } from '../sql/data.js';
import { aggregatorOf, havingOf, postAggregatorOf } from './aggregators.js';
import { Dice } from './dice.js';
import { dimensionOf, nameOf } from './extraction.js';
import { filterOf, searchOf, virtualColumnOf } from './filters.js';
import { sources, valueFor, withColumns } from './scopes.js';
import { spoilt } from './slips.js';

const zones = ['America/New_York', 'Asia/Kolkata', 'Etc/UTC', 'Europe/Paris'];
const orders = ['lexicographic', 'alphanumeric', 'numeric', 'strlen', 'version'];

export class NativeGenerator {
  /** @param {() => number} random */
  constructor(random) {
    this.dice = new Dice(random);
  }

  /** The next query, as JSON. */
  next() {
    const query = this.dice.made([
      [4, () => this.timeseries()],
      [4, () => this.topN()],
      [9, () => this.groupBy()],
      [3, () => this.scan()],
      [1.5, () => this.search()],
      [0.7, () => this.timeBoundary()],
      [0.5, () => this.segmentMetadata()],
      [0.3, () => ({ queryType: 'dataSourceMetadata', dataSource: this.dice.among(sources).name })],
    ]);
    return this.dice.chance(1 / 8) ? spoilt(this.dice, query) : query;
  }

  timeseries() {
    const { dice } = this;
    const { scope, common } = this.source();
    const { aggregations, postAggregations } = this.measures(scope, 0, 3);
    return {
      queryType: 'timeseries',
      ...common,
      granularity: this.granularity(scope),
      ...this.filter(scope),
      aggregations,
      ...postAggregations,
      ...dice.maybe(0.25, () => ({ descending: dice.chance(0.7) })),
      ...dice.maybe(0.1, () => ({ limit: dice.among([1, 3, 10]) })),
      ...this.context({
        skipEmptyBuckets: [0.4, true, 'true', false],
        grandTotal: [0.12, true],
        timestampResultField: [0.08, 't'],
      }),
    };
  }

  topN() {
    const { dice } = this;
    const { scope, common } = this.source();
    const { aggregations, postAggregations, metrics } = this.measures(scope, 1, 3);
    const metric = () =>
      dice.made([
        [5, () => dice.among(metrics)],
        [1.5, () => ({ type: 'numeric', metric: dice.among(metrics) })],
        [
          2,
          () => ({
            type: 'dimension',
            ordering: dice.among(orders),
            ...dice.maybe(0.2, () => ({ previousStop: 'a' })),
          }),
        ],
        [0.3, () => ({ type: 'lexicographic' })],
        [0.3, () => ({ type: 'alphaNumeric', previousStop: 'M' })],
      ]);
    return {
      queryType: 'topN',
      ...common,
      granularity: dice.chance(0.75) ? 'all' : this.granularity(scope),
      ...this.filter(scope),
      dimension: dimensionOf(dice, scope, 0),
      metric: dice.chance(0.2) ? { type: 'inverted', metric: metric() } : metric(),
      threshold: dice.among([1, 3, 5, 10, 100]),
      aggregations,
      ...postAggregations,
      ...this.context(),
    };
  }

  groupBy(depth = 1) {
    const { dice } = this;
    const { scope, common } = this.source(depth);
    const dimensions = dice.some(dice.chance(0.06) ? 0 : 1, 2, (at) =>
      dimensionOf(dice, scope, at),
    );
    const { aggregations, postAggregations, metrics } = this.measures(
      scope,
      dice.chance(0.9) ? 1 : 0,
      3,
    );
    const limitSpec = dice.maybe(0.5, () => ({ limitSpec: this.limitSpec(dimensions, metrics) }));
    return {
      queryType: 'groupBy',
      ...common,
      granularity: dice.chance(0.7) ? 'all' : this.granularity(scope),
      ...this.filter(scope),
      dimensions: distinct(dimensions, nameOf),
      aggregations,
      ...postAggregations,
      ...dice.maybe(0.2, () => ({ having: havingOf(dice, scope, dimensions, metrics) })),
      ...limitSpec,
      ...dice.maybe(0.1, () => this.subtotals(dimensions)),
      ...this.context({ sortByDimsFirst: [0.06, true], resultAsArray: [0.04, true] }),
    };
  }

  limitSpec(dimensions, metrics) {
    const { dice } = this;
    const names = [...dimensions.map(nameOf), ...metrics];
    const column = () => {
      const dimension = dice.among(names);
      return dice.made([
        [1, () => dimension],
        [
          4,
          () => ({
            dimension,
            direction: dice.among(['ascending', 'descending', 'DESC', 'desc', 'asc']),
            ...dice.maybe(0.4, () => ({ dimensionOrder: dice.among(orders) })),
          }),
        ],
      ]);
    };
    return {
      type: 'default',
      ...(names.length > 0 && {
        columns: distinct(
          dice.some(dice.chance(0.1) ? 0 : 1, 2, column),
          (one) => one.dimension ?? one,
        ),
      }),
      ...dice.maybe(0.8, () => ({ limit: dice.among([1, 3, 5, 10, 100]) })),
      ...dice.maybe(0.1, () => ({ offset: dice.among([1, 2]) })),
    };
  }

  subtotals(dimensions) {
    const names = dimensions.map(nameOf);
    const sets = [names, names.slice(0, 1), names.slice(1), []];
    return { subtotalsSpec: this.dice.few(sets, 3) };
  }

  scan(depth = 1) {
    const { dice } = this;
    const { scope, common } = this.source(depth);
    const all = [
      ...scope.text,
      ...scope.long,
      ...scope.double,
      ...scope.arrays,
      ...scope.json,
      ...(scope.hasTime ? ['__time'] : []),
    ];
    const columns = dice.few(all, 4);
    const order = scope.hasTime
      ? dice.among([undefined, undefined, 'none', 'ascending', 'descending'])
      : undefined;
    return {
      queryType: 'scan',
      ...common,
      ...this.filter(scope),
      ...(dice.chance(0.93) && {
        columns: order && order !== 'none' ? [...new Set([...columns, '__time'])] : columns,
      }),
      ...(order && { order }),
      ...(scope.isSmall
        ? dice.maybe(0.3, () => ({ limit: 3 }))
        : { limit: dice.among([1, 5, 20]) }),
      ...dice.maybe(0.1, () => ({ offset: dice.among([1, 3]) })),
      ...dice.maybe(0.4, () => ({ resultFormat: dice.among(['list', 'compactedList']) })),
      ...dice.maybe(0.05, () => ({ batchSize: 2 })),
      ...this.context(),
    };
  }

  search() {
    const { dice } = this;
    const { scope, common } = this.source(0);
    return {
      queryType: 'search',
      ...common,
      granularity: dice.chance(0.85) ? 'all' : this.granularity(scope),
      ...this.filter(scope),
      ...dice.maybe(0.8, () => ({
        searchDimensions: dice.some(1, 3, (at) => dimensionOf(dice, scope, at)),
      })),
      query: searchOf(dice, () => valueFor(dice, scope, 'text')),
      ...dice.maybe(0.5, () => ({ sort: { type: dice.among([...orders, 'lexicographic']) } })),
      ...dice.maybe(0.5, () => ({ limit: dice.among([1, 5, 50]) })),
      ...this.context(),
    };
  }

  timeBoundary() {
    const { dice } = this;
    const scope = dice.among(sources);
    return {
      queryType: 'timeBoundary',
      dataSource: scope.name,
      ...dice.maybe(0.5, () => ({ bound: dice.among(['minTime', 'maxTime']) })),
      ...this.filter(scope),
      ...dice.maybe(0.3, () => ({ intervals: [scope.interval] })),
    };
  }

  segmentMetadata() {
    const { dice } = this;
    const scope = dice.among(sources);
    const analyses = [
      'cardinality',
      'interval',
      'minmax',
      'queryGranularity',
      'aggregators',
      'rollup',
      'timestampSpec',
    ];
    return {
      queryType: 'segmentMetadata',
      dataSource: scope.name,
      ...dice.maybe(0.7, () => ({ intervals: [scope.interval] })),
      ...dice.maybe(0.8, () => ({ analysisTypes: dice.few(analyses, 4) })),
      merge: true,
      ...dice.maybe(0.6, () => ({
        toInclude: dice.among([
          { type: 'all' },
          { type: 'none' },
          { type: 'list', columns: dice.few(scope.keys, 3) },
        ]),
      })),
      ...dice.maybe(0.2, () => ({ lenientAggregatorMerge: true })),
    };
  }

  /** A datasource of any kind, with its computed columns: the columns below, and the JSON. */
  source(depth = 1) {
    const { dice } = this;
    const made = dice.made([
      [12, () => this.table()],
      [depth > 0 ? 1.5 : 0, () => this.nested()],
      [depth > 0 ? 1 : 0, () => this.joined()],
      [depth > 0 ? 0.6 : 0, () => this.inline()],
      [depth > 0 ? 0.6 : 0, () => this.united()],
      [depth > 0 ? 0.5 : 0, () => this.unnested()],
      [depth > 0 ? 0.4 : 0, () => this.filtered()],
      [depth > 0 ? 0.4 : 0, () => this.ofLookup()],
    ]);
    let { scope } = made;
    const computed = dice.chance(0.3)
      ? dice.some(1, 2, (at) => virtualColumnOf(dice, scope, at))
      : [];
    for (const { kind, name } of computed) scope = withColumns(scope, kind, [name]);
    return {
      scope,
      common: {
        dataSource: made.dataSource,
        intervals:
          scope.hasTime && dice.chance(0.1)
            ? [halfOf(scope)]
            : dice.among([
                [scope.interval],
                [scope.interval],
                scope.interval,
                `${scope.interval},${scope.interval}`,
              ]),
        ...(computed.length > 0 && { virtualColumns: computed.map(({ column }) => column) }),
      },
    };
  }

  table() {
    const scope = { ...this.dice.among(sources), hasTime: true };
    return {
      scope,
      dataSource: this.dice.chance(0.8) ? scope.name : { type: 'table', name: scope.name },
    };
  }

  nested() {
    const { dice } = this;
    const { scope } = this.table();
    const isScan = dice.chance(0.2);
    const columns = dice.few([...scope.text, ...scope.long], 3);
    const dimensions = distinct(
      dice.some(1, 2, (at) =>
        dice.chance(0.6) ? dice.among(scope.keys) : dimensionOf(dice, scope, at),
      ),
      nameOf,
    );
    const { aggregations, postAggregations, numbers: made, sketches } = this.measures(scope, 1, 2);
    const inner = isScan
      ? {
          queryType: 'scan',
          dataSource: scope.name,
          intervals: [scope.interval],
          columns,
          ...(scope.isSmall ? {} : { limit: 20 }),
        }
      : {
          queryType: 'groupBy',
          dataSource: scope.name,
          intervals: [scope.interval],
          granularity: dice.among(['all', 'all', 'day']),
          ...this.filter(scope),
          dimensions,
          aggregations,
          ...postAggregations,
          ...dice.maybe(0.2, () => ({
            limitSpec: { type: 'default', columns: dimensions.map(nameOf), limit: 10 },
          })),
        };
    const keys = isScan
      ? columns.filter((name) => scope.text.includes(name))
      : dimensions.map(nameOf);
    const numbers = isScan ? columns.filter((name) => scope.long.includes(name)) : made;
    return {
      dataSource: { type: 'query', query: inner },
      scope: {
        ...plainScope(scope),
        text: keys.length > 0 ? keys : numbers,
        long: numbers,
        keys: [...keys, ...numbers],
        ...(!isScan && { sketches }),
      },
    };
  }

  joined() {
    const { dice } = this;
    const { scope } = this.table();
    const key = dice.among(scope.text.filter((name) => name !== 'mv'));
    const right = dice.among([
      () => ({ of: { type: 'lookup', lookup: lookup.name }, key: 'k', text: ['k', 'v'], long: [] }),
      () => ({ of: inlineSource, key: 'name', text: ['name'], long: ['size'] }),
      () => {
        const inner = {
          queryType: 'groupBy',
          dataSource: scope.name,
          intervals: [scope.interval],
          granularity: 'all',
          dimensions: [{ type: 'default', dimension: key, outputName: 'k' }],
          aggregations: [{ type: 'count', name: 'n' }],
        };
        return { of: { type: 'query', query: inner }, key: 'k', text: ['k'], long: ['n'] };
      },
    ])();
    const prefixed = (names) => names.map((name) => `r.${name}`);
    return {
      dataSource: {
        type: 'join',
        left: scope.name,
        right: right.of,
        rightPrefix: 'r.',
        condition: `${key} == "r.${right.key}"`,
        joinType: dice.among(['INNER', 'INNER', 'LEFT']),
      },
      scope: withColumns(
        withColumns(scope, 'text', prefixed(right.text)),
        'long',
        prefixed(right.long),
      ),
    };
  }

  inline() {
    return {
      dataSource: this.dice.among([inlineSource, inlineSource, mixedSource]),
      scope: {
        ...plainScope(sources[0]),
        text: ['name'],
        long: ['size'],
        keys: ['name', 'size'],
        interval: '-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z',
      },
    };
  }

  united() {
    const scope = { ...this.dice.among(sources), hasTime: true };
    return {
      dataSource: {
        type: 'union',
        dataSources: [scope.name, this.dice.among([scope, ...sources]).name],
      },
      scope: { ...scope, interval: sources[1].interval },
    };
  }

  unnested() {
    const { dice } = this;
    const scope = { ...sources.find(({ isSmall }) => isSmall), hasTime: true };
    const [expression, kind] = dice.among([
      ['mv', 'text'],
      ['words', 'text'],
      ['nums', 'long'],
      ['reals', 'double'],
    ]);
    return {
      dataSource: {
        type: 'unnest',
        base: scope.name,
        virtualColumn: {
          type: 'expression',
          name: 'u',
          expression: `"${expression}"`,
          outputType: { text: 'STRING', long: 'LONG', double: 'DOUBLE' }[kind],
        },
        ...dice.maybe(0.3, () => ({
          unnestFilter: { type: 'in', dimension: 'u', values: ['a', '7', '42'] },
        })),
      },
      scope: withColumns(scope, kind, ['u']),
    };
  }

  filtered() {
    const { scope } = this.table();
    return {
      dataSource: {
        type: 'filter',
        base: { type: 'table', name: scope.name },
        filter: filterOf(this.dice, scope, 1),
      },
      scope,
    };
  }

  ofLookup() {
    return {
      dataSource: { type: 'lookup', lookup: lookup.name },
      scope: {
        ...plainScope(sources[0]),
        text: ['k', 'v'],
        long: [],
        keys: ['k', 'v'],
        interval: '1960-01-01/2030-01-01',
      },
    };
  }

  /** Aggregators and post-aggregators, and the names of those that a query can compare. */
  measures(scope, least, most) {
    const { dice } = this;
    const usable = scope.long.length + scope.double.length > 0;
    const made = dice.some(least, most, (at) =>
      usable
        ? aggregatorOf(dice, scope, `a${at}`)
        : { gives: 'number', aggregator: { type: 'count', name: `a${at}` } },
    );
    const given = made.map(({ gives, aggregator }, at) => ({
      gives,
      name: aggregator.name ?? `a${at}`,
    }));
    const post = dice.chance(0.3)
      ? dice.some(1, 2, (at) => postAggregatorOf(dice, given, `p${at}`))
      : [];
    const namesOf = (items) => items.map(({ name }) => name);
    const isNumber = ({ gives }) => gives === 'number';
    const computed = post.filter(({ type }) =>
      ['arithmetic', 'expression', 'constant'].includes(type),
    );
    return {
      aggregations: made.map(({ aggregator }) => aggregator),
      postAggregations: post.length > 0 ? { postAggregations: post } : {},
      numbers: namesOf([...given.filter(isNumber), ...computed]),
      sketches: given.filter(({ gives }) => ['theta', 'hll', 'quantiles'].includes(gives)),
      // Sketches have an order, too.
      metrics: namesOf([...given.filter((one) => isNumber(one) || dice.chance(0.4)), ...computed]),
    };
  }

  filter(scope) {
    return this.dice.maybe(0.5, () => ({ filter: filterOf(this.dice, scope) }));
  }

  // Fine ones only over the day of edits.
  granularity(scope) {
    const { dice } = this;
    if (!scope.hasTime || scope.interval.length > 40) return 'all';
    if (scope.interval.startsWith('1960')) {
      return dice.among([
        'all',
        'year',
        'month',
        { type: 'period', period: 'P1Y', timeZone: dice.among(zones) },
        { type: 'period', period: 'P3M', origin: '1960-02-01T00:00:00Z' },
      ]);
    }
    return dice.among([
      'all',
      'all',
      'hour',
      'HOUR',
      'day',
      'six_hour',
      'fifteen_minute',
      { type: 'all' },
      { type: 'period', period: 'PT1H' },
      { type: 'period', period: 'PT2H', timeZone: dice.among(zones) },
      { type: 'period', period: 'P1D', timeZone: dice.among(zones) },
      { type: 'period', period: 'P1W', timeZone: dice.among(zones) },
      { type: 'period', period: 'PT6H', origin: '2015-09-12T01:30:00Z' },
      { type: 'duration', duration: 7_200_000 },
      { type: 'duration', duration: 3_600_000, origin: '2015-09-12T00:10:00Z' },
    ]);
  }

  // Each own key has a probability and its values.
  context(own = {}) {
    const { dice } = this;
    const keys = {
      finalize: [0.06, true, false],
      vectorize: [0.05, false, true],
      useCache: [0.1, false],
      ...own,
    };
    const entries = Object.entries(keys).flatMap(([key, [share, ...choices]]) =>
      dice.chance(share) ? [[key, dice.among(choices)]] : [],
    );
    return entries.length > 0 ? { context: Object.fromEntries(entries) } : {};
  }
}

const inlineSource = {
  type: 'inline',
  columnNames: ['name', 'size'],
  columnTypes: ['STRING', 'LONG'],
  rows: [
    ['#en.wikipedia', 1],
    ['US', 2],
    ['a', 3],
    ['true', 4],
    [null, null],
    ['a', 5],
  ],
};

// Values of other types than those of their columns.
const mixedSource = {
  ...inlineSource,
  rows: [
    ['US', 1.5],
    [7, '42'],
    [true, 2],
    [null, null],
    ['a', 'x'],
  ],
};

const plainScope = (scope) => ({
  ...scope,
  text: [],
  long: [],
  double: [],
  arrays: [],
  json: [],
  several: [],
  hasTime: false,
  isSmall: true,
});

const halfOf = ({ interval }) =>
  interval.startsWith('1960')
    ? '1960-01-01/2016-01-01'
    : '2015-09-12T06:00:00Z/2015-09-12T12:00:00Z';

const distinct = (items, keyOf) =>
  items.filter((one, at) => items.findIndex((other) => keyOf(other) === keyOf(one)) === at);
