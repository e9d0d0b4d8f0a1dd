// Codec for Protocol Buffers messages that are declared as data, on the readers and writers of
// protobufjs. Its schemas are not used because Avatica has peculiarities: fields that mark others
// as null, and rows with their own encoder.
import { type Long, Reader, Writer } from 'protobufjs/minimal.js';
import { requestLimits } from '../../../model/limits.ts';

export type { Writer };

export type Scalar =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'int32'
  | 'int64'
  | 'sint64'
  | 'string'
  | 'uint32'
  | 'uint64';

export interface Enumeration {
  readonly kind: 'enum';
  readonly numbers: Readonly<Record<string, number>>;
}

export interface MessageType {
  readonly kind: 'message';
  readonly fields: () => WireFields; // lazy, because message types can be recursive
}

/** A value with its own encoder, for speed: rows. */
export interface OwnType {
  readonly kind: 'own';
  write(writer: Writer, number: number, value: unknown): void;
}

export interface Field {
  readonly number: number; // 0 for a field that only JSON has
  readonly type: Scalar | Enumeration | MessageType | OwnType;
  readonly list?: true;
  readonly map?: true; // from text to text
  // The field that marks this one as null: version 3 does not transmit default values
  readonly has?: number;
}

export type WireFields = Readonly<Record<string, Field>>;
export type WireMessage = Readonly<Record<string, unknown>>;

/** Bytes that are not a message of the expected type. */
export class BadMessage extends Error {}

/** Encodes a message. Null and default values are omitted. */
export function encode(type: MessageType, message: WireMessage): Uint8Array {
  const writer = Writer.create();
  writeFields(writer, type, message);
  return writer.finish();
}

/**
 * Decodes a message: missing fields are undefined, missing lists empty. Unknown fields are skipped.
 * Throws BadMessage.
 */
export function decode(type: MessageType, bytes: Uint8Array): WireMessage {
  try {
    return readFields(type, Reader.create(bytes), { depth: 0, count: { fields: 0 } });
  } catch (error) {
    if (error instanceof BadMessage) throw error;
    throw new BadMessage(
      error instanceof RangeError
        ? 'It ends in the middle of a value'
        : 'It holds a number that is too long',
    );
  }
}

// ── Writing ──────────────────────────────────────────────────────────────────────────────────────

export const wireTypes = { varint: 0, fixed64: 1, bytes: 2 } as const;

/** Writes the tag of a field. */
export const writeTag = (writer: Writer, number: number, wireType: number): Writer =>
  writer.uint32(number * 8 + wireType);

/** Writes a message as a field; `write` writes its content. */
export function writeNested(writer: Writer, number: number, write: () => void): void {
  writeTag(writer, number, wireTypes.bytes).fork();
  write();
  writer.ldelim();
}

function writeFields(writer: Writer, { fields }: MessageType, message: WireMessage): void {
  for (const [name, field] of Object.entries(fields())) {
    const value = message[name] ?? null;
    if (field.number === 0 || value === null) continue;
    for (const item of field.list && Array.isArray(value) ? value : [value])
      writeValue(writer, field.number, field.type, item, field.list);
    if (field.has !== undefined) writeValue(writer, field.has, 'bool', true);
  }
}

function writeValue(
  writer: Writer,
  number: number,
  type: Field['type'],
  value: unknown,
  isItem = false,
): void {
  if (typeof type === 'object') {
    if (type.kind === 'own') type.write(writer, number, value);
    else if (type.kind === 'message')
      writeNested(writer, number, () => writeFields(writer, type, value as WireMessage));
    else writeValue(writer, number, 'uint32', type.numbers[String(value)] ?? 0, isItem);
    return;
  }
  const isDefault = value === '' || value === 0 || value === 0n || value === false;
  if (isDefault && !isItem) return;
  writeTag(writer, number, scalarWireType(type));
  writeScalar(writer, type, value);
}

function writeScalar(writer: Writer, type: Scalar, value: unknown): void {
  if (type === 'string') writer.string(String(value).toWellFormed());
  else if (type === 'bytes') writer.bytes(value as Uint8Array);
  else if (type === 'double') writer.double(Number(value));
  else if (type === 'bool' || type === 'uint32') writer.uint32(Number(value) >>> 0);
  else if (type === 'sint64') writer.sint64(long(value as number | bigint));
  else writer.int64(long(value as number | bigint));
}

/** A 64-bit number for the library: one that a double cannot hold becomes text. */
export const long = (value: number | bigint): number | string =>
  typeof value === 'bigint' ? String(BigInt.asIntN(64, value)) : value;

// ── Reading ──────────────────────────────────────────────────────────────────────────────────────

const deepest = 32; // nesting of messages

// A message is read in one turn, before its sender has logged in.
const mostFields = requestLimits.bodyValues.most;

interface Place {
  readonly depth: number;
  readonly count: { fields: number }; // of the outermost message
}

