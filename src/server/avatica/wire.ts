// The wire format of Protocol Buffers (protobuf.dev: "Encoding"), for messages that are declared as data. Avatica needs varints, doubles, texts and
// messages in each other; a library brings a parser of schemas, services and code generation, and is many times as long as this.

export type Scalar = 'bool' | 'bytes' | 'double' | 'int32' | 'int64' | 'sint64' | 'string' | 'uint32' | 'uint64';

export interface Enumeration {
  readonly kind: 'enum';
  readonly numbers: Readonly<Record<string, number>>;
}

export interface MessageType {
  readonly kind: 'message';
  readonly fields: () => Fields; // a message may hold others of its own kind
}

/** What writes itself, for speed: rows. */
export interface OwnType {
  readonly kind: 'own';
  write(writer: Writer, number: number, value: unknown): void;
}

export interface Field {
  readonly number: number; // 0 where only JSON has it
  readonly type: Scalar | Enumeration | MessageType | OwnType;
  readonly list?: true;
  readonly map?: true; // from text to text
  readonly has?: number; // the field that says whether this one is null: in version 3 a default value does not travel
}

export type Fields = Readonly<Record<string, Field>>;
export type Message = Readonly<Record<string, unknown>>;

/** Bytes that are no message of the wanted type. */
export class BadMessage extends Error {}

/** A message as bytes. What is null or a default value is left out. */
export function encode(type: MessageType, message: Message): Uint8Array {
  const writer = new Writer();
  writeFields(writer, type, message);
  return writer.finish();
}

/** A message from bytes: fields that are not there are undefined, lists are empty. Unknown fields are skipped. Throws BadMessage. */
export const decode = (type: MessageType, bytes: Uint8Array): Message => readFields(type, new Reader(bytes), 0);

// ── Writing ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Writes from the end to the beginning: the length of a message stands before it, and is known when it has been written. */
export class Writer {
  #bytes = Buffer.allocUnsafe(1024);
  #start = 1024;

  get length(): number {
    return this.#bytes.length - this.#start;
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(this.#start);
  }

  /** An unsigned number. */
  varint(value: number): void {
    if (value < 0x80) {
      this.#room(1);
      this.#bytes[this.#start] = value;
      return;
    }
    let count = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) count++;
    this.#room(count);
    let rest = value;
    for (let at = 0; at < count - 1; at++, rest = Math.floor(rest / 0x80)) this.#bytes[this.#start + at] = (rest % 0x80) | 0x80;
    this.#bytes[this.#start + count - 1] = rest;
  }

  /** An unsigned number of 64 bits. */
  bigVarint(value: bigint): void {
    const groups: number[] = [];
    for (let rest = value; rest > 0n || groups.length === 0; rest >>= 7n) groups.push(Number(rest & 0x7fn));
    this.#room(groups.length);
    groups.forEach((group, at) => {
      this.#bytes[this.#start + at] = at < groups.length - 1 ? group | 0x80 : group;
    });
  }

  /** A signed number of 64 bits, zigzag: small ones are short. */
  zigzag(value: number | bigint): void {
    if (typeof value === 'number' && Math.abs(value) < 2 ** 51) this.varint(value >= 0 ? value * 2 : -value * 2 - 1);
    else {
      const exact = BigInt(value);
      this.bigVarint(BigInt.asUintN(64, (exact << 1n) ^ (exact >> 63n)));
    }
  }

  double(value: number): void {
    this.#room(8);
    this.#bytes.writeDoubleLE(value, this.#start);
  }

  text(value: string): void {
    const count = Buffer.byteLength(value);
    this.#room(count);
    this.#bytes.write(value, this.#start, count);
    this.varint(count);
  }

  bytes(value: Uint8Array): void {
    this.#room(value.length);
    this.#bytes.set(value, this.#start);
    this.varint(value.length);
  }

  /** What stands before the content of a field. */
  tag(number: number, wireType: number): void {
    this.varint(number * 8 + wireType);
  }

  /** A message as a field, of which `write` writes the content. */
  nested(number: number, write: () => void): void {
    const before = this.length;
    write();
    this.varint(this.length - before);
    this.tag(number, wireTypes.bytes);
  }

  #room(count: number): void {
    if (this.#start < count) {
      const size = Math.max(this.#bytes.length * 2, this.length + count);
      const larger = Buffer.allocUnsafe(size);
      larger.set(this.finish(), size - this.length);
      this.#start = size - this.length;
      this.#bytes = larger;
    }
    this.#start -= count;
  }
}

export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

function writeFields(writer: Writer, { fields }: MessageType, message: Message): void {
  for (const [name, field] of Object.entries(fields()).reverse()) {
    const value = message[name] ?? null;
    if (field.number === 0 || value === null) continue;
    if (field.has !== undefined) writeValue(writer, field.has, 'bool', true);
    for (const item of field.list && Array.isArray(value) ? [...value].reverse() : [value])
      writeValue(writer, field.number, field.type, item, field.list);
  }
}

function writeValue(writer: Writer, number: number, type: Field['type'], value: unknown, isItem = false): void {
  if (typeof type === 'object') {
    if (type.kind === 'own') type.write(writer, number, value);
    else if (type.kind === 'message') writer.nested(number, () => writeFields(writer, type, value as Message));
    else writeValue(writer, number, 'uint32', type.numbers[String(value)] ?? 0, isItem);
    return;
  }
  const isDefault = value === '' || value === 0 || value === 0n || value === false;
  if (!isDefault || isItem) writer.tag(number, writeScalar(writer, type, value));
}

