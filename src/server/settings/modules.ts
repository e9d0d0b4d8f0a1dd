// Version and module names that /status reports. Clients search for extensions by these names.
import { version as ownVersion } from '../../../package.json';
import { type EngineVersion, versionText } from '../../model/engine-version.ts';
import type { Extension, Extensions } from './extensions.ts';

interface Module {
  readonly name: string;
  readonly artifact: string;
  readonly version: string;
}

export interface Program {
  readonly version: string;
  readonly modules: readonly Module[];
}

/**
 * Version and modules of the real engine for a service named druid; those of this program for any
 * other name.
 */
export function programOf(
  service: string,
  engineVersion: EngineVersion,
  extensions: Extensions,
): Program {
  const own = { name: 'svcctl', artifact: 'svcctl', version: ownVersion };
  if (service !== 'druid') return { version: ownVersion, modules: [own] };
  const version = versionText(engineVersion);
  const listed = Object.entries(modulesOf).filter(
    ([extension]) => alwaysOn.includes(extension) || extensions.has(extension as Extension),
  );
  const modules = listed.flatMap(([extension, names]) =>
    names.map((name) => ({
      name: `org.apache.druid.${name}`,
      artifact: `druid-${extension}`,
      version,
    })),
  );
  return { version, modules: [...modules, own] };
}

const alwaysOn = ['lookups-cached-global', 'multi-stage-query'];

// Names in GET /status of a Druid cluster with these extensions, without `org.apache.druid.`.
const modulesOf: Readonly<
  Record<Extension | 'lookups-cached-global' | 'multi-stage-query', readonly string[]>
> = {
  'avro-extensions': ['data.input.avro.AvroExtensionsModule'],
  'basic-security': ['security.basic.BasicSecurityDruidModule'],
  'bloom-filter': ['guice.BloomFilterExtensionModule'],
  datasketches: [
    'query.aggregation.datasketches.theta.SketchModule',
    'query.aggregation.datasketches.theta.oldapi.OldApiSketchModule',
    'query.aggregation.datasketches.quantiles.DoublesSketchModule',
    'query.aggregation.datasketches.tuple.ArrayOfDoublesSketchModule',
    'query.aggregation.datasketches.hll.HllSketchModule',
    'query.aggregation.datasketches.kll.KllSketchModule',
  ],
  histogram: ['query.aggregation.histogram.ApproximateHistogramDruidModule'],
  'kafka-indexing-service': ['indexing.kafka.KafkaIndexTaskModule'],
  'lookups-cached-global': ['server.lookup.namespace.NamespaceExtractionModule'],
  'multi-stage-query': [
    'msq.guice.MSQExternalDataSourceModule',
    'msq.guice.MSQIndexingModule',
    'msq.guice.MSQDurableStorageModule',
  ],
  'parquet-extensions': ['data.input.parquet.ParquetExtensionsModule'],
  's3-extensions': ['data.input.s3.S3InputSourceDruidModule', 'storage.s3.S3StorageDruidModule'],
  stats: ['query.aggregation.stats.DruidStatsModule'],
};
