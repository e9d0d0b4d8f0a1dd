// Change histories of the service, each in its own form.

import type { Output } from '../../cli/output/output.ts';
import type { CallEndpoint } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import type { AuditEntry } from '../../contract/audit.ts';
import { compaction } from '../../contract/compaction.ts';
import { config } from '../../contract/config.ts';
import { metadata } from '../../contract/metadata.ts';
import { rules } from '../../contract/rules.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { workers } from '../../contract/workers.ts';
import { withoutNulls } from '../../model/difference.ts';
import { formatInstant } from '../../model/instant.ts';
import { parseJson } from '../../model/json.ts';
import { compactionArea } from '../shared/configuration/compaction-area.ts';
import { configArea } from '../shared/configuration/config-area.ts';
import { rulesArea } from '../shared/configuration/rules-area.ts';
import { supervisorsArea } from '../shared/configuration/supervisors-area.ts';

/** The new value of an object, with time and author. */
export interface Recorded {
  readonly name: string;
  readonly time: string;
  readonly author?: string;
  readonly comment?: string;
  readonly ip?: string;
  readonly document?: unknown; // undefined: the object was removed
  readonly isSnapshot?: true; // the history also has entries for changes of other objects
  // As the first entry, it is the initial state and not a change
  readonly isInitial?: true;
}

interface Source {
  readonly read: (
    context: { readonly call: CallEndpoint; readonly out: Output },
    name: string | undefined,
  ) => Promise<Recorded[]>;
  readonly normal: (document: unknown, name: string) => unknown;
}

export const sources = {
  rules: {
    normal: rulesArea.normal,
    read: async ({ call }) =>
      (await call(rules.allHistory, { query: everything() })).map((entry) => ({
        ...recordOf(entry, entry.key),
        document: unlessEmpty(documentIn(entry)),
      })),
  },
  config: {
    normal: configArea.normal,
    read: async ({ call }) => {
      const query = everything();
      return [
        ...(await call(config.history, { query })).map((entry) => ({
          ...recordOf(entry, 'coordinator'),
          document: documentIn(entry),
        })),
        ...(await call(workers.configHistory, { query })).map((entry) => ({
          ...recordOf(entry, 'overlord'),
          document: documentIn(entry),
        })),
        ...(await call(config.brokerHistory, { query }).catch(unlessLacking)).map((entry) => ({
          ...recordOf(entry, 'brokers'),
          document: documentIn(entry),
        })),
      ];
    },
  },
  compaction: {
    normal: (document, name) =>
      name === allDatasources ? withoutNulls(document) : compactionArea.normal(document, name),
    read: async ({ call }, name) => {
      const query = everything();
      const found: Recorded[] = [];
      // By time: changes of shared settings are repeated in the history of each datasource
      const shared = new Map<string, Recorded>();
      for (const dataSource of name === undefined || name === allDatasources
        ? await listCompacted(call)
        : [name]) {
        const changes = await call(compaction.history, { params: { dataSource }, query }).catch(
          unlessLacking,
        );
        for (const { auditTime, auditInfo, compactionConfig, globalConfig } of changes) {
          found.push({
            ...recordOf({ auditTime, auditInfo }, dataSource),
            document: compactionConfig ?? undefined,
          });
          const record = {
            ...recordOf({ auditTime, auditInfo }, allDatasources),
            document: globalConfig,
          };
          if (name === undefined || name === allDatasources) shared.set(auditTime, record);
        }
      }
      return [...found.map(onlyChanges), ...[...shared.values()].map(onlyChanges).map(asBaseline)];
    },
  },
  supervisors: {
    normal: supervisorsArea.normal,
    read: async ({ call }) => {
      const all = Object.entries(await call(supervisors.allHistory));
      return all.flatMap(([name, versions]) =>
        versions.map(({ spec, version }) => ({
          name,
          time: version,
          document: isTombstone(spec) ? undefined : spec,
        })),
      );
    },
  },
} as const satisfies Readonly<Record<string, Source>>;

export const historyEndpoints = [
  rules.allHistory,
  config.history,
  workers.configHistory,
  config.brokerHistory,
  compaction.list,
  compaction.history,
  metadata.datasources,
  supervisors.allHistory,
];

/** The name for compaction settings that all datasources share. */
const allDatasources = '*';

const onlyChanges = (record: Recorded): Recorded => ({ ...record, isSnapshot: true });
const asBaseline = (record: Recorded): Recorded => ({ ...record, isInitial: true });

// The default interval is only the last week, but a change is shown relative to the previous one.
const everything = () => ({ interval: `1970-01-01/${formatInstant(Date.now() + 86_400_000)}` });

// The service does not list formerly compacted datasources: query all existing ones.
async function listCompacted(call: CallEndpoint): Promise<readonly string[]> {
  const { compactionConfigs } = await call(compaction.list);
  const there = await call(metadata.datasources, { query: { includeUnused: true } });
  const names = there.flatMap((one) => (typeof one === 'string' ? [one] : []));
  return [...new Set([...compactionConfigs.map(({ dataSource }) => dataSource), ...names])].sort();
}

function recordOf(
  { auditTime, auditInfo: { author, comment, ip } }: Pick<AuditEntry, 'auditTime' | 'auditInfo'>,
  name: string,
): Recorded {
  return {
    name,
    time: auditTime,
    ...(author && { author }),
    ...(comment && { comment }),
    ...(ip && { ip }),
  };
}

const documentIn = ({ payload }: AuditEntry): unknown =>
  payload === null ? undefined : parseJson(payload);

const unlessEmpty = (document: unknown) =>
  Array.isArray(document) && document.length === 0 ? undefined : document;

const isTombstone = (spec: Readonly<Record<string, unknown>> | null) =>
  spec === null || spec.type === 'noop' || spec.type === 'NoopSupervisorSpec';

function unlessLacking(error: unknown): never[] {
  if (error instanceof ServiceError && (error.isLacking || error.status === 404)) return [];
  throw error;
}
