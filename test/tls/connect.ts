// Connections over TLS as a client makes them, without a library that would smooth anything over.
import { once } from 'node:events';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

export interface Met {
  readonly subject: string;
  readonly protocol: string | null;
  readonly cipher: string;
  readonly reply: string; // the first line; empty when the service hung up
}

/**
 * Asks for the health of the service at a URL, and tells whom it met. Rejects when the handshake
 * fails.
 */
export async function ask(url: string, options: ConnectionOptions = {}): Promise<Met> {
  const { hostname, port, host } = new URL(url);
  const socket: TLSSocket = connect({
    host: hostname,
    port: Number(port),
    rejectUnauthorized: false,
    ...options,
  });
  await once(socket, 'secureConnect');
  const met = {
    subject: String(socket.getPeerCertificate().subject?.CN),
    protocol: socket.getProtocol(),
    cipher: socket.getCipher().standardName,
  };
  let reply = '';
  socket.on('error', () => undefined); // a service that hangs up says nothing
  socket.setEncoding('utf8').on('data', (text) => {
    reply += text;
  });
  socket.write(`GET /status/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  await new Promise((closed) => socket.once('close', closed));
  return { ...met, reply: reply.split('\r\n')[0] ?? '' };
}

/**
 * Sends a request to a service whose certificate is not checked; a body makes it a POST of JSON.
 * The reply is text, or what its JSON says.
 */
export async function send(url: string, path: string, body?: unknown): Promise<unknown> {
  const request = url.startsWith('https:') ? requestTls : requestPlain;
  const headers = { 'content-type': 'application/json' };
  const sent = request(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    rejectUnauthorized: false,
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [reply] = await once(sent, 'response');
  const answer = await text(reply);
  return /^[[{]/.test(answer) ? JSON.parse(answer) : answer;
}
