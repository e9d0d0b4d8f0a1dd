// Checks of disk use and of servers being drained.

import type { Context } from '../../../cli/command/command.ts';
import type { Finding } from '../../../cli/command/findings.ts';
import { ifKnown } from '../../../cli/command/if-known.ts';
import { formatBytes } from '../../../cli/lists/columns.ts';
import { cluster } from '../../../contract/cluster.ts';
import { config } from '../../../contract/config.ts';
import { commandLine } from '../../../model/shell-text.ts';

const nearlyFull = 0.9;
const full = 0.97;

export async function examineServers({ call }: Context): Promise<readonly Finding[]> {
  const [listed, dynamic] = await Promise.all([
    call(cluster.servers, { query: { simple: true } }),
    ifKnown(call(config.get)),
  ]);
  const servers = listed.flatMap((server) => (typeof server === 'string' ? [] : [server]));
  const leaving = dynamic?.decommissioningNodes ?? [];
  const filled = servers.flatMap(({ host, currSize, maxSize }): Finding[] => {
    const share = Number(maxSize) > 0 ? Number(currSize) / Number(maxSize) : 0;
    if (share < nearlyFull) return [];
    const says = `Server [${host}] is ${Math.floor(share * 100)} % full: ${formatBytes(currSize)} of ${formatBytes(maxSize)}`;
    return [
      {
        check: 'disk',
        state: share >= full ? 'critical' : 'warning',
        says,
        remedy: 'svcctl rules list',
        facts: { host, currSize, maxSize },
      },
    ];
  });
  return [
    ...(servers.some(({ type }) => type === 'historical') ? [] : [noServer]),
    ...filled,
    ...leaving.map((host): Finding => {
      const server = servers.find((one) => one.host === host);
      const left = server
        ? `${formatBytes(server.currSize)} are still stored on it`
        : 'it does not exist any more';
      return {
        check: 'drain',
        state: 'note',
        says: `Server [${host}] is being drained: ${left}`,
        remedy: commandLine`svcctl servers enable ${host}`,
      };
    }),
    ...(dynamic?.pauseCoordination ? [paused] : []),
  ];
}

const noServer: Finding = {
  check: 'servers',
  state: 'critical',
  says: 'There is no Historical: stored segments cannot be queried',
  remedy: 'svcctl servers nodes historical',
};

const paused: Finding = {
  check: 'coordination',
  state: 'warning',
  says: 'Coordination is paused: segments are not loaded, moved, dropped or compacted',
  remedy: 'svcctl config coordinator set pauseCoordination=false',
};
