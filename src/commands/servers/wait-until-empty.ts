// Waiting until a drained server is empty, with the reason when it makes no progress.

import type { Context } from '../../cli/command/command.ts';
import { formatBytes, formatDuration } from '../../cli/lists/columns.ts';
import { uptimeMs } from '../../client/uptime.ts';
import { cluster } from '../../contract/cluster.ts';
import { commandLine } from '../../model/shell-text.ts';
import { mayLeave } from '../shared/waiting/leaving.ts';
import { poll } from '../shared/waiting/poll.ts';
import { setDecommissioning } from './decommissioning.ts';
import { preflight } from './room-elsewhere.ts';

const stalledMs = 15_000; // the Coordinator moves segments every few seconds

/** Returns once the server is empty; throws after `maxWait` seconds (exit code 7). */
export function waitUntilEmpty(
  context: Context,
  host: string,
  maxWait: number | undefined,
): Promise<void> {
  const waited = {
    goesOn: `Server [${host}] continues to be drained`,
    comeBack: commandLine`svcctl servers drain ${host}`,
    stop: {
      by: commandLine`svcctl servers enable ${host}`,
      cancel: (call: Context['call']) => setDecommissioning({ call }, host, false),
      ended: `Server [${host}] receives segments again`,
    },
  };
  return mayLeave(context, waited, (signal) => untilEmpty({ ...context, signal }, host, maxWait));
}

async function untilEmpty(
  context: Context,
  host: string,
  maxWait: number | undefined,
): Promise<void> {
  const { call, progress } = context;
  const line = progress(`Server [${host}]`);
  const look = async () => {
    const { currSize } = await call(cluster.server, {
      params: { server: host },
      query: { simple: true },
    });
    const bytes = Number(currSize);
    if (bytes !== lastBytes) lastMove = uptimeMs();
    lastBytes = bytes;
    const isStalled = bytes > 0 && uptimeMs() - lastMove > stalledMs;
    const why = isStalled ? await reasonOf(context, host) : undefined;
    return {
      bytes,
      stage:
        why === undefined
          ? 'moving'
          : `no segment has moved for ${formatDuration(roughly(uptimeMs() - lastMove))}: ${why}`,
    };
  };
  const patience = {
    what: `Server [${host}] is not empty`,
    hint: `svcctl why segment "$(${commandLine`svcctl servers segments ${host} -o name`} | head -1)"`,
    isKnown: true,
  };
  let all = 0;
  let lastBytes: number | undefined;
  let lastMove = uptimeMs();
  try {
    for await (const { bytes, stage } of poll(look, context, {
      ...patience,
      ...(maxWait !== undefined && { maxWait }),
    })) {
      if (bytes === 0) return line.done(`Server [${host}] is empty`);
      all = Math.max(all, bytes);
      line.update({ stage: `${stage}, ${formatBytes(bytes)} left`, fraction: (all - bytes) / all });
    }
  } catch (error) {
    line.failed();
    throw error;
  }
}

// Logs print one line per change, so the time is rounded to change rarely.
const roughly = (ms: number) => Math.floor(ms / 60_000) * 60_000 || stalledMs;

async function reasonOf(context: Context, host: string): Promise<string> {
  const { obstacles, others, leaving } = await preflight(context, host);
  if (!leaving.includes(host)) return 'it was enabled again in the meantime';
  const queues = await context.call(cluster.loadQueue, { query: { simple: true } });
  const busy = others.filter((one) => Number(queues[one.host]?.segmentsToLoad ?? 0) > 0);
  if (obstacles[0] !== undefined) return obstacles[0];
  if (busy.length > 0)
    return `${busy.map((one) => `[${one.host}]`).join(', ')} still load segments assigned earlier`;
  return 'the Coordinator has not moved anything in its last rounds';
}
