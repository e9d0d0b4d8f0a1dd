// The runtime properties of the service: names and texts, as in `common.runtime.properties`.
import { InvalidTime } from '../model/instant.ts';
import { addPeriod, parsePeriod } from '../model/period.ts';
import { CannotStart } from './cannot-start.ts';

export class Properties {
  readonly #service: string;
  readonly #values: Readonly<Record<string, string>>;

  /** `service` stands at the beginning of every name that is asked for: `svc.coordinator.period`. */
  constructor(service: string, values: Readonly<Record<string, string>>) {
    this.#service = service;
    this.#values = values;
  }

  /** All but those whose names hold a hidden word, sorted (the specification, "Service status"). */
  shown(): Record<string, string> {
    const hidden = this.#hiddenWords();
    const visible = Object.entries(this.#values).filter(([name]) => !hidden.some((word) => name.toLowerCase().includes(word)));
    return Object.fromEntries(visible.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  text(name: string): string | undefined {
    return this.#values[`${this.#service}.${name}`];
  }

  truth(name: string, usual: boolean): boolean {
    const value = this.text(name);
    return value === undefined ? usual : value.trim().toLowerCase() === 'true';
  }

  /** Throws CannotStart when it is not there. */
  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw new CannotStart(`Property [${this.#service}.${name}] is missing`);
    return value;
  }

  /** A JSON list of texts. Throws CannotStart for anything else. */
  texts(name: string, usual: readonly string[]): readonly string[] {
    const value = this.text(name);
    if (value === undefined) return usual;
    const list = jsonIn(value);
    if (!Array.isArray(list) || !list.every((each) => typeof each === 'string'))
      throw this.#unreadable(name, value, 'a JSON list of texts');
    return list;
  }

  /**
   * A password: as it is, or where it stands (Druid: "Password providers"): `{"type": "environment", "variable": "ADMIN_PASSWORD"}`. Throws
   * CannotStart for a variable that is not set.
   */
  password(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined || !value.trim().startsWith('{')) return value;
    const provider = jsonIn(value);
    const { type, password, variable }: Record<string, unknown> = typeof provider === 'object' && provider !== null ? { ...provider } : {};
    if (type === 'default' && typeof password === 'string') return password;
    if (type !== 'environment' || typeof variable !== 'string') return value;
    const found = process.env[variable];
    if (found === undefined) throw new CannotStart(`Property [${this.#service}.${name}] wants variable [${variable}], which is not set`);
    return found;
  }

  /** For a value that is none of those that are known. */
  unknown(name: string, value: string, known: readonly string[]): CannotStart {
    return this.#unreadable(name, value, `one of [${known.join(', ')}]`);
  }

  /** Throws CannotStart for what is no number. */
  integer(name: string, usual: number): number {
    const value = this.text(name)?.trim();
    if (value === undefined) return usual;
    if (!/^-?\d{1,15}$/.test(value)) throw this.#unreadable(name, value, 'a number');
    return Number(value);
  }

  /** The length of an ISO period in milliseconds, counted from 1970. Throws CannotStart for what is no period. */
  periodMs(name: string, usual: string): number {
    const value = this.text(name)?.trim() ?? usual;
    try {
      return addPeriod(0, parsePeriod(value));
    } catch (error) {
      throw error instanceof InvalidTime ? this.#unreadable(name, value, 'an ISO period') : error;
    }
  }

  #unreadable(name: string, value: string, wanted: string): CannotStart {
    return new CannotStart(`Property [${this.#service}.${name}] is [${value}], which is not ${wanted}`);
  }

  #hiddenWords(): string[] {
    if (this.text('server.hiddenProperties') === undefined)
      return usuallyHidden.map((word) => word.replace(/^svc/, this.#service).toLowerCase());
    return this.texts('server.hiddenProperties', []).map((word) => word.toLowerCase());
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const usuallyHidden = [
  'svc.s3.accessKey',
  'svc.s3.secretKey',
  'svc.metadata.storage.connector.password',
  'password',
  'key',
  'token',
  'pwd',
];

/** Reads a file of properties: `name=value` or `name: value` in each line, comments after # or !, a backslash before a line's end continues it. */
export function parseProperties(text: string): Record<string, string> {
  const lines = text.replace(/\\\r?\n[ \t]*/g, '').split(/\r?\n/);
  const pairs = lines.flatMap((line) => {
    const [, name, value = ''] = /^\s*([^\s#!=:][^\s=:]*)\s*[=:\s]?\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value.replace(/\\(.)/g, '$1')] as const];
  });
  return Object.fromEntries(pairs);
}