interface Layout {
  readonly declared: readonly (readonly [name: string, field: Field])[];
  readonly byNumber: ReadonlyMap<number, { readonly name: string; readonly field: Field }>;
  readonly lists: readonly string[];
}

// A request may hold hundreds of thousands of messages of one type.
const layouts = new WeakMap<MessageType, Layout>();

function layoutOf(type: MessageType): Layout {
  const known = layouts.get(type);
  if (known) return known;
  const declared = Object.entries(type.fields());
  const layout = {
    declared,
    byNumber: new Map(declared.map(([name, field]) => [field.number, { name, field }])),
    lists: declared.flatMap(([name, { list }]) => (list ? [name] : [])),
  };
  layouts.set(type, layout);
  return layout;
}

function readFields(type: MessageType, reader: Reader, place: Place): WireMessage {
  const { depth, count } = place;
  if (depth > deepest) throw new BadMessage(`Messages are nested more than [${deepest}] levels`);
  const { declared, byNumber, lists } = layoutOf(type);
  const message: Record<string, unknown> = {};
  for (const name of lists) message[name] = [];
  const said = new Set<number>();
  while (reader.pos < reader.len) {
    if (++count.fields > mostFields)
      throw new BadMessage(`It has more than [${mostFields}] fields`);
    const tag = reader.uint32();
    const [number, wireType] = [tag >>> 3, tag & 7];
    const known = byNumber.get(number);
    if (!known) {
      if (wireType !== wireTypes.varint) skip(reader, wireType);
      else if (reader.bool()) said.add(number);
      continue;
    }
    const { name, field } = known;
    if (wireType !== wireTypeOf(field))
      throw new BadMessage(
        `Field [${name}] has wire type [${wireType}] instead of [${wireTypeOf(field)}]`,
      );
    if (field.map) {
      message[name] ??= {};
      Object.assign(message[name] as object, pairIn(reader, place));
    } else if (field.list) (message[name] as unknown[]).push(valueIn(field, reader, place));
    else message[name] = valueIn(field, reader, place);
  }
  // Some clients send only the presence flag of a field, some only the field.
  for (const [name, { has, list, type }] of declared) {
    if (has === undefined) continue;
    const isEmpty = list ? (message[name] as unknown[]).length === 0 : message[name] === undefined;
    if (!said.has(has) && isEmpty) message[name] = undefined;
    else if (!list) message[name] ??= type === 'bool' ? false : '';
  }
  return message;
}

const inside = ({ depth, count }: Place): Place => ({ depth: depth + 1, count });

function skip(reader: Reader, wireType: number): void {
  if (!skippable.includes(wireType)) throw new BadMessage(`Wire type [${wireType}] is unknown`);
  reader.skipType(wireType);
}

// 3 and 4 are groups, of version 1; 5 is 4 bytes
const skippable: readonly number[] = [wireTypes.fixed64, wireTypes.bytes, 5];

function pairIn(reader: Reader, place: Place): Readonly<Record<string, string>> {
  const { key = '', value = '' } = readFields(pair, Reader.create(reader.bytes()), inside(place));
  return { [String(key)]: String(value) };
}

const pair: MessageType = {
  kind: 'message',
  fields: () => ({ key: { number: 1, type: 'string' }, value: { number: 2, type: 'string' } }),
};

function wireTypeOf({ type, map }: Field): number {
  if (map) return wireTypes.bytes;
  if (typeof type === 'object') return type.kind === 'enum' ? wireTypes.varint : wireTypes.bytes;
  return scalarWireType(type);
}

function scalarWireType(type: Scalar): number {
  if (type === 'string' || type === 'bytes') return wireTypes.bytes;
  return type === 'double' ? wireTypes.fixed64 : wireTypes.varint;
}

function valueIn({ type }: Field, reader: Reader, place: Place): unknown {
  if (typeof type === 'object') {
    if (type.kind === 'message')
      return readFields(type, Reader.create(reader.bytes()), inside(place));
    if (type.kind === 'own') return reader.bytes();
    const number = reader.uint32();
    return (
      Object.keys(type.numbers).find((name) => type.numbers[name] === number) ?? String(number)
    );
  }
  switch (type) {
    case 'string':
      return textIn(reader.bytes());
    case 'bytes':
      return reader.bytes();
    case 'double':
      return reader.double();
    case 'bool':
      return reader.bool();
    case 'uint32':
      return reader.uint32();
    case 'int32':
      return reader.int32();
    case 'sint64':
      return exactNumber(reader.sint64());
    default:
      return exactNumber(reader.int64());
  }
}

function exactNumber({ high, low }: Long): number | bigint {
  const number = high * 2 ** 32 + (low >>> 0);
  return Number.isSafeInteger(number) ? number : (BigInt(high) << 32n) | BigInt(low >>> 0);
}

function textIn(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new BadMessage('A text is not UTF-8');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
