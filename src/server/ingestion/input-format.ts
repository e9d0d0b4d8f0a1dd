// Input formats (Druid: ingestion/data-formats).
import { type JavaPattern, parseJavaPattern } from '../../sql/regex/java-pattern.ts';
import { PatternError } from '../../sql/regex/pattern-error.ts';
import { checkSchema } from '../avro/schema.ts';
import { invalidSpec, type SpecFields, type SpecValues } from '../checks/spec-fields.ts';
import { type FlattenPath, longestPath, parseFlattenPath, valueAt } from './flatten-path.ts';
import { parseJqPath } from './json-path.ts';

export type InputFormat =
  | JsonFormat
  | DelimitedFormat
  | RegexFormat
  | AvroFormat
  | { readonly type: 'parquet' }
  | { readonly type: 'lines' };

export interface JsonFormat {
  readonly type: 'json';
  readonly useFieldDiscovery: boolean;
  readonly keepNullColumns: boolean; // fields that are null in all rows are discovered, too
  readonly isWhole?: true; // text behind the object of a line makes it unreadable
  readonly fields: readonly FlattenedField[];
}

export interface FlattenedField {
  readonly name: string;
  readonly path: FlattenPath;
}

export interface DelimitedFormat {
  readonly type: 'csv' | 'tsv';
  readonly columns: readonly string[] | undefined;
  readonly findColumnsFromHeader: boolean;
  readonly skipHeaderRows: number;
  readonly delimiter: string;
  readonly listDelimiter: string;
  readonly tryParseNumbers: boolean;
}

export interface RegexFormat {
  readonly type: 'regex';
  readonly pattern: JavaPattern; // of whole lines
  readonly columns: readonly string[] | undefined;
  readonly listDelimiter: string;
}

export interface AvroFormat {
  readonly type: 'avro_ocf';
  readonly rows: JsonFormat; // the format of a row's JSON
  readonly readerSchema: SpecValues | undefined;
  readonly binaryAsString: boolean;
  readonly extractUnionsByType: boolean;
}

const formats = ['json', 'csv', 'tsv', 'regex', 'parquet', 'lines', 'avro_ocf'] as const;

// Formats of the real engine. ORC has no maintained reader for this platform.
const unavailable = ['avro_stream', 'javascript', 'kinesis', 'orc', 'protobuf', 'thrift'];

/**
 * Reads the specification of an input format; throws a Refusal for one that is missing, unknown or
 * contradictory.
 */
export function parseInputFormat(fields: SpecFields): InputFormat {
  if (fields.values.type === 'kafka')
    throw invalidSpec(
      `Input format [kafka] in [${fields.path}] reads records of a topic, not files: use it in supervisors and in the sampler of type [kafka]`,
    );
  fields.refuseTypes('Input format', unavailable, 'svcctl help limits');
  const type = fields.type('InputFormat', formats);
  switch (type) {
    case 'json':
      return jsonFormat(fields);
    case 'csv':
    case 'tsv':
      return delimitedFormat(fields, type);
    case 'regex':
      return {
        type,
        pattern: linePattern(fields),
        columns: fields.optionalTexts('columns'),
        listDelimiter: fields.optionalText('listDelimiter') ?? defaultListDelimiter,
      };
    case 'avro_ocf':
      return {
        type,
        rows: jsonFormat(fields),
        readerSchema: readerSchema(fields.optionalObject('schema')),
        binaryAsString: fields.truth('binaryAsString'),
        extractUnionsByType: fields.truth('extractUnionsByType'),
      };
    case 'parquet':
    case 'lines':
      return { type };
  }
}

function readerSchema(schema: SpecFields | undefined): SpecValues | undefined {
  if (!schema) return undefined;
  if (schema.values.type !== 'record') schema.refuse('the schema of rows must be of type [record]');
  try {
    checkSchema(schema.values);
  } catch (error) {
    schema.refuse(`the schema cannot be used: ${error instanceof Error ? error.message : error}`);
  }
  return schema.values;
}

function linePattern(format: SpecFields): JavaPattern {
  const pattern = format.text('pattern');
  try {
    return parseJavaPattern(pattern, false);
  } catch (error) {
    if (error instanceof PatternError)
      format.refuse(`pattern [${pattern}] cannot be used: ${error.message}`);
    throw error;
  }
}

