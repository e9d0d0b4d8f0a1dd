// Requests that never become one: not HTTP, headers without end, bytes that do not come. Node has no response for them, only a socket.
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { families } from '../../contract/failure.ts';
import { type Limits, maxHeaderBytes } from './limits.ts';

/** Says why on the socket and closes it. Where a reply is already on its way the connection is cut, so that nobody takes this for a part of it. */
export function refuseUnreadable(
  { code, rawPacket }: NodeJS.ErrnoException & { readonly rawPacket?: Buffer },
  socket: Duplex,
  reply: ServerResponse | undefined,
  { requestMs }: Limits,
): void {
  if (!socket.writable || code === 'ECONNRESET' || (reply?.headersSent && !reply.writableFinished)) return void socket.destroy();
  const [status, reason, message] =
    code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large', `The request's headers are larger than ${maxHeaderBytes} bytes`]
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout', `The request was not complete within ${requestMs / 1000} seconds`]
        : [400, 'Bad Request', 'The request cannot be read as HTTP/1.1'];
  const isHead = rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD '; // its replies have no body, whatever they say (RFC 9110, section 9.3.2)
  const body = families.simpleMap({ category: 'invalidInput', message });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${isHead ? '' : body}`,
    () => socket.destroy(),
  );
}
