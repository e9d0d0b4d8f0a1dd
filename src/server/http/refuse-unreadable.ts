// Requests that never become one: not HTTP, headers without end, bytes that do not come. Node has
// no response for them, only a socket.
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { families } from '../../contract/failure.ts';
import { type Limits, maxHeaderBytes } from './limits.ts';

/**
 * Says why on the socket and closes it. Where a reply is already on its way the connection is cut,
 * so that nobody takes this for a part of it.
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
  // A reply to HEAD has no body, whatever it says (RFC 9110, section 9.3.2). Of a head that came in
  // several pieces the first, with the method, is gone.
  const [, method] = /^([A-Z]+) /.exec(rawPacket?.subarray(0, 10).toString('latin1') ?? '') ?? [];
  const isPiece = method === undefined && code === 'HPE_HEADER_OVERFLOW';
  const body = isPiece ? '' : families.simpleMap({ category: 'invalidInput', message });
  const type = isPiece ? '' : 'Content-Type: application/json\r\n';
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${type}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${method === 'HEAD' ? '' : body}`,
    () => socket.destroy(),
  );
}
