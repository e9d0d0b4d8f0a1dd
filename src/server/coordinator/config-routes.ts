// Dynamic configurations of Coordinator and Brokers over HTTP (the specification, "Dynamic
// configuration").

import type { HistoryParts } from '../configuration/audit-history.ts';
import { AuditedConfig, auditInfoFrom } from '../configuration/audited-config.ts';
import { checkBlocklist } from '../configuration/broker-config.ts';
import { unmaskDocument } from '../handlers/masks.ts';
import type { Routes } from '../handlers/routes.ts';
import type { CoordinatorConfig } from './coordinator-config.ts';

// Clone servers are never present: this service is one server (Druid: ServerCloneStatus).
const missingClone = ([targetServer, sourceServer]: readonly [string, string]) => ({
  sourceServer,
  targetServer,
  state: 'TARGET_SERVER_MISSING',
  segmentLoadsRemaining: -1,
  segmentDropsRemaining: -1,
  bytesToLoad: -1,
});

/**
 * `broker` is the host and port of the one Broker; it reads the store, so it always has the latest
 * configuration.
 */
export function configRoutes(
  config: CoordinatorConfig,
  parts: HistoryParts,
  broker: () => string,
): Routes<'config'> {
  const ofBrokers = new AuditedConfig<Readonly<Record<string, unknown>>>('broker.config', parts);
  return {
    get: () => config.get(),
    set: ({ body, headers, caller }) => config.change(body, auditInfoFrom(headers, caller)),
    history: ({ query }) => config.history(query),
    syncedBrokers() {
      const [, host = '', port] = /^(.*):(\d+)$/.exec(broker()) ?? [];
      return {
        syncedBrokers: [{ host, port: Number(port), lastSyncTimestampMillis: parts.now() }],
      };
    },
    cloneStatus: () => ({
      cloneStatus: Object.entries(config.get().cloneServers).map(missingClone),
    }),
    getBroker: () => ofBrokers.find() ?? {},
    setBroker({ body, headers, caller }) {
      const config = unmaskDocument(body ?? {}, ofBrokers.find());
      checkBlocklist(config);
      ofBrokers.set(config, auditInfoFrom(headers, caller));
    },
    brokerHistory: ({ query }) => ofBrokers.history(query),
  };
}
