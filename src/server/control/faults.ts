// Faults for requests, which fail or are delayed: set by a test, and used up by matching requests.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  anything,
  integer,
  mapOf,
  oneOf,
  optional,
  text,
  truth,
  type Values,
} from '../../contract/schema.ts';
import { formatJson } from '../../model/json.ts';
import { addPeriod, parsePeriod } from '../../model/period.ts';
import { Refusal } from '../checks/refusals.ts';
import { bad, type ControlRoute, fieldsIn, timeIn } from './route.ts';

export class Faults {
  readonly #armed: Armed[] = [];
  #clearing = new AbortController();
  #last = 0;

  list = () => this.#armed.map(({ id, left, given }) => ({ id, left, ...given }));

  arm(given: Fault) {
    const fault = {
      id: String(++this.#last),
      left: given.times ?? 1,
      given,
      delayMs: delayOf(given),
    };
    this.#armed.push(fault);
    return { id: fault.id, left: fault.left, ...given };
  }

  /** Removes the fault with this id, or all faults; waiting requests continue. */
  clear(id?: string): void {
    this.#armed.splice(
      0,
      this.#armed.length,
      ...this.#armed.filter((fault) => id !== undefined && fault.id !== id),
    );
    this.#clearing.abort();
    this.#clearing = new AbortController();
  }

  /**
   * Applies the first matching fault to a request; true when the fault has answered the request or
   * cut the connection.
   */
  async strikes(message: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const fault = this.#armed.find(({ given }) => matches(given, message));
    if (!fault) return false;
    if (--fault.left <= 0) this.#armed.splice(this.#armed.indexOf(fault), 1);
    const { given, delayMs } = fault;
    // On the machine's clock, which clients measure their waiting time by.
    const { signal } = this.#clearing;
    if (delayMs > 0)
      await Promise.race([
        sleep(delayMs, undefined, { signal }),
        once(response, 'close', { signal }),
      ]).catch(() => undefined);
    if (given.drop) message.socket.destroy();
    else if (given.status !== undefined) writeFailing(response, given.status, given);
    else return false;
    return true;
  }
}

/** Routes that set, list and clear faults. */
export const faultRoutes = (faults: Faults): ControlRoute[] => [
  {
    method: 'GET',
    path: '/faults',
    does: 'List the faults and how often each still occurs',
    run: () => ({ faults: faults.list() }),
  },
  {
    method: 'POST',
    path: '/faults',
    does: `Make the next requests fail or wait: ${Object.keys(fields).join(', ')}`,
    run: ({ body }) => faults.arm(faultIn(body)),
  },
  {
    method: 'DELETE',
    path: '/faults/:name',
    does: 'Remove a fault by its id',
    run({ name }) {
      if (!faults.list().some(({ id }) => id === name))
        throw new Refusal('notFound', `Fault [${name}] does not exist`);
      faults.clear(name);
      return { faults: faults.list() };
    },
  },
  {
    method: 'DELETE',
    path: '/faults',
    does: 'Remove all faults',
    run() {
      faults.clear();
      return { faults: [] };
    },
  },
];

const fields = {
  method: optional(oneOf('GET', 'POST', 'PUT', 'DELETE', 'HEAD'), 'Only requests of this method'),
  path: optional(
    text,
    'Only requests whose path begins with this text; with * (any text) in it, only requests whose whole path matches',
  ),
  times: optional(integer, 'Number of requests (1)'),
  status: optional(integer, 'Answer with this status, from 200 to 599'),
  body: optional(anything, 'Body of that answer: a text, or any other value as JSON'),
  headers: optional(mapOf(text), 'Headers of that answer'),
  drop: optional(truth, 'Close the connection without a reply'),
  delay: optional(text, 'Delay the request by this period'),
  delayMs: optional(integer, 'Delay in milliseconds'),
};

type Fault = Values<typeof fields>;

interface Armed {
  readonly id: string;
  left: number;
  readonly given: Fault;
  readonly delayMs: number;
}

function faultIn(body: unknown): Fault {
  const fault = fieldsIn(fields, body);
  const { path, times = 1, status, drop, delay, delayMs } = fault;
  const isReply = status !== undefined;
  if (path !== undefined && !/^[/*]/.test(path))
    throw bad(`Invalid value for field [path]: [${path}] does not begin with /`);
  if (times < 1) throw bad(`Invalid value for field [times]: [${times}] is less than 1`);
  if (isReply && (status < 200 || status > 599))
    throw bad(`Invalid value for field [status]: [${status}] is not between 200 and 599`);
  if (isReply && drop) throw bad('Give either [status] or [drop]: a dropped request has no status');
  if (!isReply && (fault.body !== undefined || fault.headers))
    throw bad('Fields [body] and [headers] need a [status]');
  if (delay !== undefined && delayMs !== undefined) throw bad('Give either [delay] or [delayMs]');
  if (delayOf(fault) < 0 || delayOf(fault) > longestMs)
    throw bad('The delay must be between [PT0S] and [P1D]');
  if (!isReply && !drop && delay === undefined && delayMs === undefined)
    throw bad('One of the fields [status], [drop], [delay] and [delayMs] is required');
  return fault;
}

const longestMs = 86_400_000;

const delayOf = ({ delay, delayMs = 0 }: Fault) =>
  delay === undefined
    ? delayMs
    : timeIn('delay', delay, (text) => addPeriod(0, parsePeriod(text)), 'PT2S');

function matches({ method, path = '/' }: Fault, message: IncomingMessage): boolean {
  if (method !== undefined && method !== message.method) return false;
  const asked = (message.url ?? '').split('?', 1)[0] ?? '';
  if (!path.includes('*')) return asked.startsWith(path);
  // Part by part, because a regular expression with many stars could take forever.
  const [first = '', ...rest] = path.split('*');
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = asked.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return asked.startsWith(first) && asked.endsWith(last) && asked.length - last.length >= at;
}

function writeFailing(
  response: ServerResponse,
  status: number,
  { body = { error: struck }, headers }: Fault,
): void {
  const isText = typeof body === 'string';
  try {
    response
      .writeHead(status, {
        'content-type': isText ? 'text/plain;charset=UTF-8' : 'application/json',
        ...headers,
      })
      .end(isText ? body : formatJson(body));
  } catch {
    response.destroy(); // invalid headers
  }
}

const struck = 'A fault of the control interface made this request fail';
