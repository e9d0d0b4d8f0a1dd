// Text in HTTP headers. A header is bytes (RFC 9110, 5.5): what Latin-1 has goes as Latin-1, which
// every service reads; anything else goes as UTF-8, which is what curl sends too.

/** A text as the Latin-1 string that stands for the bytes of a header. */
export const headerTextOf = (text: string): string =>
  /^[\0-\xff]*$/.test(text) ? text : Buffer.from(text).toString('latin1');

/**
 * A text as the value of a header of a reply. Ends of lines and other controls, and what Latin-1
 * has not, become spaces: so Jetty writes headers, and no value can begin another header.
 */
export const replyHeaderText = (text: string): string =>
  text.replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ');

/**
 * The text in a header, given as Latin-1 string: UTF-8 if its bytes are that, else what they are in
 * Latin-1.
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
