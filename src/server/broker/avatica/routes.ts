// JDBC over HTTP: one path for each serialization. The implementation is loaded on the first
// request.

import { Refusal } from '../../checks/refusals.ts';
import { answer, type RequestContext, type Routes } from '../../handlers/routes.ts';
import { logInternalError } from '../../process/log.ts';
import { refusalOf } from '../../statements/sql-refusals.ts';
import type { AvaticaReply } from './protocol.ts';
import { AvaticaRefusal, errorOf, NoSuchConnection } from './refusals.ts';
import { replyInJson, replyInProtobuf } from './replies.ts';
import { type AvaticaRequest, requestInJson, requestInProtobuf } from './requests.ts';
import { Avatica, type AvaticaParts } from './service.ts';

export interface AvaticaRoutes extends Routes<'avatica'> {
  close(): Promise<void>;
}

/** The handlers of both serializations, which share their connections. */
export function avaticaRoutes(parts: AvaticaParts): AvaticaRoutes {
  const avatica = new Avatica(parts);
  const answerWith =
    (
      read: (bytes: Uint8Array) => AvaticaRequest,
      write: (reply: AvaticaReply) => string | Uint8Array,
    ) =>
    async ({ body, caller, role, signal }: RequestContext & { readonly body: Uint8Array }) => {
      try {
        return [write(await avatica.answer(read(body), { caller, role, signal }))];
      } catch (error) {
        return answer(
          [write({ ...errorOf(toRefusal(error)), rpcMetadata: avatica.rpcMetadata() })],
          {
            status: 500,
          },
        );
      }
    };
  return {
    json: answerWith(requestInJson, replyInJson),
    protobuf: answerWith(requestInProtobuf, replyInProtobuf),
    close: () => avatica.close(),
  };
}

function toRefusal(thrown: unknown): AvaticaRefusal | NoSuchConnection | Refusal {
  const error = refusalOf(thrown, undefined);
  if (
    error instanceof AvaticaRefusal ||
    error instanceof NoSuchConnection ||
    error instanceof Refusal
  )
    return error;
  logInternalError(error);
  return new Refusal('runtimeFailure', 'Internal error');
}
