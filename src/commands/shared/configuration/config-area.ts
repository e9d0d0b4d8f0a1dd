import { ServiceError } from '../../../client/errors.ts';
import { compaction } from '../../../contract/compaction.ts';
import { config } from '../../../contract/config.ts';
import { anyObject, check, type Schema } from '../../../contract/schema.ts';
import { workers } from '../../../contract/workers.ts';
import { isObject, withoutNulls } from '../../../model/difference.ts';
import type { Area, AreaSignature, Cluster } from './area.ts';
import { fillIn } from './filled-in.ts';

/** The dynamic configurations, which can change while the service runs. */
export const configArea: Area = {
  name: 'config',
  endpoints: [config.get, workers.getConfig, config.getBroker, compaction.getCluster],
  writes: [config.set, workers.setConfig, config.setBroker, compaction.setCluster],
  read: async (cluster) => {
    const found: [string, unknown][] = [];
    for (const [name, part] of Object.entries(parts)) {
      const document = withoutNulls(await part.get(cluster).catch(unlessLacking));
      if (isObject(document) && Object.keys(document).length > 0) found.push([name, document]);
    }
    return new Map(found);
  },
  schema: (name) => partNamed(name).schema,
  normal: (document, name) => fillIn(withoutNulls(document), parts[name]?.usual ?? {}),
  // An update changes only the fields in the file.
  merged: (document, live) =>
    isObject(document) && isObject(live) ? { ...live, ...document } : document,
  check: (document, name) => {
    const part = partNamed(name);
    check(part.schema, check(anyObject, document));
  },
  set: async (cluster, name, { document }, headers) => {
    await partNamed(name).set(cluster, check(anyObject, document), headers);
  },
  stays: () => true,
};

interface Part {
  readonly schema: Schema;
  readonly usual?: Readonly<Record<string, unknown>>;
  readonly get: (cluster: Cluster) => Promise<unknown>;
  readonly set: (
    cluster: Cluster,
    body: Readonly<Record<string, unknown>>,
    headers: AreaSignature,
  ) => Promise<unknown>;
}

const parts: Readonly<Record<string, Part>> = {
  brokers: {
    schema: anyObject,
    get: ({ call }) => call(config.getBroker),
    set: ({ call }, body, headers) => call(config.setBroker, { body, headers }),
  },
  compaction: {
    schema: compaction.setCluster.body,
    get: ({ call }) => call(compaction.getCluster),
    set: ({ call }, body, headers) => call(compaction.setCluster, { body, headers }),
  },
  coordinator: {
    schema: config.set.body,
    get: ({ call }) => call(config.get),
    set: ({ call }, body, headers) => call(config.set, { body, headers }),
  },
  overlord: {
    schema: workers.getConfig.reply.schema,
    usual: { type: 'default' },
    get: ({ call }) => call(workers.getConfig),
    set: ({ call }, body, headers) => call(workers.setConfig, { body, headers }),
  },
};

function partNamed(name: string): Part {
  const part = parts[name];
  if (!part)
    throw new Error(
      `there is no configuration [${name}]: there are ${Object.keys(parts).join(', ')}`,
    );
  return part;
}

function unlessLacking(error: unknown): undefined {
  if (!(error instanceof ServiceError) || !(error.isLacking || error.status === 404)) throw error;
}
