// Connection from settings: credentials, timeouts, --dry-run and --verbose. The client is loaded
// with the first call.

import { type CallEndpoint, createClient, createLister, type List } from '../../client/client.ts';
import type { Transport } from '../../client/message.ts';
import type { Observe } from '../../client/observe.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { longestTimerMs } from '../../model/longest-timer.ts';
import type { Ask } from '../input/prompt.ts';
import { DryRunEnds } from '../process/errors.ts';
import type { Settings } from '../process/flags.ts';
import type { Io } from '../process/io.ts';
import type { Credentials } from '../profiles/secrets.ts';
import type { Resolved } from '../profiles/settings.ts';
import { sentencesOn } from '../terminal/wrapped.ts';
import { maskMessage, type PlannedMessage, planCalls } from './dry-run.ts';
import { type NamedTransport, namedTransport } from './named-transport.ts';

export interface Connection {
  readonly call: CallEndpoint;
  readonly list: List;
  readonly connect: () => Promise<Transport>;
  /** The service's name in its paths; asks the service when the name was not set. */
  readonly findName: () => Promise<string>;
  /** Calls that continue after an interrupt, for the clean-up. */
  readonly callAtTheEnd: CallEndpoint;
}

interface How {
  readonly ask: Ask;
  readonly signal: AbortSignal;
  readonly observe?: Observe;
  readonly credentials?: Credentials; // override those of the settings
  readonly plan?: PlannedMessage[]; // collects writes instead of sending them
  readonly retries?: number; // of requests that are safe to repeat
  readonly writes?: boolean; // changes go to the journal, with their inverses
  readonly checksName?: boolean; // false: the service's name is taken as it is
}

export function connectionOf(
  resolved: Resolved,
  io: Io,
  { ask, signal, observe, plan, writes, retries, credentials: given, checksName = true }: How,
): Connection {
  const { settings } = resolved;
  const { service, url, connectTimeout, printCurl } = settings;
  let known: Promise<Credentials | undefined> | undefined; // prompted for once

  async function credentialsNow(): Promise<Credentials | undefined> {
    if (given) return given;
    return settings.user === undefined
      ? undefined
      : (await import('../profiles/secrets.ts')).credentialsOf(resolved, io, ask);
  }

  const patience = new Patience(io, settings);

  async function open(signal?: AbortSignal): Promise<NamedTransport> {
    known ??= credentialsNow();
    const credentials = await known;
    const { connectTo } = await import('../../client/transport.ts');
    const tls = tlsOf(settings);
    const timeoutMs =
      settings.timeout === 0 ? longestTimerMs : Math.min(settings.timeout * 1000, longestTimerMs);
    const connectTimeoutMs = Math.min(connectTimeout * 1000, longestTimerMs);
    const send = connectTo(url, {
      credentials,
      tls,
      env: io.env,
      signal,
      observe,
      retries,
      connectTimeoutMs,
      timeoutMs,
    });
    const sendOrPlan: Transport = async (message) => {
      if (printCurl) {
        const { curlOf } = await import('../../client/curl.ts');
        io.stderr.write(
          `${curlOf(message, { url, tls, hasCredentials: credentials !== undefined })}\n`,
        );
      }
      if (!plan || message.method === 'GET' || message.method === 'HEAD')
        return patience.during(send(message));
      plan.push(maskMessage(message));
      throw new DryRunEnds();
    };
    return checksName
      ? namedTransport(sendOrPlan, resolved, io.env)
      : { send: sendOrPlan, findName: async () => service };
  }

  const openOnce = (signal?: AbortSignal) => {
    let transport: Promise<NamedTransport> | undefined;
    return () => {
      transport ??= open(signal);
      return transport;
    };
  };
  const openFirst = openOnce(signal);
  const openLast = openOnce();
  const connect = async () => (await openFirst()).send;
  const findName = async () => (await openFirst()).findName();
  const call = createClient(service, connect);
  const callAtTheEnd = createClient(service, async () => (await openLast()).send);
  const list = createLister(service, connect);
  return {
    connect,
    findName,
    list,
    call: plan ? planCalls(call, findName, plan) : writes ? recordCalls(call, settings, io) : call,
    callAtTheEnd,
  };
}

// A service that hangs looks like a command that hangs.
class Patience {
  readonly #stderr: Io['stderr'];
  readonly #settings: Settings;
  #isNeeded: boolean; // until the first reply

  constructor({ stderr }: Pick<Io, 'stderr'>, settings: Settings) {
    this.#stderr = stderr;
    this.#settings = settings;
    this.#isNeeded = stderr.isTTY === true && !settings.quiet && settings.progress !== 'none';
  }

  async during<T>(asked: Promise<T>): Promise<T> {
    if (!this.#isNeeded) return asked;
    this.#isNeeded = false;
    const { url, timeout } = this.#settings;
    const timer = setTimeout(() => {
      const limit = timeout === 0 ? '' : ` It waits up to ${timeout} s (--timeout).`;
      this.#stderr.write(
        sentencesOn(this.#stderr, [
          `Waiting for an answer of [${new URL(url).origin}]; Ctrl-C stops.${limit}`,
        ]),
      );
    }, patienceMs).unref();
    try {
      return await asked;
    } finally {
      clearTimeout(timer);
    }
  }
}

const patienceMs = 3000;

// The journal is loaded with the first change.
function recordCalls(call: CallEndpoint, settings: Settings, io: Io): CallEndpoint {
  const ask = call as (endpoint: Endpoint, input?: object) => Promise<unknown>;
  return (async (endpoint: Endpoint, input?: object) => {
    if (endpoint.method === 'GET') return ask(endpoint, input);
    const { recordCall } = await import('./journal.ts');
    return recordCall(call, endpoint, input, { io, settings });
  }) as CallEndpoint;
}

export const tlsOf = ({ cacert, cert, key, insecure }: Settings) => ({
  caFile: cacert,
  certFile: cert,
  keyFile: key,
  insecure,
});
