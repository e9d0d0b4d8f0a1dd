// Replies to JDBC drivers, in either serialization.
import { formatJson } from '../../../model/json.ts';
import { type AvaticaReply, replies, wireMessage } from './protocol.ts';
import { type JdbcRows, rowsText } from './rows.ts';
import { encode } from './wire.ts';

/** A frame of a result: rows from an offset on; `done` on the last frame. */
export interface RowFrame {
  readonly offset: number;
  readonly done: boolean;
  readonly rows: JdbcRows;
}

/** A reply as a line of JSON. */
export const replyInJson = (reply: AvaticaReply): string => `${formatJson(withRowsText(reply))}\n`;

/** A reply as a message of Protocol Buffers. */
export function replyInProtobuf({ response, ...message }: AvaticaReply): Uint8Array {
  const { className, fields } = replies[response];
  const wrapped = encode({ kind: 'message', fields: () => fields }, message);
  return encode(wireMessage, {
    name: `org.apache.calcite.avatica.proto.Responses$${className}`,
    wrapped,
  });
}

function withRowsText(reply: AvaticaReply): AvaticaReply {
  const { frame, firstFrame, results } = reply;
  return {
    ...reply,
    ...(isFrame(frame) && { frame: textOf(frame) }),
    ...(isFrame(firstFrame) && { firstFrame: textOf(firstFrame) }),
    ...(Array.isArray(results) && { results: results.map(withRowsText) }),
  };
}

const textOf = (frame: RowFrame) => ({ ...frame, rows: rowsText(frame.rows) });

const isFrame = (value: unknown): value is RowFrame =>
  typeof value === 'object' && value !== null && 'rows' in value;
