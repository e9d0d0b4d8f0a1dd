// State of a shell between statements, and its connection to the service.

import type { Context } from '../../../cli/command/command.ts';
import { connectionOf } from '../../../cli/command/connection.ts';
import { tracerOf } from '../../../cli/command/trace.ts';
import { UsageError } from '../../../cli/process/errors.ts';
import { flags, type Settings } from '../../../cli/process/flags.ts';
import type { Io } from '../../../cli/process/io.ts';
import { readConfig } from '../../../cli/profiles/profiles.ts';
import { type Resolved, withProfile } from '../../../cli/profiles/settings.ts';
import { readAddress } from '../../../client/address.ts';
import type { CallEndpoint } from '../../../client/client.ts';
import type { SqlRequest } from '../../../contract/sql.ts';
import { type AskLine, askLinesWith } from '../../shared/sql/ask-lines.ts';

type Frame = Pick<Context, 'ask' | 'io' | 'resolved' | 'signal'>;

export class ShellSession {
  format: Settings['output'];
  isExpanded = false;
  isTimed = false;
  parameters: NonNullable<SqlRequest['parameters']>;
  readonly context: Map<string, unknown>;
  buffer = ''; // the statement that is being typed
  last = ''; // the one that was sent
  onInterrupt: (() => void) | undefined; // the Ctrl-C handler, where giving up is not enough

  #frame: Frame;
  #io: Io;
  #resolved: Resolved;
  #giveUp = new AbortController();
  #connection: ReturnType<typeof connectionOf>;

  constructor(frame: Frame, { context, parameters }: Pick<SqlRequest, 'context' | 'parameters'>) {
    this.#frame = frame;
    this.#io = frame.io;
    this.#resolved = frame.resolved;
    this.format = frame.resolved.settings.output;
    this.context = new Map(Object.entries(context ?? {}));
    this.parameters = parameters ?? [];
    this.#connection = this.#connect();
    frame.signal.addEventListener('abort', () => this.#giveUp.abort());
  }

  get resolved(): Resolved {
    return this.#resolved;
  }

  /** The name of the service in the prompt. */
  get name(): string {
    const { profileName, settings } = this.#resolved;
    return profileName ?? readAddress(settings.url).base.host;
  }

  /** The service's name in its paths; asks the service when the name was not set. */
  findName(): Promise<string> {
    return this.#connection.findName();
  }

  get call(): CallEndpoint {
    return this.#connection.call;
  }

  /** Calls that survive `giveUp`, to cancel running queries. */
  get callAtTheEnd(): CallEndpoint {
    return this.#connection.callAtTheEnd;
  }

  readonly ask: AskLine = (...query) => askLinesWith(this.call)(...query);

  /** Ctrl-C: ends all waits. */
  interrupt() {
    if (this.onInterrupt) this.onInterrupt();
    else this.giveUp();
  }

  /** Abandons pending requests and continues with new connections. */
  giveUp() {
    this.#giveUp.abort();
    this.#giveUp = new AbortController();
    this.#connection = this.#connect();
  }

  /**
   * Switches to another profile; returns a function that switches back. Throws UsageError for an
   * unknown profile.
   */
  use(profileName: string): () => void {
    const { profiles } = readConfig(this.#frame.io.env);
    const profile = profiles[profileName];
    if (!profile)
      throw new UsageError(
        `Profile [${profileName}] does not exist`,
        `known profiles: ${Object.keys(profiles).join(', ') || 'none'}`,
      );
    const [io, resolved, connection] = [this.#io, this.#resolved, this.#connection];
    // Flags and variables for another service, and their password, do not apply here.
    const winners = new Map(
      [...this.#resolved.winners].filter(([name]) => flags[name].group !== 'connection'),
    );
    const { SVCCTL_PASSWORD: _, ...env } = this.#io.env;
    this.#io = { ...streamsOf(this.#io), env };
    this.#resolved = withProfile({ ...this.#resolved, winners }, profileName, profile);
    this.#connection = this.#connect();
    return () => {
      [this.#io, this.#resolved, this.#connection] = [io, resolved, connection];
    };
  }

  #connect() {
    const io = this.#io;
    return connectionOf(this.#resolved, io, {
      ask: this.#frame.ask,
      signal: this.#giveUp.signal,
      observe: tracerOf(this.#resolved.settings, io),
    });
  }
}

const streamsOf = ({ argv, stdin, stdout, stderr }: Io) => ({ argv, stdin, stdout, stderr });
