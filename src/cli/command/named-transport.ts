// Transport that knows the service's own name. When a path is unknown, it asks the service for its
// name: a name that was not set is corrected, a wrong one that was set is refused.
import { Interrupted, ServiceError } from '../../client/errors.ts';
import { headerOf, type Message, type Reply, type Transport } from '../../client/message.ts';
import { commandLine } from '../../model/shell-text.ts';
import { CommandError } from '../process/errors.ts';
import { knownName, rememberName } from '../profiles/known-names.ts';
import { correctService, type Resolved } from '../profiles/settings.ts';

export interface NamedTransport {
  readonly send: Transport;
  /** The service's name, from the service itself when it was not set. */
  findName(): Promise<string>;
}

export function namedTransport(
  send: Transport,
  resolved: Resolved,
  env: NodeJS.ProcessEnv,
): NamedTransport {
  const { settings } = resolved;
  const first = settings.service; // in messages that were made before a correction
  let isRight = false;
  let asking: Promise<void> | undefined;

  // Throws CommandError for a wrong name and for a server of another kind.
  async function checkName(): Promise<void> {
    const { askName } = await import('./discover.ts');
    const isSet = !['default', 'found'].includes(resolved.winners.get('service')?.source ?? '');
    const name = await askName(send, settings.service, { isGuess: !isSet });
    isRight = true;
    if (name === undefined) return;
    if (name !== settings.service && isSet) throw wrongName(resolved, name);
    if (name !== settings.service) correctService(resolved, name);
    if (!isSet && knownName(env, settings.url) !== name) rememberName(env, settings.url, name);
  }

  const checkOnce = () => {
    asking ??= checkName();
    return asking;
  };

  async function sendNamed(message: Message): Promise<Reply> {
    const sent = renamed(message, first, settings.service);
    const reply = await send(sent);
    // A request of several at once may have left before another one corrected the name.
    const isLate = renamed(message, first, settings.service).path !== sent.path;
    if (!isLate && (isRight || message.expected?.includes(reply.status))) return reply;
    if (!isDoubtful(reply)) {
      isRight ||= sent.path.startsWith(`/${settings.service}/`);
      return reply;
    }
    try {
      await checkOnce();
    } catch (error) {
      if (!isAnswer(error)) return reply; // the reply explains more than a failed check
      await reply.discard();
      throw error;
    }
    const again = renamed(message, first, settings.service);
    if (again.path === sent.path) return reply;
    await reply.discard();
    return send(again);
  }

  return {
    send: sendNamed,
    async findName() {
      const { source } = resolved.winners.get('service') ?? {};
      if (source === 'default')
        await checkOnce().catch((error: unknown) => {
          if (error instanceof Interrupted) throw error;
        });
      return settings.service;
    },
  };
}

// A path below another name is unknown, and a server of another kind may answer with a web page.
const isDoubtful = ({ status, headers }: Reply) =>
  status === 404 ||
  status === 405 ||
  (![401, 403, 502, 503, 504].includes(status) &&
    /^text\/html\b/i.test(headerOf(headers, 'content-type') ?? ''));

const isAnswer = (error: unknown) =>
  error instanceof CommandError ||
  error instanceof Interrupted ||
  (error instanceof ServiceError && error.status === 401);

/** The message with another service's name in its path and headers. */
function renamed(message: Message, from: string, to: string): Message {
  const { path } = message;
  if (from === to || !path.startsWith(`/${from}/`)) return message;
  const prefix = `x-${from}-`.toLowerCase();
  return {
    ...message,
    path: `/${to}${path.slice(from.length + 1)}`,
    headers: message.headers.map(([name, value]) =>
      name.toLowerCase().startsWith(prefix)
        ? [`X-${to.charAt(0).toUpperCase()}${to.slice(1)}-${name.slice(prefix.length)}`, value]
        : [name, value],
    ),
  };
}

function wrongName({ winners, profileName }: Resolved, name: string): CommandError {
  const { source, from } = winners.get('service') ?? {};
  const hint =
    source === 'profile' && profileName !== undefined
      ? commandLine`svcctl profiles set ${profileName} service=${name}`
      : `the wrong name is from ${from}`;
  return new CommandError(
    'usage',
    `This service is named ${name}: add \`--service ${name}\`, or set it in the profile`,
    hint,
  );
}
