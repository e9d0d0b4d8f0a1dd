// Charts as documents: each is well-formed XML without anything outside of it.
import { parser } from 'sax';
import { expect, test } from 'vitest';
import { chartKinds, chartOf } from '../../../src/cli/chart/chart.ts';
import { svgOf } from '../../../src/cli/chart/svg.ts';
import { chartColumns } from '../../../src/cli/chart/table.ts';

const namesOfElements = (document: string) => {
  const found: string[] = [];
  const strict = parser(true);
  strict.onopentag = ({ name }) => found.push(name);
  strict.write(document).close();
  return found;
};

test.each(chartKinds)('a %s is a valid document, whatever the names are', (kind) => {
  const rows = Array.from({ length: 30 }, (_, at) => [
    new Date(at * 3_600_000).toISOString(),
    ['<a href="x">&', '\x1b[2J\u0000', '\ud800', 'ordinary'][at % 4],
    at % 5 === 0 ? null : at - 10,
  ]);
  const columns = chartColumns(['t', 'a<b', 'n'], ['TIMESTAMP', 'VARCHAR', 'BIGINT'], rows);
  const document = svgOf(chartOf(columns, kind));
  const elements = namesOfElements(document);
  expect(elements[0]).toBe('svg');
  expect(elements.length).toBeGreaterThan(10);
  expect(document).not.toMatch(/NaN|Infinity|undefined|<a /);
});

test.each(chartKinds)('a %s without values is a valid document', (kind) => {
  const columns = chartColumns(['t', 'a', 'n'], ['TIMESTAMP', 'VARCHAR', 'BIGINT'], []);
  const document = svgOf(chartOf(columns, kind));
  expect(namesOfElements(document)[0]).toBe('svg');
  expect(document).toContain('There are no values to draw.');
});

test('a line has one path for each run of values', () => {
  const rows = [1, 2, null, 4].map((n, at) => [new Date(at * 1000).toISOString(), n]);
  const columns = chartColumns(['t', 'n'], ['TIMESTAMP', 'BIGINT'], rows);
  const elements = namesOfElements(svgOf(chartOf(columns, 'auto')));
  expect(elements.filter((name) => name === 'polyline')).toHaveLength(1);
  expect(elements.filter((name) => name === 'circle')).toHaveLength(1);
});
