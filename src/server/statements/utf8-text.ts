// Text of a reply in UTF-8, put together in one buffer: strings of many small pieces would be
// joined first and then encoded.
import type { EncodedTexts } from '../engine/encoded-texts.ts';

export class Utf8Text {
  #bytes = Buffer.allocUnsafeSlow(firstBytes);
  #length = 0;

  /** The size of the text in bytes. */
  get length(): number {
    return this.#length;
  }

  /** Adds a piece that is encoded already. */
  addEncoded(piece: Uint8Array): void {
    const bytes = this.#roomFor(piece.length);
    const start = this.#length;
    for (let index = 0; index < piece.length; index++) bytes[start + index] = piece[index] ?? 0;
    this.#length = start + piece.length;
  }

  /** Adds text. */
  add(text: string): void {
    const bytes = this.#roomFor(text.length);
    let at = this.#length;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > lastAscii) {
        this.#addLong(text);
        return;
      }
      bytes[at++] = code;
    }
    this.#length = at;
  }

  /** Adds a JSON string. Characters beyond the basic plane are two escapes, as in Jackson. */
  addJson(text: string): void {
    const bytes = this.#roomFor(text.length * mostBytesOfUnit + 2);
    let at = this.#length;
    bytes[at++] = quotes;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      const isSurrogate = code >= 0xd800 && code <= 0xdfff;
      if (code < space || code === quotes || code === backslash || isSurrogate) {
        this.#addEscaped(text);
        return;
      }
      if (code <= lastAscii) {
        bytes[at++] = code;
      } else if (code < 0x800) {
        bytes[at++] = 0xc0 | (code >> 6);
        bytes[at++] = 0x80 | (code & 0x3f);
      } else {
        bytes[at++] = 0xe0 | (code >> 12);
        bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
        bytes[at++] = 0x80 | (code & 0x3f);
      }
    }
    bytes[at++] = quotes;
    this.#length = at;
  }

  /** Adds the text of a row as a JSON string, and null as `null`. */
  addJsonOf({ bytes: from, starts, ends }: EncodedTexts, row: number): void {
    const start = starts[row] ?? -1;
    if (start < 0) {
      this.add('null');
      return;
    }
    const end = ends[row] ?? start;
    const bytes = this.#roomFor(end - start + 2);
    let at = this.#length;
    bytes[at++] = quotes;
    for (let index = start; index < end; index++) {
      const byte = from[index] ?? 0;
      if (byte < space || byte === quotes || byte === backslash || byte >= firstOfFour) {
        this.#addEscaped(Buffer.from(from.buffer, from.byteOffset + start, end - start).toString());
        return;
      }
      bytes[at++] = byte;
    }
    bytes[at++] = quotes;
    this.#length = at;
  }

  /** Adds a number in the form of JavaScript. */
  addNumber(value: number): void {
    if (!(Number.isInteger(value) && value >= 0 && value < 1e9)) {
      this.add(String(value));
      return;
    }
    let digits = 1;
    for (let power = 10; value >= power; power *= 10) digits++;
    const bytes = this.#roomFor(digits);
    const start = this.#length;
    for (let at = start + digits - 1, rest = value; at >= start; at--) {
      const tenth = Math.trunc(rest / 10);
      bytes[at] = zero + rest - tenth * 10;
      rest = tenth;
    }
    this.#length = start + digits;
  }

  /** Returns the text and starts another one. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #addLong(text: string): void {
    const bytes = this.#roomFor(text.length * mostBytesOfUnit);
    this.#length += bytes.write(text, this.#length);
  }

  #addEscaped(text: string): void {
    this.add(
      JSON.stringify(text).replace(
        /[\ud800-\udfff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    );
  }

  #roomFor(more: number): Buffer {
    const wanted = this.#length + more;
    if (wanted > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(wanted, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    return this.#bytes;
  }
}

const firstBytes = 16 * 1024;
const mostBytesOfUnit = 3; // in UTF-8, of a UTF-16 code unit
const lastAscii = 0x7f;
const space = 0x20;
const zero = 0x30;
const firstOfFour = 0xf0; // in UTF-8, of the bytes of a character beyond the basic plane
const quotes = 0x22;
const backslash = 0x5c;
