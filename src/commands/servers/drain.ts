import { command } from '../../cli/command/command.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { cluster } from '../../contract/cluster.ts';
import { config } from '../../contract/config.ts';
import { flag, optional, seconds } from '../../contract/schema.ts';
import { commandLine } from '../../model/shell-text.ts';
import { setDecommissioning } from './decommissioning.ts';
import { preflight } from './room-elsewhere.ts';
import { completers, hints, server } from './server-name.ts';
import { waitUntilEmpty } from './wait-until-empty.ts';

export const drain = command({
  summary: 'Move all segments from a server to the rest of its tier',
  description:
    'Checks first whether other servers have room; without room nothing is changed (exit code 9), unless --force is given. The Coordinator then moves the segments and assigns no new ones. Progress is on standard error, with the reason when nothing moves. Ctrl-C stops waiting; the move goes on.',
  examples: ['svcctl servers drain "$(svcctl servers list --output name)" --force --dry-run'],
  endpoints: [cluster.server, cluster.servers, cluster.loadQueue, config.get, config.set],
  arguments: server,
  options: {
    force: optional(flag, 'Drain even if other servers lack space; segments without a place stay'),
    noWait: optional(flag, 'Return after the request, without waiting'),
    thenEnable: optional(flag, 'Return the server to service once it is empty'),
    maxWait: optional(seconds, 'Timeout in seconds; the drain continues'),
  },
  completers,
  hints,
  writes: 'change',
  async run(context, { args, options: { force, noWait, thenEnable, maxWait } }) {
    const { confirm, dryRun, out } = context;
    const host = args.server;
    const { says, obstacles } = await preflight(context, host);
    out.note(says);
    if (obstacles.length > 0 && !force)
      throw new CommandError(
        'refused',
        obstacles.join('. '),
        commandLine`svcctl servers drain ${host} --force`,
      );
    for (const obstacle of obstacles) out.warn(obstacle);
    await confirm({ level: 'change', what: `Drain server [${host}]`, name: host });
    const isNew = await setDecommissioning(context, host, true);
    if (dryRun) return;
    if (isNew)
      out.changed(
        host,
        `Server [${host}] is being drained.`,
        noWait ? 'svcctl servers list --watch' : undefined,
      );
    if (noWait) return;
    await waitUntilEmpty(context, host, maxWait);
    if (!thenEnable)
      return out.changed(
        host,
        `Server [${host}] receives no more segments.`,
        commandLine`svcctl servers enable ${host}`,
      );
    await setDecommissioning(context, host, false);
    out.changed(host, `Server [${host}] receives segments again.`);
  },
});
