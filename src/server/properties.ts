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
    const given = this.text('server.hiddenProperties');
    if (given === undefined) return usuallyHidden.map((word) => word.replace(/^svc/, this.#service).toLowerCase());
    const [name, wanted] = ['server.hiddenProperties', 'a JSON list of texts'];
    try {
      const words: unknown = JSON.parse(given);
      if (Array.isArray(words)) return words.map((word) => String(word).toLowerCase());
    } catch {
      // said below
    }
    throw this.#unreadable(name, given, wanted);
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
