// Requests of JDBC drivers, parsed from either serialization into one form.
import { isUtf8 } from 'node:buffer';
import { depthOf, parseJson } from '../../../model/json.ts';
import { requestLimits } from '../../../model/limits.ts';
import { requestLimitExceeded } from '../../checks/refusals.ts';
import { type RequestName, requests, wireMessage } from './protocol.ts';
import { unreadable } from './refusals.ts';
import { BadMessage, decode, type Field, type WireFields, type WireMessage } from './wire.ts';

/** A request: its name, and its fields as declared in `protocol.ts`. */
export interface AvaticaRequest {
  readonly name: RequestName;
  readonly fields: WireMessage;
}

/** A parameter in JSON form. */
export interface GivenValue {
  readonly type: string;
  readonly value: unknown;
}

/** Parses a JSON request. Throws a refusal that names the fault. */
export function requestInJson(bytes: Uint8Array): AvaticaRequest {
  checkLength(bytes);
  const text = textOf(bytes);
  if (depthOf(text) > deepest)
    throw unreadable(`objects and lists are nested more than ${deepest} levels`);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw unreadable((error as Error).message);
  }
  if (!isObject(value)) throw unreadable('it is not a JSON object');
  const { request, ...fields } = value;
  const name = nameOf(request);
  checkFields(requests[name].fields, fields, '');
  return { name, fields };
}

/** Parses a Protocol Buffers request. Throws a refusal that names the fault. */
export function requestInProtobuf(bytes: Uint8Array): AvaticaRequest {
  checkLength(bytes);
  try {
    const { name: className, wrapped } = decode(wireMessage, bytes);
    const found = Object.entries(requests).find(
      ([, declared]) => className === `${packageName}${declared.className}`,
    );
    if (!found) throw unreadable(`request [${String(className ?? '')}] does not exist`);
    const [name, { fields }] = found;
    const decoded = decode(
      { kind: 'message', fields: () => fields },
      wrapped instanceof Uint8Array ? wrapped : new Uint8Array(),
    );
    return { name: name as RequestName, fields: withNewerFields(decoded) };
  } catch (error) {
    if (error instanceof BadMessage) throw unreadable(error.message);
    throw error;
  }
}

const packageName = 'org.apache.calcite.avatica.proto.Requests$';

const deepest = 100;

function checkLength({ length }: Uint8Array): void {
  if (length > requestLimits.documentBytes.most)
    throw requestLimitExceeded('documentBytes', length, 'body');
}

function textOf(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw unreadable('it is not UTF-8');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

function nameOf(request: unknown): RequestName {
  if (typeof request === 'string' && Object.hasOwn(requests, request))
    return request as RequestName;
  throw unreadable(`field [request] must be one of ${Object.keys(requests).join(', ')}`);
}

function checkFields(declared: WireFields, given: Record<string, unknown>, path: string): void {
  for (const [name, value] of Object.entries(given)) {
    const field = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (!field) throw unreadable(`field [${path}${name}] is unknown`);
    checkField(field, value, path + name);
  }
}

function checkField(field: Field, value: unknown, path: string): void {
  if (value === null || field.type === 'bytes') return;
  if (field.map) {
    if (!isObject(value) || Object.values(value).some((each) => typeof each !== 'string'))
      throw wrong(path, 'an object of texts');
  } else if (field.list) {
    if (!Array.isArray(value)) throw wrong(path, 'a list');
    if (field.type === 'string' && value.some((each) => typeof each !== 'string'))
      throw wrong(path, 'a list of texts');
    if (typeof field.type === 'object' && value.some((each) => each !== null && !isTyped(each)))
      throw wrong(path, 'a list of objects with [type] and [value]');
  } else if (typeof field.type === 'object') {
    if (!isObject(value)) throw wrong(path, 'an object');
    if (field.type.kind === 'message') checkFields(field.type.fields(), value, `${path}.`);
  } else if (field.type === 'string') {
    if (typeof value !== 'string') throw wrong(path, 'a text');
  } else if (field.type === 'bool') {
    if (typeof value !== 'boolean') throw wrong(path, 'true or false');
  } else if (!Number.isSafeInteger(value)) throw wrong(path, 'a whole number');
}

const wrong = (path: string, wanted: string) => unreadable(`field [${path}] is not ${wanted}`);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTyped = (value: unknown): value is GivenValue =>
  isObject(value) && typeof value.type === 'string';

// New fields take precedence over the fields they replaced, and parameters get their JSON form.
function withNewerFields({
  maxRowsTotal,
  frameMaxSize,
  parameterValues,
  ...fields
}: WireMessage): WireMessage {
  const { maxRowCount, fetchMaxRowCount } = fields;
  return {
    ...fields,
    maxRowCount: maxRowsTotal ?? maxRowCount,
    ...(maxRowsTotal !== undefined && { maxRowsTotal }),
    fetchMaxRowCount: frameMaxSize ?? fetchMaxRowCount,
    ...(Array.isArray(parameterValues) && { parameterValues: parameterValues.map(typedValueOf) }),
  };
}

function typedValueOf(given: WireMessage): GivenValue | null {
  if (given.implicitlyNull === true) return null;
  const type = String(given.type ?? 'PRIMITIVE_BOOLEAN'); // the first value has the number 0, which is not transmitted
  return { type, value: sentValue(type, given) };
}

function sentValue(type: string, given: WireMessage): unknown {
  if (given.null === true || type === 'NULL') return null;
  switch (type) {
    case 'BOOLEAN':
    case 'PRIMITIVE_BOOLEAN':
      return given.bool ?? false;
    case 'STRING':
    case 'CHARACTER':
    case 'PRIMITIVE_CHAR':
      return given.string ?? '';
    case 'BIG_DECIMAL':
      return given.string ?? '0';
    case 'DOUBLE':
    case 'PRIMITIVE_DOUBLE':
      return given.double ?? 0;
    case 'FLOAT':
    case 'PRIMITIVE_FLOAT':
      return floatOf(Number(given.number ?? 0));
    case 'BIG_INTEGER':
      return integerOf(given.bytes);
    case 'BYTE_STRING':
      return given.bytes ?? given.string ?? '';
    case 'ARRAY':
      return Array.isArray(given.array)
        ? given.array.map((item: WireMessage) => typedValueOf(item)?.value ?? null)
        : [];
    default:
      return given.number ?? 0;
  }
}

function floatOf(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setInt32(0, bits);
  return view.getFloat32(0);
}

// Two's complement, highest byte first (Java: BigInteger.toByteArray).
function integerOf(bytes: unknown): bigint {
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) return 0n;
  if (bytes.length > 64) throw unreadable('a BIG_INTEGER has more than 64 bytes');
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
}
