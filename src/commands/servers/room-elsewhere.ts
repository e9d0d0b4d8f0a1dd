// Before a server is drained: can what it has go elsewhere?

import type { Context } from '../../cli/command/command.ts';
import { shownBytes } from '../../cli/lists/columns.ts';
import { cluster, type Server } from '../../contract/cluster.ts';
import { type CoordinatorDynamicConfig, config } from '../../contract/config.ts';

export interface Preflight {
  readonly server: Server;
  readonly others: readonly Server[]; // of its tier, that take segments
  readonly leaving: readonly string[]; // those that are being drained
  readonly says: string;
  readonly obstacles: readonly string[]; // sentences; none when all can move
}

/**
 * What there is to move, and what is in the way. Throws ServiceError 404 for a server that is not
 * there.
 */
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
    says: `Server [${host}] has ${shownBytes(server.currSize)}; ${count} ${others.length === 1 ? 'has' : 'have'} room for ${shownBytes(room)}`,
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
          `The other servers of tier [${tier}] have room for ${shownBytes(room)}, and ${shownBytes(left)} have to go there`,
        ]
      : []),
    ...(dynamic.pauseCoordination ? ['Coordination is paused, so nothing moves'] : []),
    ...(dynamic.maxSegmentsToMove === 0 && dynamic.smartSegmentLoading === false
      ? ['maxSegmentsToMove is 0, so nothing moves']
      : []),
    ...(dynamic.decommissioningMaxPercentOfMaxSegmentsToMove === 0 &&
    dynamic.smartSegmentLoading === false
      ? [
          'decommissioningMaxPercentOfMaxSegmentsToMove is 0, so nothing leaves servers that are drained',
        ]
      : []),
  ];
}
