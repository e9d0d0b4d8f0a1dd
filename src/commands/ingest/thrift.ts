// Reader of Thrift's compact protocol (THRIFT-110): values without names, by the ids of their
// fields.

export type ThriftValue =
  | boolean
  | bigint
  | number
  | Uint8Array
  | readonly ThriftValue[]
  | ThriftStruct;
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;

/** The struct at the beginning of the bytes. Throws RangeError for bytes that are not Thrift. */
export const readStruct = (bytes: Uint8Array): ThriftStruct => new Reader(bytes).struct(0);

const deepest = 64;

class Reader {
  readonly #bytes: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  struct(depth: number): ThriftStruct {
    if (depth > deepest) throw new RangeError('The structure is nested too deeply');
    const fields = new Map<number, ThriftValue>();
    let id = 0;
    for (let head = this.#byte(); head !== 0; head = this.#byte()) {
      const [delta, type] = [head >> 4, head & 15];
      id = delta === 0 ? Number(this.#zigzag()) : id + delta;
      fields.set(id, this.#value(type, depth));
    }
    return fields;
  }

  #value(type: number, depth: number): ThriftValue {
    switch (type) {
      case 1:
        return true;
      case 2:
        return false;
      case 3:
        return this.#byte();
      case 4:
      case 5:
      case 6:
        return this.#zigzag();
      case 7:
        this.#at += 8;
        return this.#bytes.getFloat64(this.#at - 8, true);
      case 8:
        return this.#binary();
      case 9:
      case 10:
        return this.#list(depth);
      case 11:
        return this.#map(depth);
      case 12:
        return this.struct(depth + 1);
      default:
        throw new RangeError(`Type [${type}] is unknown`);
    }
  }

  #list(depth: number): readonly ThriftValue[] {
    const head = this.#byte();
    const size = head >> 4 === 15 ? Number(this.#varint()) : head >> 4;
    const items: ThriftValue[] = [];
    for (let at = 0; at < size; at++) items.push(this.#item(head & 15, depth));
    return items;
  }

  // Keys and values follow each other.
  #map(depth: number): readonly ThriftValue[] {
    const size = Number(this.#varint());
    if (size === 0) return [];
    const types = this.#byte();
    const items: ThriftValue[] = [];
    for (let at = 0; at < size; at++)
      items.push(this.#item(types >> 4, depth), this.#item(types & 15, depth));
    return items;
  }

  // A truth value in a list has a byte of its own.
  #item(type: number, depth: number): ThriftValue {
    return type === 1 || type === 2 ? this.#byte() === 1 : this.#value(type, depth + 1);
  }

  #binary(): Uint8Array {
    const size = Number(this.#varint());
    const start = this.#bytes.byteOffset + this.#at;
    if (this.#at + size > this.#bytes.byteLength) throw new RangeError('The bytes are cut off');
    this.#at += size;
    return new Uint8Array(this.#bytes.buffer, start, size);
  }

  #zigzag(): bigint {
    const value = this.#varint();
    return (value >> 1n) ^ -(value & 1n);
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new RangeError('A number is too long');
  }

  #byte(): number {
    return this.#bytes.getUint8(this.#at++); // throws RangeError at the end
  }
}
