// Unreadable requests: not HTTP, headers without end, missing bytes. For these, Node has no
// response object, only a socket.
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { families } from '../../contract/failure.ts';
import { type Limits, maxHeaderBytes } from './limits.ts';

/**
 * Writes the reason to the socket and closes it. If a reply is already being sent, the connection
 * is cut, so that this text is not mistaken for a part of it.
 */
export function refuseUnreadable(
  { code, rawPacket }: NodeJS.ErrnoException & { readonly rawPacket?: Buffer },
  socket: Duplex,
  reply: ServerResponse | undefined,
  { requestMs }: Limits,
): void {
  if (!socket.writable || code === 'ECONNRESET' || (reply?.headersSent && !reply.writableFinished))
    return void socket.destroy();
  const [status, reason, message] =
    code === 'HPE_HEADER_OVERFLOW'
      ? [
          431,
          'Request Header Fields Too Large',
          `The request's headers are larger than ${maxHeaderBytes} bytes`,
        ]
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [
            408,
            'Request Timeout',
            `The request was not complete within ${requestMs / 1000} seconds`,
          ]
        : [400, 'Bad Request', 'The request cannot be read as HTTP/1.1'];
  // A reply to HEAD has no body in any case (RFC 9110, section 9.3.2). If the head came in several
  // pieces, the first one, with the method, is no longer available.
  const [, method] = /^([A-Z]+) /.exec(rawPacket?.subarray(0, 10).toString('latin1') ?? '') ?? [];
  const isPiece = method === undefined && code === 'HPE_HEADER_OVERFLOW';
  const body = isPiece ? '' : families.simpleMap({ category: 'invalidInput', message });
  const type = isPiece ? '' : 'Content-Type: application/json\r\n';
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${type}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${method === 'HEAD' ? '' : body}`,
    () => socket.destroy(),
  );
}
