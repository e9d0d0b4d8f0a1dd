// Check before draining a server: whether other servers can take its segments.

import type { Context } from '../../cli/command/command.ts';
import { formatBytes } from '../../cli/lists/columns.ts';
import { cluster, type Server } from '../../contract/cluster.ts';
import { type CoordinatorDynamicConfig, config } from '../../contract/config.ts';

export interface Preflight {
  readonly server: Server;
  readonly others: readonly Server[]; // of the same tier, open for segments
  readonly leaving: readonly string[]; // servers being drained
  readonly says: string;
  readonly obstacles: readonly string[]; // sentences; empty when all segments can move
}

/** The segments to move and the obstacles. Throws ServiceError 404 for an unknown server. */
export async function preflight({ call }: Context, host: string): Promise<Preflight> {
  const [server, listed, dynamic] = await Promise.all([
    call(cluster.server, { params: { server: host }, query: { simple: true } }),
    call(cluster.servers, { query: { simple: true } }),
    call(config.get),
  ]);
  const leaving = dynamic.decommissioningNodes ?? [];
  const servers = listed.flatMap((one) => (typeof one === 'string' ? [] : [one]));
  const others = servers.filter(
    (one) =>
      one.host !== host &&
      one.tier === server.tier &&
      one.type === server.type &&
      !leaving.includes(one.host),
  );
  const room = others.reduce(
    (sum, { currSize, maxSize }) => sum + Math.max(0, Number(maxSize) - Number(currSize)),
    0,
  );
  const count = `${others.length} other ${others.length === 1 ? 'server' : 'servers'} of tier [${server.tier}]`;
  return {
    server,
    others,
    leaving,
    says: `Server [${host}] has ${formatBytes(server.currSize)}; ${count} ${others.length === 1 ? 'has' : 'have'} room for ${formatBytes(room)}`,
    obstacles: obstaclesOf(server, others, room, dynamic),
  };
}

function obstaclesOf(
  { host, tier, currSize }: Server,
  others: readonly Server[],
  room: number,
  dynamic: CoordinatorDynamicConfig,
): readonly string[] {
  const left = Number(currSize);
  return [
    ...(others.length === 0
      ? [
          `Server [${host}] is the only one of tier [${tier}] that takes segments, so nothing can move from it`,
        ]
      : []),
    ...(others.length > 0 && room < left
      ? [
          `The other servers of tier [${tier}] have room for ${formatBytes(room)}, and ${formatBytes(left)} have to go there`,
        ]
      : []),
    ...(dynamic.pauseCoordination ? ['Coordination is paused, so segments do not move'] : []),
    ...(dynamic.maxSegmentsToMove === 0 && dynamic.smartSegmentLoading === false
      ? ['maxSegmentsToMove is 0, so segments do not move']
      : []),
    ...(dynamic.decommissioningMaxPercentOfMaxSegmentsToMove === 0 &&
    dynamic.smartSegmentLoading === false
      ? [
          'decommissioningMaxPercentOfMaxSegmentsToMove is 0, so segments do not leave drained servers',
        ]
      : []),
  ];
}
