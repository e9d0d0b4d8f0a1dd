// Text in HTTP headers, which are bytes (RFC 9110, 5.5). Text within Latin-1 is sent as Latin-1,
// which every service reads; other text is sent as UTF-8, like curl does.

/** A text as the Latin-1 string for the bytes of a header. */
export const headerTextOf = (text: string): string =>
  /^[\0-\xff]*$/.test(text) ? text : Buffer.from(text).toString('latin1');

/**
 * A text as the value of a reply header. Line breaks, other controls and letters outside Latin-1
 * become spaces, as in Jetty, so a value cannot start another header.
 */
export const replyHeaderText = (text: string): string =>
  text.replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ');

/**
 * The text of a header given as a Latin-1 string: decoded as UTF-8 if its bytes are valid, else
 * unchanged.
 */
export function textOfHeader(header: string): string {
  const isPlain = !/[\x80-\xff]/.test(header);
  if (isPlain) return header;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
}
