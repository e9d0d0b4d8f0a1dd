// A driver of the tests: speaks Avatica as JSON, or as Protocol Buffers.
import {
  type ReplyName,
  type RequestName,
  replies,
  requests,
  wireMessage,
} from '../../../../src/server/broker/avatica/protocol.ts';
import { decode, encode, type WireMessage } from '../../../../src/server/broker/avatica/wire.ts';

// biome-ignore lint/suspicious/noExplicitAny: a reply may be anything, and a test says what it expects
export type Answer = Record<string, any>;

/** A connection of a driver: sends requests, and gives back what was answered. */
export function driver({ url }: { url: string }, connectionId = 'connection') {
  const send = async (body: unknown): Promise<Answer> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const reply = await fetch(`${url}/svc/v2/sql/avatica/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    });
    return { status: reply.status, ...JSON.parse(await reply.text()) };
  };
  const ask = (request: RequestName, fields: object = {}) =>
    send({ request, connectionId, ...fields });
  return {
    send,
    ask,
    open: (info: Record<string, string> = {}) => ask('openConnection', { info }),
    async statement(): Promise<number> {
      return (await ask('createStatement')).statementId;
    },
    async run(sql: string, fields: object = {}): Promise<Answer> {
      const { statementId } = await ask('createStatement');
      const answer = await ask('prepareAndExecute', {
        statementId,
        sql,
        maxRowsTotal: -1,
        maxRowsInFirstFrame: -1,
        ...fields,
      });
      return { ...answer, ...answer.results?.[0], statementId };
    },
    async rows(sql: string): Promise<unknown[][]> {
      const { statementId } = await ask('createStatement');
      const answer = await ask('prepareAndExecute', {
        statementId,
        sql,
        maxRowsTotal: -1,
        maxRowsInFirstFrame: -1,
      });
      await ask('closeStatement', { statementId });
      return answer.results?.[0].firstFrame.rows ?? answer.errorMessage;
    },
    execute: (id: number, parameterValues: readonly unknown[], maxRowCount = 100) =>
      send({
        request: 'execute',
        statementHandle: { connectionId, id, signature: null },
        parameterValues,
        maxRowCount,
      }),
  };
}

/**
 * Sends a message of Protocol Buffers and returns the one that was answered, with the name of its
 * kind; rows are left as bytes.
 */
export async function protobuf(
  { url }: { url: string },
  name: RequestName,
  message: WireMessage,
): Promise<Answer> {
  const { className, fields } = requests[name];
  const wrapped = encode({ kind: 'message', fields: () => fields }, message);
  const body = encode(wireMessage, {
    name: `org.apache.calcite.avatica.proto.Requests$${className}`,
    wrapped,
  });
  const reply = await fetch(`${url}/svc/v2/sql/avatica-protobuf/`, {
    method: 'POST',
    body: Buffer.from(body),
  });
  const { name: answered, wrapped: bytes } = decode(
    wireMessage,
    new Uint8Array(await reply.arrayBuffer()),
  );
  const kind = Object.entries(replies).find(([, { className }]) =>
    String(answered).endsWith(`Responses$${className}`),
  );
  if (!kind) throw new Error(`There is no reply [${answered}]`);
  const [response, declared] = kind;
  return {
    status: reply.status,
    response: response as ReplyName,
    ...decode({ kind: 'message', fields: () => declared.fields }, bytes as Uint8Array),
  };
}
