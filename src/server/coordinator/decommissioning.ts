// Since when servers are decommissioned: they keep the segments they have and get no new ones
// (Druid: "Dynamic configuration", decommissioningNodes). The configuration itself does not say
// when.
import { findConfig, setConfig } from '../storage/config.ts';
import type { Transaction } from '../storage/metadata.ts';

/**
 * Notes the servers (host and port) that are decommissioned from now on; those that were so already
 * keep their time. `nowMs` since 1970.
 */
export function noteDecommissioned(
  tx: Transaction,
  servers: readonly string[],
  nowMs: number,
): void {
  const known = times(tx);
  setConfig(tx, key, Object.fromEntries(servers.map((server) => [server, known[server] ?? nowMs])));
}

/** Since when a server is decommissioned, in milliseconds since 1970; undefined when it is not. */
export const decommissionedSince = (tx: Transaction, server: string): number | undefined =>
  times(tx)[server];

const key = 'coordinator.decommissioning';

const times = (tx: Transaction) => findConfig<Readonly<Record<string, number>>>(tx, key) ?? {};
