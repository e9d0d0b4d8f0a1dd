// Raw requests, for `api` and for text from the service: they are not checked against the contract.
import { refusalIn } from '../../client/client.ts';
import type { Message, Reply } from '../../client/message.ts';
import type { Context } from './command.ts';

/** Sends a message; throws ServiceError when the service refuses it. */
export async function send(
  { connect }: Pick<Context, 'connect'>,
  message: Message,
): Promise<Reply> {
  const reply = await (await connect())(message);
  if (reply.status >= 300) throw await refusalIn(reply);
  return reply;
}