const defaultListDelimiter = '\u0001'; // Control-A

function jsonFormat(format: SpecFields): JsonFormat {
  refuseFeatures(format);
  format.truth('assumeNewlineDelimited'); // not read, but checked as by the real engine
  const flatten = format.optionalObject('flattenSpec');
  const useFieldDiscovery = flatten?.truth('useFieldDiscovery', true);
  const fields = (flatten?.textsOrObjects('fields') ?? []).map(flattenField);
  const seen = new Set<string>();
  const twice = fields.find(({ name }) => seen.size === seen.add(name).size);
  if (twice) flatten?.refuse(`Cannot have duplicate field definition: [${twice.name}]`);
  return {
    type: 'json',
    useFieldDiscovery: useFieldDiscovery ?? true,
    keepNullColumns: format.truth('keepNullColumns', useFieldDiscovery),
    fields,
  };
}

// Switches of the engine's JSON parser that accept what is not JSON.
function refuseFeatures(format: SpecFields): void {
  const features = Object.entries(format.optionalObject('featureSpec')?.values ?? {});
  const [feature] = features.find(([name, value]) => value === true && isLenient(name)) ?? [];
  if (feature !== undefined)
    format.refuse(`feature [${feature}] of [featureSpec] is not available: only JSON is read`);
}

const isLenient = (feature: string) =>
  feature.startsWith('ALLOW_') || feature === 'STRICT_DUPLICATE_DETECTION';

function flattenField(field: string | SpecFields): FlattenedField {
  if (typeof field === 'string') return { name: field, path: valueAt(field) };
  const type = field.type('JSONPathFieldSpec', ['root', 'path', 'jq', 'tree']);
  const name = field.text('name');
  if (type === 'tree') {
    const nodes = field.texts('nodes');
    if (nodes.length === 0) field.refuse(`Missing 'nodes' for field[${name}]`);
    return { name, path: valueAt(...nodes) };
  }
  if (type === 'root') return { name, path: valueAt(field.optionalText('expr') ?? name) };
  const expr = field.optionalText('expr') ?? field.refuse(`Missing 'expr' for field[${name}]`);
  const path = type === 'path' ? parseFlattenPath(expr) : jqPath(expr);
  if (path) return { name, path };
  const readable = type === 'path' ? 'names, indexes, slices and wildcards' : 'names and indexes';
  return field.refuse(
    expr.length > longestPath
      ? `an expression of type [${type}] has more than [${longestPath}] characters`
      : `expression [${expr}] of type [${type}] is not a path of ${readable}`,
  );
}

function jqPath(program: string): FlattenPath | undefined {
  const steps = program.length <= longestPath ? parseJqPath(program) : undefined;
  return steps && { kind: 'value', steps };
}

function delimitedFormat(format: SpecFields, type: 'csv' | 'tsv'): DelimitedFormat {
  const columns = format.optionalTexts('columns');
  if (!columns && !format.has('findColumnsFromHeader') && !format.has('hasHeaderRow'))
    format.refuse('Either [columns] or [findColumnsFromHeader] must be set');
  const findColumnsFromHeader = format.truth('findColumnsFromHeader', format.truth('hasHeaderRow'));
  if (columns?.length === 0 || (!columns && !findColumnsFromHeader)) {
    format.refuse(
      'If columns field is not set, the first row of your data must have your header and hasHeaderRow must be set to true.',
    );
  }
  const delimiter = type === 'csv' ? ',' : (format.optionalText('delimiter') ?? '\t');
  const listDelimiter = format.optionalText('listDelimiter') ?? defaultListDelimiter;
  if (delimiter === listDelimiter)
    format.refuse(`Cannot have same delimiter and list delimiter of [${delimiter}]`);
  const clash = columns?.find((column) => column.includes(delimiter));
  if (clash !== undefined)
    format.refuse(`Column[${clash}] cannot have the delimiter[${delimiter}] in its name`);
  const twice = columns?.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) format.refuse(`Duplicate column entries found : [${twice}]`);
  return {
    type,
    columns,
    findColumnsFromHeader,
    skipHeaderRows: format.integer('skipHeaderRows', 0),
    delimiter,
    listDelimiter,
    tryParseNumbers: format.truth('tryParseNumbers', format.truth('shouldParseNumbers')),
  };
}
