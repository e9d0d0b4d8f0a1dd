// Start times of decommissioning: decommissioned servers keep their segments and get no new ones
// (Druid: "Dynamic configuration", decommissioningNodes). The configuration itself contains no
// times.
import { findConfig, setConfig } from '../storage/config.ts';
import type { Transaction } from '../storage/metadata.ts';

/**
 * Records servers (host and port) as decommissioned from now on; servers already decommissioned
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

/**
 * The time since which a server is decommissioned, in milliseconds since 1970; undefined otherwise.
 */
export const decommissionedSince = (tx: Transaction, server: string): number | undefined =>
  times(tx)[server];

const key = 'coordinator.decommissioning';

const times = (tx: Transaction) => findConfig<Readonly<Record<string, number>>>(tx, key) ?? {};
