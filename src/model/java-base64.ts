/**
 * Decodes base64 text with optional padding. Throws SyntaxError with Java's message for any other
 * text (java.util.Base64.getDecoder).
 */
export function decodeJavaBase64(text: string): Buffer {
  if (text.length === 1)
    throw new SyntaxError('Input byte[] should at least have 2 bytes for base64 bytes');
  const end = text.search(/[^A-Za-z0-9+/]/);
  const length = end === -1 ? text.length : end;
  if (end !== -1 && text[end] !== '=')
    throw new SyntaxError(
      `Illegal base64 character ${javaByte(text.charCodeAt(end)).toString(16)}`,
    );
  const inUnit = length % 4;
  if (end !== -1 && (inUnit === 0 || (inUnit === 2 && text[end + 1] !== '=')))
    throw new SyntaxError('Input byte array has wrong 4-byte ending unit');
  if (inUnit === 1) throw new SyntaxError('Last unit does not have enough valid bits');
  const whole = end === -1 ? length : length + (inUnit === 2 ? 2 : 1);
  if (whole < text.length)
    throw new SyntaxError(`Input byte array has incorrect ending byte at ${whole}`);
  return Buffer.from(text.slice(0, length), 'base64');
}

// Java reads the text as ISO 8859-1 with signed bytes; letters outside of it become question marks.
const javaByte = (code: number) => (code > 255 ? 0x3f : code > 127 ? code - 256 : code);
