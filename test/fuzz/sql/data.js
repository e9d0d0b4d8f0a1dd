// Test data: a day of Wikipedia edits, rows with every type and its edge cases, and a lookup.
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../src/demo', import.meta.url));
const dimension = (name, type = 'string') => ({ type, name });
const array = (name, castToType) => ({ type: 'auto', name, castToType });

const taskOf = (dataSource, inputSource, timestampSpec, dimensions) => ({
  type: 'index_parallel',
  spec: {
    ioConfig: { type: 'index_parallel', inputSource, inputFormat: { type: 'json' } },
    tuningConfig: { type: 'index_parallel', partitionsSpec: { type: 'dynamic' } },
    dataSchema: {
      dataSource,
      timestampSpec,
      dimensionsSpec: { dimensions },
      granularitySpec: { queryGranularity: 'none', rollup: false, segmentGranularity: 'day' },
    },
  },
});

const texts =
  'channel cityName comment countryIsoCode countryName isAnonymous isMinor isNew isRobot isUnpatrolled namespace page regionIsoCode regionName user'.split(
    ' ',
  );

const oddRows = [
  {
    t: '2015-09-12T00:46:58.771Z',
    s: 'alpha',
    n: 1,
    m: 3,
    d: 1.5,
    f: 0.5,
    mv: ['a', 'b'],
    words: ['a', 'b'],
    nums: [1, 2, null],
    reals: [0.5, -2],
    j: { x: 1, y: ['p', { z: null }], o: { k: 'v' } },
  },
  {
    t: '2015-09-12T01:00:00Z',
    s: '',
    n: '-9007199254740993',
    m: -1,
    d: -1e300,
    f: 1e30,
    mv: [],
    words: [],
    nums: [],
    reals: [],
    j: { x: 'one', y: [], o: {} },
  },
  {
    t: '2016-02-29T23:59:59.999Z',
    s: null,
    n: null,
    m: null,
    d: null,
    f: null,
    mv: null,
    words: null,
    nums: null,
    reals: null,
    j: null,
  },
  {
    t: '1969-12-31T23:59:59Z',
    s: '2015-09-12',
    n: 0,
    m: 0,
    d: -0.0,
    f: 0,
    mv: ['a', null],
    words: ['a', null],
    nums: [0],
    reals: [0],
    j: { x: 0.5 },
  },
  {
    t: '2024-03-10T07:30:00Z',
    s: "it's 😀",
    n: '9007199254740993',
    m: 2,
    d: 1e-9,
    f: -3.25,
    mv: 'b',
    words: ['b'],
    nums: [7, 7],
    reals: [7.5],
    j: { x: true, 1: 2.5 },
  },
  {
    t: '2024-11-03T05:30:00Z',
    s: '42',
    n: 100,
    m: 100,
    d: 42,
    f: 42,
    mv: ['42', 'x,y'],
    words: ['42', 'x,y'],
    nums: [42],
    reals: [42],
    j: { x: '7' },
  },
  {
    t: '2024-11-03T06:30:00Z',
    s: '007',
    n: 7,
    m: 7,
    d: 0.1,
    f: 0.1,
    mv: ['a', 'a', 'b'],
    words: ['a', 'a', 'b'],
    nums: ['9007199254740993'],
    reals: [0.1],
    j: { x: 12, y: [1, 2, 3] },
  },
  {
    t: '2015-03-29T01:00:00Z',
    s: 'Alpha',
    n: -7,
    m: -7,
    d: 2.5,
    f: 2.5,
    mv: ['c'],
    words: ['c'],
    nums: [-7, 5],
    reals: [2.5, null],
    j: { x: -1, o: { k: null } },
  },
];
// A number beyond 53 bits stands as text, and the negative zero is written out: JavaScript's JSON
// has neither.
const oddLines = oddRows
  .map((row) => JSON.stringify(row))
  .map((line) => (line.includes('"s":"2015-09-12"') ? line.replace('"d":0,', '"d":-0.0,') : line));

/** The datasources, with the native task that makes each and how many rows it then has. */
export const datasources = [
  {
    name: 'fuzz_edits',
    rows: 39_244,
    task: taskOf(
      'fuzz_edits',
      { type: 'local', baseDir: folder, filter: 'wikiticker-2015-09-12-sampled.json.gz' },
      { column: 'time', format: 'iso' },
      [
        ...texts.map((name) => dimension(name)),
        ...['added', 'deleted', 'delta', 'metroCode'].map((name) => dimension(name, 'long')),
      ],
    ),
  },
  {
    name: 'fuzz_types',
    rows: oddRows.length,
    task: taskOf(
      'fuzz_types',
      { type: 'inline', data: oddLines.join('\n') },
      { column: 't', format: 'iso' },
      [
        dimension('s'),
        dimension('mv'),
        dimension('n', 'long'),
        dimension('m', 'long'),
        dimension('d', 'double'),
        dimension('f', 'float'),
        array('words', 'ARRAY<STRING>'),
        array('nums', 'ARRAY<LONG>'),
        array('reals', 'ARRAY<DOUBLE>'),
        dimension('j', 'json'),
      ],
    ),
  },
];

/** The lookup that statements name: two channels and a country. */
export const lookup = {
  name: 'fuzz_names',
  map: { '#en.wikipedia': 'English', '#de.wikipedia': 'Deutsch', US: 'United States', a: 'A' },
};

/** The tables of the datasources, with the columns of each kind that the generator knows. */
export const tables = [
  {
    name: 'fuzz_edits',
    columns: {
      text: [...texts.filter((name) => name !== 'user'), '"user"'],
      long: ['added', 'deleted', 'delta', 'metroCode'],
      time: ['__time'],
    },
    keys: [
      'channel',
      'isRobot',
      'isNew',
      'namespace',
      'countryName',
      'isAnonymous',
      'cityName',
      'metroCode',
    ],
  },
  {
    name: 'fuzz_types',
    columns: {
      text: ['s', 's', 'mv'],
      long: ['n', 'm'],
      double: ['d', 'f'],
      time: ['__time'],
      texts: ['words'],
      longs: ['nums'],
      doubles: ['reals'],
      json: ['j'],
    },
    keys: ['s', 'mv', 'n', 'm', 'd', 'f'],
  },
];
