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
