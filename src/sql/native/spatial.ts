// Bounds of spatial filters (docs/querying/spatial-filters.md) as conditions on texts of
// coordinates. Like the engine, they compute with floats.
import { doubleNumber } from '../expressions/duckdb-text.ts';
import { checkLimit } from '../limits.ts';
import { kindOf, listIn, malformed, type Node, nodeOf, numberIn, textOr } from './members.ts';

/**
 * Whether the coordinates in a text lie within a bound (parsed JSON), as DuckDB text.
 * Throws SqlError.
 */
export function withinBound(bound: unknown, text: string): string {
  if (bound === undefined || bound === null)
    throw malformed('[bound] of [spatial] must not be null');
  const node = nodeOf(bound, 'bound');
  return kindOf(bounds, node, 'Bound')(node, text);
}

const bounds: Readonly<Record<string, (node: Node, text: string) => string>> = {
  polygon(node, text) {
    const [xs, ys] = [floats(node, 'abscissa'), floats(node, 'ordinate')];
    if (xs.length !== ys.length)
      throw malformed('[abscissa] and [ordinate] of [polygon] must have the same length');
    if (xs.length < 3) throw malformed(`A polygon has at least 3 corners, not [${xs.length}]`);
    checkLimit('polygonCorners', xs.length);
    const edges = xs.map((x, index) =>
      edgeOf([x, ys[index] ?? 0], [xs.at(index - 1) ?? 0, ys.at(index - 1) ?? 0]),
    );
    return `druid_in_polygon(${text}, [${edges.join(', ')}])`;
  },
  radius(node, text) {
    const center = floats(node, 'coords');
    const radius =
      node.radius === undefined || node.radius === null ? 0 : Math.fround(numberIn(node, 'radius'));
    const unit = textOr(node, 'radiusUnit', 'euclidean');
    if (unit !== 'euclidean' && !Object.hasOwn(metersOf, unit))
      throw malformed(
        `[radiusUnit] of [radius] is [${unit}], but must be one of [${['euclidean', ...Object.keys(metersOf)].join(', ')}]`,
      );
    if (center.length !== 2) return nowhere;
    const within = unit === 'euclidean' ? 'druid_in_circle' : 'druid_in_distance';
    const most =
      unit === 'euclidean' ? radius ** 2 : Math.fround(radius * Math.fround(metersOf[unit] ?? 1));
    return `${within}(${text}, ${center.map(doubleNumber).join(', ')}, ${doubleNumber(most)})`;
  },
  rectangular(node, text) {
    const [low, high] = [floats(node, 'minCoords'), floats(node, 'maxCoords')];
    if (low.length !== high.length)
      throw malformed('[minCoords] and [maxCoords] of [rectangular] must have the same length');
    if (low.length !== 2) return nowhere;
    return `druid_in_rectangle(${text}, ${[...low, ...high].map(doubleNumber).join(', ')})`;
  },
};

// Spatial columns have two coordinates. A bound with another number of them contains no value.
const nowhere = 'false';

const metersOf: Readonly<Record<string, number>> = { meters: 1, kilometers: 1000, miles: 1609.344 };

const floats = (node: Node, key: string): number[] =>
  listIn(node, key, (value) =>
    value === null ? 0 : Math.fround(numberIn({ type: node.type, [key]: value }, key)),
  );

// The edge from a corner to the previous one.
function edgeOf([x, y]: readonly [number, number], [toX, toY]: readonly [number, number]): string {
  const parts = {
    x,
    y,
    to_x: toX,
    to_y: toY,
    run: Math.fround(toX - x),
    rise: Math.fround(toY - y),
  };
  return `{${Object.entries(parts)
    .map(([name, value]) => `${name}: ${doubleNumber(value)}`)
    .join(', ')}}`;
}
