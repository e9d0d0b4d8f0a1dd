// Messages on a stream of bytes: each consists of its length and its value, serialized with the
// structured clone algorithm.
import { readSync, writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';

const headerBytes = 4;

/** A message as bytes. Throws an error that names a member that cannot be copied. */
export function frameOf(message: object): Buffer[] {
  const body = copy(message);
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(body.length);
  return [header, body];
}

function copy(message: object): Buffer {
  try {
    return serialize(message);
  } catch (cause) {
    const member =
      Object.entries(message).find(([, value]) => !isCopied(value))?.[0] ?? 'all of it';
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`A planning message cannot be copied: member [${member}]: ${reason}`, {
      cause,
    });
  }
}

function isCopied(value: unknown): boolean {
  try {
    serialize(value);
    return true;
  } catch {
    return false;
  }
}

/** Assembles messages from pieces as they arrive. */
export class FrameReader {
  readonly #onMessage: (message: unknown) => void;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(onMessage: (message: unknown) => void) {
    this.#onMessage = onMessage;
  }

  /** Passes on each message that this piece completes. */
  read(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    for (
      let wanted = this.#findMessageSize();
      wanted !== undefined;
      wanted = this.#findMessageSize()
    ) {
      const all = Buffer.concat(this.#pieces);
      const rest = all.subarray(wanted);
      this.#pieces = rest.length > 0 ? [rest] : [];
      this.#length = rest.length;
      this.#onMessage(deserialize(all.subarray(headerBytes, wanted)));
    }
  }

  // The size of the first message with its header, once all of it has arrived.
  #findMessageSize(): number | undefined {
    if (this.#length < headerBytes) return undefined;
    const [first] = this.#pieces;
    if (first && first.length < headerBytes) this.#pieces = [Buffer.concat(this.#pieces)];
    const wanted = headerBytes + (this.#pieces[0]?.readUInt32BE(0) ?? 0);
    return this.#length < wanted ? undefined : wanted;
  }
}

/**
 * Blocks until a message arrives; undefined when the other side has closed. For a program without
 * other work.
 */
export function readFrame(file: number): unknown {
  const header = readBytes(file, headerBytes);
  const body = header && readBytes(file, header.readUInt32BE(0));
  return body && deserialize(body);
}

/** Writes the whole message. */
export function writeFrame(file: number, frame: readonly Buffer[]): void {
  for (const part of frame) for (let at = 0; at < part.length; ) at += writeSync(file, part, at);
}

function readBytes(file: number, length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const count = readSync(file, bytes, at, length - at, null);
    if (count === 0) return undefined;
    at += count;
  }
  return bytes;
}
