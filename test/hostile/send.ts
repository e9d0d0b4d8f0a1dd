// Sends an attack and says how it ended.
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Identity, Lazily, Plain } from './attack.ts';
import type { Watched } from './watched.ts';

export interface Ended {
  readonly status: number; // 0: the connection was closed without a reply; -1: it stayed open
  readonly text: string; // of a task or statement its final state
  readonly tookMs: number;
}

export interface Sending {
  readonly ended: Promise<Ended>;
  /** Closes the connection. */
  leave(): void;
}

/**
 * Sends a request as somebody, at most for so long; tasks and statements are followed to their
 * ends, and stopped when they have none in time.
 */
export function send(service: Watched, as: Identity, asked: Asked, withinMs: number): Sending {
  const authorization = service.authorizationOf(as);
  if ('raw' in asked) return sendRaw(service, asked.raw(authorization), withinMs);
  const began = performance.now();
  const target = as === 'control' ? { ...service, url: service.control } : service;
  const sending = sendPlain(target, authorization, plainOf(asked), withinMs);
  const follow = async (): Promise<Ended> => {
    const first = await sending.ended;
    const place = first.status < 200 || first.status > 299 ? undefined : placeOf(asked, first.text);
    if (!place) return first;
    const end = await followed(service, authorization, place, withinMs);
    return { ...end, tookMs: performance.now() - began };
  };
  return { ended: follow(), leave: sending.leave };
}

/** A request in the words of HTTP. */
export function plainOf(asked: Exclude<Asked, { readonly raw: unknown }>): Plain {
  if ('sql' in asked) {
    const { context, parameters, resultFormat = 'array' } = asked;
    return json('/svc/v2/sql', () => ({
      query: made(asked.sql),
      resultFormat,
      ...(context && { context }),
      ...(parameters && { parameters }),
    }));
  }
  if ('native' in asked) return json('/svc/v2/', asked.native);
  if ('statement' in asked) {
    const context = { executionMode: 'ASYNC', ...asked.context };
    return json('/svc/v2/sql/statements', () => ({ query: made(asked.statement), context }));
  }
  if ('sqlTask' in asked)
    return json('/svc/v2/sql/task', () => ({
      query: made(asked.sqlTask),
      context: { ...asked.context },
    }));
  if ('task' in asked) return json('/svc/indexer/v1/task', asked.task);
  return asked;
}

/** The value itself of what may be made late. */
export const made = <T>(lazily: Lazily<T>): T =>
  typeof lazily === 'function' ? (lazily as () => T)() : lazily;

const json = (path: string, body: Lazily<object>): Plain => ({ method: 'POST', path, body });

interface Place {
  readonly status: string;
  readonly stop: Plain;
  readonly isOver: (text: string) => boolean;
}

function placeOf(asked: Asked, text: string): Place | undefined {
  const reply = parsed(text) as { task?: string; taskId?: string; queryId?: string } | undefined;
  if ('statement' in asked && reply?.queryId) {
    const path = `/svc/v2/sql/statements/${encodeURIComponent(reply.queryId)}`;
    return {
      status: path,
      stop: { method: 'DELETE', path },
      isOver: (text) => /"state":"(SUCCESS|FAILED)"/.test(text),
    };
  }
  const id = 'task' in asked ? reply?.task : 'sqlTask' in asked ? reply?.taskId : undefined;
  if (id === undefined) return undefined;
  const path = `/svc/indexer/v1/task/${encodeURIComponent(id)}`;
  return {
    status: `${path}/status`,
    stop: { method: 'POST', path: `${path}/shutdown` },
    isOver: (text) => /"statusCode":"(SUCCESS|FAILED)"/.test(text),
  };
}

async function followed(
  service: Watched,
  authorization: string,
  { status, stop, isOver }: Place,
  withinMs: number,
): Promise<Omit<Ended, 'tookMs'>> {
  for (const end = Date.now() + withinMs; Date.now() < end; await sleep(50)) {
    const now = await sendPlain(service, authorization, { method: 'GET', path: status }, withinMs)
      .ended;
    if (now.status !== 200 || isOver(now.text)) return now;
  }
  await sendPlain(service, authorization, stop, withinMs).ended;
  return { status: -1, text: 'it did not end, and was stopped' };
}

interface Target {
  readonly url: string;
  readonly outside: string;
}

// Attacks are data, and the folders of a service have other names each time.
const placed = (text: string, outside: string) =>
  text.replaceAll('ALLOWED_FOLDER', join(outside, 'allowed')).replaceAll('OUTSIDE_FOLDER', outside);

/** A request and its whole reply. */
export function sendPlain(
  service: Target,
  authorization: string,
  plain: Plain,
  withinMs: number,
): Sending {
  const { hostname, port } = new URL(service.url);
  const given = made(plain.body);
  const isBytes = given === undefined || Buffer.isBuffer(given);
  const body = isBytes
    ? given
    : placed(typeof given === 'string' ? given : JSON.stringify(given), service.outside);
  const began = performance.now();
  const headers = {
    ...(authorization && { authorization }),
    ...(typeof given === 'object' &&
      !Buffer.isBuffer(given) && { 'content-type': 'application/json' }),
    ...((body !== undefined || plain.method === 'POST') && {
      'content-length': Buffer.byteLength(body ?? ''),
    }),
    ...plain.headers,
  };
  const agent = new Agent({ keepAlive: false });
  const path = plain.path.replace(/[^\x21-\xff]/g, encodeURIComponent);
  const asking = request({ agent, hostname, port, method: plain.method, path, headers });
  const ended = new Promise<Ended>((settle) => {
    let status = 0;
    const chunks: Buffer[] = [];
    const end = (text?: string) => {
      clearTimeout(late);
      settle({
        status,
        text: text ?? Buffer.concat(chunks).toString(),
        tookMs: performance.now() - began,
      });
    };
    const late = setTimeout(() => {
      status = -1;
      end(`no end within ${withinMs} ms`);
      asking.destroy();
    }, withinMs);
    asking.on('response', (reply) => {
      status = reply.statusCode ?? 0;
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () => end());
      reply.on('error', () => {
        status = 0;
        end(`cut off: ${Buffer.concat(chunks).toString().slice(0, 1000)}`);
      });
    });
    asking.on('error', (error) => end(status === 0 ? `connection: ${error.message}` : undefined));
  });
  asking.end(body);
  return { ended, leave: () => asking.destroy() };
}

function sendRaw(
  service: { url: string },
  bytes: Iterable<Buffer | string> | AsyncIterable<Buffer | string>,
  withinMs: number,
): Sending {
  const { hostname, port } = new URL(service.url);
  const began = performance.now();
  const socket = connect(Number(port), hostname);
  const ended = new Promise<Ended>((settle) => {
    let text = '';
    const end = (status: number) => {
      clearTimeout(late);
      settle({ status, text, tookMs: performance.now() - began });
      socket.destroy();
    };
    const status = () => Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0);
    const late = setTimeout(() => end(status() || -1), withinMs);
    socket.setEncoding('latin1').on('data', (part: unknown) => {
      text = (text + String(part)).slice(0, 100_000);
    });
    socket.on('end', () => end(status()));
    socket.on('error', () => end(status()));
    socket.on('close', () => end(status()));
  });
  void write();
  return { ended, leave: () => socket.destroy() };

  async function write(): Promise<void> {
    for await (const part of bytes) {
      if (socket.destroyed || !socket.writable) return;
      if (!socket.write(part))
        await new Promise((wake) => socket.once('drain', wake).once('close', wake));
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
