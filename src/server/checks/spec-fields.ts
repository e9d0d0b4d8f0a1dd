// Reader of submitted tasks and ingestion specifications: reads field by field, and each refusal
// names the field by its path.
import { InvalidTime } from '../../model/instant.ts';
import { type Interval, parseInterval } from '../../model/interval.ts';
import { requestLimits } from '../../model/limits.ts';
import { Refusal, requestLimitExceeded } from './refusals.ts';

export type SpecValues = Readonly<Record<string, unknown>>;

/**
 * An object of a submitted specification. `path` leads to it: `spec.dataSchema`. All methods throw
 * a Refusal for an invalid field. Scalars are converted into each other as by the real engine's
 * reader (Jackson). Unknown fields are ignored, as there.
 */
export class SpecFields {
  readonly values: SpecValues;
  readonly path: string;

  constructor(values: SpecValues, path: string) {
    this.values = values;
    this.path = path;
  }

  has(name: string): boolean {
    return this.values[name] !== undefined && this.values[name] !== null;
  }

  object(name: string): SpecFields {
    return this.optionalObject(name) ?? this.#refuse(name, 'must not be null');
  }

  optionalObject(name: string): SpecFields | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return undefined;
    return isObject(value)
      ? new SpecFields(value, this.#pathOf(name))
      : this.#refuse(name, `expected an object, but got [${formatValue(value)}]`);
  }

  text(name: string): string {
    return this.optionalText(name) ?? this.#refuse(name, 'must not be null');
  }

  optionalText(name: string): string | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return undefined;
    return isScalar(value)
      ? String(value)
      : this.#refuse(name, `expected a text, but got [${formatValue(value)}]`);
  }

  integer(name: string, defaultValue: number): number {
    return this.optionalInteger(name) ?? defaultValue;
  }

  optionalInteger(name: string): number | undefined {
    const number = this.optionalLong(name);
    return number === undefined || number === (number | 0)
      ? number
      : this.#refuse(name, `[${number}] is out of range of an integer of 32 bits`);
  }

  long(name: string, defaultValue: number): number {
    return this.optionalLong(name) ?? defaultValue;
  }

  /** An integer of 64 bits; beyond 2^53 the nearest double. */
  optionalLong(name: string): number | undefined {
    const value = this.values[name];
    if (value === undefined || value === null || value === '') return undefined;
    const number =
      typeof value === 'bigint' || (typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value))
        ? Number(value)
        : value;
    return typeof number === 'number' && Math.abs(number) <= 2 ** 63
      ? Math.trunc(number)
      : this.#refuse(name, `expected an integer, but got [${formatValue(value)}]`);
  }

  truth(name: string, defaultValue = false): boolean {
    const value = this.values[name];
    if (value === undefined || value === null || value === '') return defaultValue;
    if (typeof value === 'number' && Number.isInteger(value)) return value !== 0;
    if (value === 'true' || value === 'True' || value === 'TRUE') return true;
    if (value === 'false' || value === 'False' || value === 'FALSE') return false;
    return typeof value === 'boolean'
      ? value
      : this.#refuse(name, `expected true or false, but got [${formatValue(value)}]`);
  }

  interval(name: string): Interval {
    return this.#intervalIn(name, this.text(name));
  }

  optionalIntervals(name: string): readonly Interval[] | undefined {
    return this.optionalTexts(name)?.map((text) => this.#intervalIn(name, text));
  }

  texts(name: string): readonly string[] {
    return this.optionalTexts(name) ?? [];
  }

  optionalTexts(name: string): readonly string[] | undefined {
    return this.optionalList(name)?.map((value) =>
      isScalar(value)
        ? String(value)
        : this.#refuse(name, `expected texts, but got [${formatValue(value)}]`),
    );
  }

  optionalList(name: string): readonly unknown[] | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value))
      return this.#refuse(name, `expected a list, but got [${formatValue(value)}]`);
    if (value.length > requestLimits.specItems.most)
      throw requestLimitExceeded('specItems', value.length, this.#pathOf(name));
    return value;
  }

  /** The objects of a list, each with its own path. */
  objects(name: string): readonly SpecFields[] {
    return this.textsOrObjects(name).map((item) =>
      typeof item === 'string' ? this.#refuse(name, `expected objects, but got [${item}]`) : item,
    );
  }

  /** The items of a list of names, or of objects where an item has more than a name. */
  textsOrObjects(name: string): readonly (string | SpecFields)[] {
    return (this.optionalList(name) ?? []).map((value, index) => {
      if (typeof value === 'string') return value;
      return isObject(value)
        ? new SpecFields(value, `${this.#pathOf(name)}[${index}]`)
        : this.#refuse(name, `expected objects, but got [${formatValue(value)}]`);
    });
  }

  /**
   * The `type` of this object, one of the known types. `what` is the kind of object: `InputSource`.
   */
  type<Known extends string>(what: string, known: readonly Known[], defaultValue?: Known): Known {
    const given = this.optionalText('type') ?? defaultValue;
    if (given === undefined) {
      throw invalidSpec(
        `Missing type id when trying to resolve subtype of [${what}]: missing type id property [type] in [${this.path}]`,
      );
    }
    const found = known.find((name) => name === given);
    if (found !== undefined) return found;
    throw invalidSpec(
      `Could not resolve type id [${given}] as a subtype of [${what}] in [${this.path}]: known type ids = [${known.join(', ')}]`,
    );
  }

  /** Refuses types that only the real engine has; `topic` lists the available types. */
  refuseTypes(what: string, unavailable: readonly string[], topic: string): void {
    const { type } = this.values;
    if (typeof type === 'string' && unavailable.includes(type))
      throw invalidSpec(`${what} [${type}] in [${this.path}] is not available. See ${topic}`);
  }

  refuse(problem: string): never {
    throw invalidSpec(`Cannot construct instance of [${this.path}], problem: ${problem}`);
  }

  #intervalIn(name: string, text: string): Interval {
    try {
      return parseInterval(text);
    } catch (error) {
      if (error instanceof InvalidTime)
        return this.#refuse(name, `expected an interval, but got [${text}]: ${error.message}`);
      throw error;
    }
  }

  #pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  #refuse(name: string, problem: string): never {
    throw invalidSpec(`Cannot deserialize value of field [${this.#pathOf(name)}]: ${problem}`);
  }
}

export const invalidSpec = (message: string) => new Refusal('invalidInput', message);

export const isObject = (value: unknown): value is SpecValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isScalar = (value: unknown) =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value);

const formatValue = (value: unknown) =>
  typeof value === 'object' ? (Array.isArray(value) ? 'a list' : 'an object') : String(value);
