// Checks of leaders, versions, clocks and open access.
import { text as textOf } from 'node:stream/consumers';
import type { Context } from '../../../cli/command/command.ts';
import type { Finding } from '../../../cli/command/findings.ts';
import { ifKnown } from '../../../cli/command/if-known.ts';
import { send } from '../../../cli/command/send.ts';
import { formatDuration } from '../../../cli/lists/columns.ts';
import { messageFor } from '../../../client/client.ts';
import { ServiceError } from '../../../client/errors.ts';
import { rowsOf } from '../../../client/line-formats.ts';
import { headerOf } from '../../../client/message.ts';
import { cluster } from '../../../contract/cluster.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { sql } from '../../../contract/sql.ts';
import { status } from '../../../contract/status.ts';
import { commandLine } from '../../../model/shell-text.ts';

export async function examineService(context: Context): Promise<readonly Finding[]> {
  const found = await Promise.all([
    clock(context),
    leader(context, 'Coordinator', cluster.coordinatorLeader),
    leader(context, 'Overlord', cluster.overlordLeader),
    duties(context),
    versions(context),
    security(context),
  ]);
  return found.flat();
}

const mostSkewMs = 5_000; // the Date header has a resolution of one second

async function clock(context: Context): Promise<readonly Finding[]> {
  const before = Date.now();
  const reply = await send(context, messageFor(context.service, status.health));
  const after = Date.now();
  await reply.discard();
  const date = Date.parse(headerOf(reply.headers, 'date') ?? '');
  const skewMs = Number.isNaN(date) ? 0 : date - (before + after) / 2;
  if (Math.abs(skewMs) <= mostSkewMs) return [];
  const says = `The clock of the service is ${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} the clock of this machine`;
  return [
    {
      check: 'clock',
      state: 'warning',
      says,
      remedy: 'timedatectl status',
      facts: { skewMs: Math.round(skewMs) },
    },
  ];
}

async function leader(
  { call }: Context,
  role: string,
  endpoint: typeof cluster.coordinatorLeader | typeof cluster.overlordLeader,
): Promise<readonly Finding[]> {
  const found: string | ServiceError = await call(endpoint)
    .then(textOf)
    .catch((error: unknown) => {
      if (error instanceof ServiceError && error.status !== 401 && error.status !== 403)
        return error;
      throw error;
    });
  if (typeof found === 'string' && found.trim() !== '') return [];
  const why = typeof found === 'string' ? '' : `: ${found.message}`;
  return [
    {
      check: 'leader',
      state: 'critical',
      says: `No ${role} leads${why}`,
      remedy: 'svcctl servers nodes',
    },
  ];
}

// Duty groups are compared with each other, because the service's clock may differ from the local
// one: a group is late when others have run many of its periods since.
async function duties({ call }: Context): Promise<readonly Finding[]> {
  const groups = (await ifKnown(call(cluster.duties)))?.dutyGroups ?? [];
  const newest = Math.max(...groups.map(({ lastRunStart }) => Date.parse(lastRunStart ?? '') || 0));
  return groups.flatMap(({ name, period, lastRunStart }): Finding[] => {
    const periodMs = 1000 * Number(/^PT(\d+)S$/.exec(period)?.[1] ?? Number.NaN);
    const ageMs = lastRunStart ? newest - Date.parse(lastRunStart) : 0;
    if (!(ageMs > 10 * periodMs + 60_000)) return [];
    const says = `The Coordinator's duties [${name}] have not run for ${formatDuration(ageMs)}, unlike the others`;
    return [{ check: 'duties', state: 'warning', says, remedy: 'svcctl cluster duties' }];
  });
}

const versionsOf =
  'SELECT version, COUNT(*) AS servers FROM sys.servers GROUP BY 1 ORDER BY 2 DESC';

// Older services have no list of versions.
async function versions({ call }: Context): Promise<readonly Finding[]> {
  const reply = await ifKnown(
    call(sql.query, { body: { query: versionsOf, resultFormat: 'arrayLines' } }),
  );
  if (!reply) return [];
  const found: (readonly [unknown, unknown])[] = [];
  for await (const rows of rowsOf(reply, 'arrayLines'))
    found.push(...(rows as readonly [unknown, unknown][]));
  const known = found.filter(([version]) => version !== null && version !== '');
  if (known.length < 2) return [];
  const says = `Servers are of different versions: ${known.map(([version, count]) => `${count} of ${version}`).join(', ')}`;
  return [
    {
      check: 'versions',
      state: 'warning',
      says,
      remedy: `svcctl sql 'SELECT server, version FROM sys.servers'`,
      facts: Object.fromEntries(known),
    },
  ];
}

// Tests whether anonymous requests can read protected data.
async function security({
  service,
  settings,
  resolved,
  io,
  ask,
  signal,
}: Context): Promise<readonly Finding[]> {
  const { protocol, hostname } = new URL(settings.url);
  const isHere = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  const plain: readonly Finding[] =
    protocol === 'http:' && settings.user !== undefined && !isHere
      ? [
          {
            check: 'encryption',
            state: 'warning',
            says: `Passwords are sent to [${hostname}] unencrypted`,
            remedy: commandLine`svcctl profiles set ${resolved.profileName ?? 'NAME'} url=https://...`,
          },
        ]
      : [];
  const { connectionOf } = await import('../../../cli/command/connection.ts');
  const stranger = connectionOf({ ...resolved, settings: { ...settings, user: undefined } }, io, {
    ask,
    signal,
  });
  const open = await stranger
    .connect()
    .then((sendOne) => sendOne(messageFor(service, status.properties as Endpoint)));
  await open.discard();
  if (open.status !== 200) return plain;
  const says = `The configuration of the service can be read without a password${isHere ? '; it listens here' : ''}`;
  return [
    ...plain,
    { check: 'security', state: isHere ? 'note' : 'warning', says, remedy: 'svcctl help security' },
  ];
}
