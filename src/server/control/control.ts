// Control interface for tests: JSON over HTTP on a port of its own. It accepts only this machine,
// is not a part of the service's interface, and needs no credentials.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { statusOf } from '../../contract/failure.ts';
import { Mismatch } from '../../contract/schema.ts';
import { formatJson } from '../../model/json.ts';
import { Refusal } from '../checks/refusals.ts';
import { foreignOrigin } from '../http/refusals.ts';
import type { WebCheck } from '../http/web-check.ts';
import { CannotStart } from '../process/cannot-start.ts';
import type { Clock } from '../process/clock.ts';
import { logError, logEvent } from '../process/log.ts';
import type { DataFolder } from '../storage/data-folder.ts';
import { clockRoutes } from './clock-routes.ts';
import { Faults, faultRoutes } from './faults.ts';
import { Gate } from './gate.ts';
import { bodyOf, type ControlRoute, findRoute } from './route.ts';
import { snapshotRoutes } from './snapshot-routes.ts';
import { Snapshots } from './snapshots.ts';

export interface ControlParts {
  readonly web: WebCheck;
  readonly clock: Clock;
  readonly folder: () => DataFolder;
  /** Resolves when the duties follow the clock. */
  readonly ready: () => Promise<void>;
  /**
   * Stops the composed service, lets `change` replace the content of the data folder, and starts it
   * again.
   */
  readonly restart: (change: () => void) => Promise<void>;
}

export interface Control {
  readonly url: string;
  /**
   * Applies faults to a request before the service handles it; true when the service must not
   * handle it.
   */
  intercept(message: IncomingMessage, response: ServerResponse): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens the port, 0 for a free one. Throws CannotStart on failure. */
export async function openControl(
  port: number,
  { web, clock, folder, ready, restart }: ControlParts,
): Promise<Control> {
  if (port < 0 || port > 65_535)
    throw new CannotStart(`Port [${port}] does not exist; choose another with --control-port`);
  const gate = new Gate();
  const faults = new Faults();
  const snapshots = new Snapshots(folder, clock.now, (change) =>
    gate.whileShut(() => restart(change)),
  );
  const routes: ControlRoute[] = [
    ...clockRoutes(clock, ready),
    ...faultRoutes(faults),
    ...snapshotRoutes(snapshots),
  ];
  const server = createServer((message, response) => void answer(message, response, routes, web));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new CannotStart(
      error.code === 'EADDRINUSE'
        ? `Port [${port}] on [127.0.0.1] is in use; choose another with --control-port, or 0 for a free one`
        : `Port [${port}] on [127.0.0.1] cannot be opened for --control-port: ${error.message}`,
    );
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async intercept(message, response) {
      if (await faults.strikes(message, response)) return true;
      await gate.enter(response);
      return false;
    },
    async close() {
      faults.clear();
      const closed = once(server.close(), 'close');
      server.closeIdleConnections();
      await closed;
    },
  };
}

async function answer(
  message: IncomingMessage,
  response: ServerResponse,
  routes: readonly ControlRoute[],
  web: WebCheck,
): Promise<void> {
  const write = (status: number, body: unknown) =>
    response
      .writeHead(status, { 'content-type': 'application/json', connection: 'close' })
      .end(`${formatJson(body, '  ')}\n`);
  try {
    web.checkPage(message, false);
    // This port has no pages, so every page has another origin, also one of this machine.
    const { origin } = message.headers;
    if (origin !== undefined && !web.allowsOrigin(origin)) throw foreignOrigin(origin);
    web.checkHost(message, undefined);
    const found = findRoute(routes, message);
    if (!found)
      return void write(404, {
        error: `The control interface has no [${message.method} ${message.url}]`,
        routes: routes.map(describeRoute),
      });
    write(200, await found.route.run({ ...found.params, body: await bodyOf(message) }));
    if (found.route.method !== 'GET')
      logEvent(`Control interface: ${message.method} ${message.url}`);
  } catch (error) {
    if (error instanceof Refusal)
      return void write(statusOf[error.category], { error: error.message });
    if (error instanceof Mismatch) return void write(400, { error: error.message });
    logError(error);
    write(500, { error: error instanceof Error ? error.message : String(error) });
  }
}

const describeRoute = ({ method, path, does }: ControlRoute) => ({ method, path, does });
