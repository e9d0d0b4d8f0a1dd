// The two datasources of the comparison, ingested alike into both services: a day of Wikipedia
// edits, and the lineitem table of TPC-H (made-up rows of its shape without its generator).
import { spawnSync } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

export const demoFolder = fileURLToPath(new URL('../../../src/demo', import.meta.url));

const taskOf = (dataSource, inputSource, inputFormat, timestampSpec, dimensions, granularity) => ({
  type: 'index_parallel',
  spec: {
    ioConfig: { type: 'index_parallel', inputSource, inputFormat },
    tuningConfig: { type: 'index_parallel', partitionsSpec: { type: 'dynamic' } },
    dataSchema: {
      dataSource,
      timestampSpec,
      dimensionsSpec: { dimensions },
      granularitySpec: {
        queryGranularity: 'none',
        rollup: false,
        segmentGranularity: granularity,
      },
    },
  },
});

const typed = (type, names) => names.split(' ').map((name) => ({ type, name }));

export const editsTask = taskOf(
  'edits',
  { type: 'local', baseDir: demoFolder, filter: 'wikiticker-2015-09-12-sampled.json.gz' },
  { type: 'json' },
  { column: 'time', format: 'iso' },
  [
    ...typed(
      'string',
      'channel cityName comment countryIsoCode countryName isAnonymous isMinor isNew isRobot isUnpatrolled namespace page regionIsoCode regionName user',
    ),
    ...typed('long', 'added deleted delta metroCode'),
  ],
  'day',
);

export const lineitemTask = (folder) =>
  taskOf(
    'lineitem',
    { type: 'local', baseDir: folder, filter: 'lineitem.csv' },
    { type: 'csv', findColumnsFromHeader: true },
    { column: 'l_shipdate', format: 'iso' },
    [
      ...typed('long', 'l_orderkey l_partkey l_suppkey l_linenumber'),
      ...typed('double', 'l_quantity l_extendedprice l_discount l_tax'),
      ...typed(
        'string',
        'l_returnflag l_linestatus l_commitdate l_receiptdate l_shipinstruct l_shipmode l_comment',
      ),
    ],
    'year',
  );

/** Writes lineitem.csv into a folder unless it is there; returns where its rows come from. */
export async function writeLineitem(folder, rows) {
  const file = join(folder, 'lineitem.csv');
  if (existsSync(file)) return 'lineitem.csv as it was given';
  const scale = String(rows / 6_000_000);
  const made = spawnSync(
    'tpchgen-cli',
    ['csv', '-s', scale, '--tables=lineitem', `--output-dir=${folder}`],
    { stdio: 'ignore' },
  );
  if (made.status === 0) return `tpchgen-cli, scale ${scale}`;
  await pipeline(Readable.from(madeLines(rows)), createWriteStream(file));
  return 'made-up rows (tpchgen-cli of PyPI makes those of TPC-H)';
}

const columns =
  'l_orderkey,l_partkey,l_suppkey,l_linenumber,l_quantity,l_extendedprice,l_discount,l_tax,l_returnflag,l_linestatus,l_shipdate,l_commitdate,l_receiptdate,l_shipinstruct,l_shipmode,l_comment';
const modes = ['AIR', 'FOB', 'MAIL', 'RAIL', 'REG AIR', 'SHIP', 'TRUCK'];
const instructions = ['COLLECT COD', 'DELIVER IN PERSON', 'NONE', 'TAKE BACK RETURN'];
const words = 'carefully final furious deposits sleep quickly above the ironic pending'.split(' ');

function* madeLines(rows) {
  yield `${columns}\n`;
  const [start, end] = [Date.UTC(1992, 0, 2), Date.UTC(1998, 11, 1)];
  const day = (ms) => new Date(ms).toISOString().slice(0, 10);
  for (let from = 0; from < rows; from += 1000) {
    const block = [];
    for (let at = from; at < Math.min(from + 1000, rows); at++) {
      const mixed = (at * 2_654_435_761) % 4_294_967_296;
      const ship = start + (mixed % Math.round((end - start) / 86_400_000)) * 86_400_000;
      const comment = [0, 3, 7, 5].map((step) => words[(mixed + step * at) % 10]).join(' ');
      block.push(
        [
          at >> 2,
          1 + (mixed % 200_000),
          1 + (mixed % 10_000),
          1 + (at % 7),
          1 + (mixed % 50),
          (900 + (mixed % 100_000) / 100).toFixed(2),
          (mixed % 11) / 100,
          (mixed % 9) / 100,
          'ANR'[mixed % 3],
          'FO'[mixed % 2],
          day(ship),
          day(ship - (mixed % 60) * 86_400_000),
          day(ship + (1 + (mixed % 30)) * 86_400_000),
          instructions[mixed % 4],
          modes[mixed % 7],
          comment,
        ].join(),
      );
    }
    yield `${block.join('\n')}\n`;
  }
}
