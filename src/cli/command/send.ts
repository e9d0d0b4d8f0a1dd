// A request as it is, for `api` and for text that the service has made: no contract looks at it.
import { refusalIn } from '../../client/client.ts';
import type { Message, Reply } from '../../client/message.ts';
import type { Context } from './command.ts';

/** Sends a message; throws ServiceError when the service says no. */
export async function send(
  { connect }: Pick<Context, 'connect'>,
  message: Message,
): Promise<Reply> {
  const reply = await (await connect())(message);
  if (reply.status >= 300) throw await refusalIn(reply);
  return reply;
}
