// Something that listens where the service should be, and misbehaves as the test says.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Handler = (response: ServerResponse, seen: Seen, count: number) => void;

export async function standIn(answer: Handler, tls?: ServerOptions) {
  const requests: Seen[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => {});
    const { method = '', url: path = '', headers } = request;
    const seen = { method, path, headers, body: await text(request).catch(() => '') };
    requests.push(seen);
    answer(response, seen, requests.length);
  };
  const server: Server = tls ? createTlsServer(tls, listener) : createServer(listener);
  const port = await listening(server);
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, port, requests, server };
}

/**
 * A proxy in front of a service. `change` may answer a request itself, by returning true, also
 * after it has passed the request on.
 */
export const inFrontOf = (
  service: { readonly url: string },
  change: (
    response: ServerResponse,
    seen: Seen,
    pass: () => Promise<Response>,
  ) => boolean | Promise<boolean>,
) =>
  standIn(async (response, seen) => {
    const { 'content-type': type = 'application/json' } = seen.headers;
    const pass = () =>
      fetch(service.url + seen.path, {
        method: seen.method,
        headers: { 'content-type': type },
        ...(seen.method !== 'GET' && { body: seen.body }),
      });
    if (await change(response, seen, pass)) return;
    const reply = await pass();
    const sent = reply.headers.get('content-type');
    response
      .writeHead(reply.status, sent === null ? {} : { 'content-type': sent })
      .end(Buffer.from(await reply.arrayBuffer()));
  });

export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A port at which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
