// Servers being drained, from the Coordinator's dynamic configuration (Druid:
// decommissioningNodes).
import type { Context } from '../../cli/command/command.ts';
import { config } from '../../contract/config.ts';

/**
 * Adds a server to the list of drained servers, or removes it; returns whether the list changed.
 */
export async function setDecommissioning(
  { call }: Pick<Context, 'call'>,
  host: string,
  isLeaving: boolean,
): Promise<boolean> {
  const { decommissioningNodes } = await call(config.get);
  const now = decommissioningNodes ?? [];
  if (now.includes(host) === isLeaving) return false;
  const headers = { author: 'svcctl', comment: isLeaving ? `drain ${host}` : `enable ${host}` };
  await call(config.set, {
    headers,
    body: {
      decommissioningNodes: isLeaving ? [...now, host] : now.filter((name) => name !== host),
    },
  });
  return true;
}
