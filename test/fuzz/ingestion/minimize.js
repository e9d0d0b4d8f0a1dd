// The smallest specification that still shows the same kind of difference, and its shape.
import { changed } from '../native/slips.js';
import { smallestOf } from '../smallest.js';

/** @param {object} given @param {(specification: object) => Promise<boolean>} shows */
export const minimizedSample = (given, shows) =>
  smallestOf(given, {
    candidates: smallerOnes,
    sizeOf: (one) => JSON.stringify(one).length,
    shows,
    most: 60,
  });

function* smallerOnes(specification) {
  const { dataSchema, ioConfig } = specification.spec;
  const { inputSource, inputFormat } = ioConfig;
  const lines = inputSource.data.split('\n');
  for (const at of lines.keys())
    for (const shorter of [[], ...shorterLines(lines[at])])
      if (lines.length > 1 || shorter.length > 0)
        yield changed(
          specification,
          { parent: inputSource, key: 'data' },
          lines.toSpliced(at, 1, ...shorter).join('\n'),
        );
  const { dimensionsSpec, transformSpec, metricsSpec } = dataSchema;
  const lists = [metricsSpec, transformSpec.transforms, dimensionsSpec.dimensions];
  for (const parent of [transformSpec, dimensionsSpec, inputFormat, ...lists])
    for (const key of Object.keys(parent ?? {}))
      if (key !== 'type') yield changed(specification, { parent, key }, undefined);
  for (const key of Object.keys(inputFormat.flattenSpec?.fields ?? {}))
    yield changed(specification, { parent: inputFormat.flattenSpec.fields, key }, undefined);
}

function shorterLines(line) {
  try {
    const row = JSON.parse(line);
    return Object.keys(row).map((name) => {
      const { [name]: _, ...rest } = row;
      return [JSON.stringify(rest)];
    });
  } catch {
    return [];
  }
}

/** The shape of a specification: its format, and which of its parts it has. */
export function shapeOfSample({ spec: { ioConfig, dataSchema } }) {
  const { transformSpec, metricsSpec, dimensionsSpec } = dataSchema;
  return [
    ioConfig.inputFormat.type,
    ioConfig.inputFormat.flattenSpec && 'flattenSpec',
    dimensionsSpec.useSchemaDiscovery && 'useSchemaDiscovery',
    transformSpec.transforms?.map(({ expression }) => expression).join(', '),
    transformSpec.filter && 'filter',
    metricsSpec.map(({ type }) => type).join(', '),
  ]
    .filter(Boolean)
    .join(' ');
}
