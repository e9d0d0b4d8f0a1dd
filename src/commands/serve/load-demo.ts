// Loading of the sample data for serve --demo, over HTTP as by any user.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context } from '../../cli/command/command.ts';
import { credentialsOf } from '../../cli/profiles/secrets.ts';
import { createClient } from '../../client/client.ts';
import { connectTo } from '../../client/transport.ts';
import { datasources } from '../../contract/datasources.ts';
import { sql } from '../../contract/sql.ts';
import { waitUntilQueryable } from '../shared/datasources/wait-until-queryable.ts';
import { waitForTask } from '../shared/tasks/wait-for-task.ts';
import { demoDatasource, demoStatement } from './demo-statement.ts';

interface ClientIdentity {
  readonly cert?: string; // PEM
  readonly key?: string;
}

/** The folder of the sample in the build, relative to the chunk of this file. */
export const demoFolder = fileURLToPath(new URL('../demo', import.meta.url));

/**
 * Loads the sample, unless a datasource of that name exists; throws when loading fails. `identity`
 * is the client certificate for a service that requires one.
 */
export async function loadDemo(
  context: Context,
  url: string,
  identity: ClientIdentity = {},
): Promise<void> {
  const { service, signal, io, out, resolved, ask } = context;
  // With authentication, --user sets the user who loads the data. The user of a profile belongs to
  // another service.
  const isSaidHere = resolved.winners.get('user')?.source !== 'profile';
  const credentials = isSaidHere ? await credentialsOf(resolved, io, ask) : undefined;
  // The service calls itself, so its certificate needs no verification.
  const call = createClient(service, async () =>
    connectTo(url, {
      env: io.env,
      signal,
      tls: { insecure: true, cert: identity.cert, key: identity.key },
      ...(credentials && { credentials }),
    }),
  );
  const known = await call(datasources.list);
  if (known.some((one) => (typeof one === 'string' ? one : one.name) === demoDatasource))
    return out.note(`Datasource [${demoDatasource}] already exists.`);
  const whole = join(demoFolder, 'wikiticker-2015-09-12-sampled.json.gz');
  const isWhole = existsSync(whole);
  if (!isWhole)
    out.note('The sample is every tenth of 39,244 edits; the sources of svcctl have them all.'); // as packages are small
  const file = isWhole ? whole : join(demoFolder, 'wikiticker-2015-09-12-one-in-ten.json.gz');
  const reply = await call(sql.task, { body: { query: demoStatement(file) } });
  if (!('taskId' in reply))
    throw new Error('The service did not return a task for the sample data');
  const here = {
    ...context,
    call,
    ask: { ...ask, possible: false },
    onInterrupt: () => () => undefined,
  }; // Ctrl-C ends the service
  await waitForTask(here, reply.taskId, { label: `Datasource [${demoDatasource}]` });
  await waitUntilQueryable(here, demoDatasource);
}