// Returns the type on the wire, which stands before the content.
function writeScalar(writer: Writer, type: Scalar, value: unknown): number {
  switch (type) {
    case 'string':
      writer.text(String(value));
      return wireTypes.bytes;
    case 'bytes':
      writer.bytes(value as Uint8Array);
      return wireTypes.bytes;
    case 'double':
      writer.double(Number(value));
      return wireTypes.fixed64;
    case 'bool':
    case 'uint32':
      writer.varint(Number(value) >>> 0);
      return wireTypes.varint;
    case 'sint64':
      writer.zigzag(value as number | bigint);
      return wireTypes.varint;
    default:
      writer.bigVarint(BigInt.asUintN(64, BigInt(value as number | bigint)));
      return wireTypes.varint;
  }
}

// ── Reading ────────────────────────────────────────────────────────────────────────────────────────────────────────────

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#take(1)[0] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new BadMessage('A number has more than 10 bytes');
  }

  bytes(): Buffer {
    const count = this.varint();
    if (count > BigInt(this.#bytes.length)) throw cutOff();
    return this.#take(Number(count));
  }

  double(): number {
    return this.#take(8).readDoubleLE();
  }

  skip(wireType: number): void {
    if (wireType === wireTypes.varint) this.varint();
    else if (wireType === wireTypes.fixed64) this.#take(8);
    else if (wireType === wireTypes.bytes) this.bytes();
    else if (wireType === wireTypes.fixed32) this.#take(4);
    else throw new BadMessage(`There is no wire type [${wireType}]`);
  }

  #take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw cutOff();
    const taken = this.#bytes.subarray(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }
}

const cutOff = () => new BadMessage('It ends in the middle of a value');

const deepest = 32; // messages in each other

function readFields(type: MessageType, reader: Reader, depth: number): Message {
  if (depth > deepest) throw new BadMessage(`More than [${deepest}] messages stand in each other`);
  const declared = Object.entries(type.fields());
  const byNumber = new Map(declared.map(([name, field]) => [field.number, { name, field }]));
  const lists = declared.filter(([, { list }]) => list).map(([name]): [string, unknown[]] => [name, []]);
  const message: Record<string, unknown> = Object.fromEntries(lists);
  const said = new Set<number>();
  while (!reader.isDone) {
    const tag = Number(reader.varint());
    const [number, wireType] = [Math.floor(tag / 8), tag % 8];
    const known = byNumber.get(number);
    if (!known) {
      if (wireType === wireTypes.varint && reader.varint() !== 0n) said.add(number);
      else if (wireType !== wireTypes.varint) reader.skip(wireType);
      continue;
    }
    const { name, field } = known;
    if (wireType !== wireTypeOf(field))
      throw new BadMessage(`Field [${name}] has wire type [${wireType}] instead of [${wireTypeOf(field)}]`);
    if (field.map) {
      message[name] ??= {};
      Object.assign(message[name] as object, pairIn(reader, depth));
    } else if (field.list) (message[name] as unknown[]).push(valueIn(field, reader, depth));
    else message[name] = valueIn(field, reader, depth);
  }
  // Some clients say only that a field is there, some only send it.
  for (const [name, { has, list, type }] of declared) {
    if (has === undefined) continue;
    const isEmpty = list ? (message[name] as unknown[]).length === 0 : message[name] === undefined;
    if (!said.has(has) && isEmpty) message[name] = undefined;
    else if (!list) message[name] ??= type === 'bool' ? false : '';
  }
  return message;
}

function pairIn(reader: Reader, depth: number): Readonly<Record<string, string>> {
  const { key = '', value = '' } = readFields(pair, new Reader(reader.bytes()), depth + 1);
  return { [String(key)]: String(value) };
}

const pair: MessageType = {
  kind: 'message',
  fields: () => ({ key: { number: 1, type: 'string' }, value: { number: 2, type: 'string' } }),
};

function wireTypeOf({ type, map }: Field): number {
  if (map || type === 'string' || type === 'bytes') return wireTypes.bytes;
  if (type === 'double') return wireTypes.fixed64;
  return typeof type === 'object' && type.kind !== 'enum' ? wireTypes.bytes : wireTypes.varint;
}

function valueIn({ type }: Field, reader: Reader, depth: number): unknown {
  if (typeof type === 'object') {
    if (type.kind === 'message') return readFields(type, new Reader(reader.bytes()), depth + 1);
    if (type.kind === 'own') return reader.bytes();
    const number = Number(reader.varint());
    return Object.keys(type.numbers).find((name) => type.numbers[name] === number) ?? String(number);
  }
  switch (type) {
    case 'string':
      return textIn(reader.bytes());
    case 'bytes':
      return reader.bytes();
    case 'double':
      return reader.double();
    case 'bool':
      return reader.varint() !== 0n;
    case 'uint32':
      return Number(BigInt.asUintN(32, reader.varint()));
    case 'int32':
      return Number(BigInt.asIntN(32, reader.varint()));
    case 'sint64': {
      const value = reader.varint();
      return exactNumber(BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n)));
    }
    default:
      return exactNumber(BigInt.asIntN(64, reader.varint()));
  }
}

const exactNumber = (value: bigint): number | bigint => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};

function textIn(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new BadMessage('A text is not UTF-8');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
