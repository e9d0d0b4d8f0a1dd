// The dimensionsSpec: stored columns and their types (Druid: ingestion/ingestion-spec).
import type { SpecFields } from '../checks/spec-fields.ts';

export interface DimensionsSpec {
  readonly dimensions: readonly IngestedDimension[];
  readonly exclusions: readonly string[];
  readonly includeAllDimensions: boolean;
  readonly useSchemaDiscovery: boolean;
}

export interface IngestedDimension {
  readonly name: string;
  readonly type: DimensionType;
  readonly multiValueHandling: MultiValueHandling;
  readonly castToType: string | undefined; // of `auto`
  // For `spatial`: the fields with its coordinates
  readonly dims: readonly string[] | undefined;
}

export type DimensionType = (typeof dimensionTypes)[number];
const dimensionTypes = ['string', 'long', 'float', 'double', 'auto', 'json', 'spatial'] as const;

/** Whether the values of a dimension decide its type (Druid: the format 5 of `json` is `auto`). */
export const isTypedByValues = ({ type }: Pick<IngestedDimension, 'type'>): boolean =>
  type === 'auto' || type === 'json';

export type MultiValueHandling = 'SORTED_ARRAY' | 'SORTED_SET' | 'ARRAY';

/** Reads a dimensionsSpec; throws a Refusal for unknown types and duplicate names. */
export function parseDimensionsSpec(fields: SpecFields | undefined): DimensionsSpec {
  const dimensions = [
    ...(fields?.textsOrObjects('dimensions') ?? []).map((given) =>
      typeof given === 'string' ? stringDimension(given) : dimension(given),
    ),
    ...(fields?.objects('spatialDimensions') ?? []).map((given) =>
      spatialDimension(given.text('dimName'), given),
    ), // the older form
  ];
  const exclusions = fields?.texts('dimensionExclusions') ?? [];
  const place = dimensions.findIndex(({ name }) => name === '__time');
  if (place > 0 && fields?.truth('forceSegmentSortByTime', true))
    fields.refuse(
      `Encountered dimension[__time] at position[${place}]. This is only supported when [forceSegmentSortByTime] is set to [false]`,
    );
  const known = new Set<string>();
  const twice = dimensions.find(({ name }) => known.size === known.add(name).size);
  if (twice) fields?.refuse(`Duplicate column entries found : [${twice.name}]`);
  const excluded = new Set(exclusions);
  const both = dimensions.find(({ name }) => excluded.has(name));
  if (both) fields?.refuse(`dimensions and dimensions exclusions cannot overlap: [${both.name}]`);
  return {
    dimensions,
    exclusions,
    includeAllDimensions: fields?.truth('includeAllDimensions') ?? false,
    useSchemaDiscovery: fields?.truth('useSchemaDiscovery') ?? false,
  };
}

export const stringDimension = (name: string): IngestedDimension => ({
  name,
  type: 'string',
  multiValueHandling: 'SORTED_ARRAY',
  castToType: undefined,
  dims: undefined,
});

export const autoDimension = (name: string): IngestedDimension => ({
  ...stringDimension(name),
  type: 'auto',
});

const spatialDimension = (name: string, fields: SpecFields): IngestedDimension => ({
  ...stringDimension(name),
  type: 'spatial',
  dims:
    fields.optionalTexts('dims') ??
    fields.refuse('a spatial dimension needs the fields of its coordinates in [dims]'),
});

function dimension(fields: SpecFields): IngestedDimension {
  const type = fields.type('DimensionSchema', dimensionTypes, 'string');
  if (type === 'spatial') return spatialDimension(fields.text('name'), fields);
  const handling = (fields.optionalText('multiValueHandling') ?? 'SORTED_ARRAY').toUpperCase();
  if (handling !== 'SORTED_ARRAY' && handling !== 'SORTED_SET' && handling !== 'ARRAY') {
    return fields.refuse(
      `Cannot deserialize multiValueHandling [${handling}]: not one of [SORTED_ARRAY, SORTED_SET, ARRAY]`,
    );
  }
  if (type === 'string') fields.truth('createBitmapIndex'); // not read, but checked as there
  const castToType = fields.optionalText('castToType')?.toUpperCase();
  if (
    castToType !== undefined &&
    !/^(ARRAY<)?(STRING|LONG|DOUBLE|FLOAT)>?$/.test(castToType) &&
    castToType !== 'COMPLEX<JSON>'
  ) {
    fields.refuse(`Invalid castToType [${castToType}]`);
  }
  return {
    name: fields.text('name'),
    type,
    multiValueHandling: handling,
    castToType: castToType?.replace('COMPLEX<JSON>', 'COMPLEX<json>'),
    dims: undefined,
  };
}
