// Runtime properties of the service: names and texts, as in `common.runtime.properties`.
import { InvalidTime } from '../../model/instant.ts';
import { addPeriod, parsePeriod } from '../../model/period.ts';
import { isSecretName, maskWord } from '../../model/secrets.ts';
import { CannotStart } from '../process/cannot-start.ts';

/** Line numbers of the properties in their file, by their full names. */
export type PropertyLines = Readonly<Record<string, number>>;

/** A property and its line, for the beginning of a sentence. */
export const namePlace = (name: string, lines: PropertyLines): string =>
  `Property [${name}]${Object.hasOwn(lines, name) ? ` in line [${lines[name]}]` : ''}`;

export class Properties {
  readonly #asked = new Set<string>();
  readonly #lines: PropertyLines;
  readonly #service: string;
  readonly #values: Readonly<Record<string, string>>;

  /** `service` is the prefix of every requested name: `svc.coordinator.period`. */
  constructor(
    service: string,
    values: Readonly<Record<string, string>>,
    lines: PropertyLines = {},
  ) {
    this.#lines = lines;
    this.#service = service;
    this.#values = values;
  }

  /**
   * All properties except those whose names contain a hidden word, sorted (the specification,
   * "Service status").
   */
  listShown(): Record<string, string> {
    const hidden = this.#hiddenWords();
    const visible = Object.entries(this.#values).filter(
      ([name]) => !hidden.some((word) => name.toLowerCase().includes(word)),
    );
    const masked = visible.map(([name, value]): [string, string] => [
      name,
      isSecretName(name.split('.').at(-1) ?? '') ? maskWord : value,
    ]);
    return Object.fromEntries(masked.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The first existing name below a prefix. */
  findBelow(prefix: string): string | undefined {
    const found = Object.keys(this.#values).find((name) =>
      name.startsWith(`${this.#service}.${prefix}`),
    );
    return found?.slice(this.#service.length + 1);
  }

  text(name: string): string | undefined {
    this.#asked.add(`${this.#service}.${name}`);
    return this.#values[`${this.#service}.${name}`];
  }

  /** The names read so far, without the service's prefix. */
  listRead(): string[] {
    return [...this.#asked].map((name) => name.slice(this.#service.length + 1));
  }

  /** The service's properties that were not read so far, with their lines. */
  notAsked(): { readonly name: string; readonly place: string }[] {
    const own = Object.keys(this.#values).filter(
      (name) => name.startsWith(`${this.#service}.`) && !this.#asked.has(name),
    );
    return own.map((name) => ({
      name: name.slice(this.#service.length + 1),
      place: namePlace(name, this.#lines),
    }));
  }

  /** Throws CannotStart for a value that is neither `true` nor `false`. */
  truth(name: string, defaultValue: boolean): boolean {
    const value = this.text(name)?.trim().toLowerCase();
    if (value === undefined) return defaultValue;
    if (value !== 'true' && value !== 'false') throw this.unknown(name, value, ['true', 'false']);
    return value === 'true';
  }

  /** Throws CannotStart when the property is missing. */
  getText(name: string): string {
    const value = this.text(name);
    if (value === undefined)
      throw new CannotStart(`Property [${this.#service}.${name}] is missing`);
    return value;
  }

  /** A JSON list of texts. Throws CannotStart for anything else. */
  texts(name: string, defaultValue: readonly string[]): readonly string[] {
    const value = this.text(name);
    if (value === undefined) return defaultValue;
    const list = jsonIn(value);
    if (!Array.isArray(list) || !list.every((each) => typeof each === 'string'))
      throw this.#unreadable(name, value, 'a JSON list of texts');
    return list;
  }

  /**
   * A password: the value itself, or a reference (Druid: "Password providers"): `{"type":
   * "environment", "variable": "ADMIN_PASSWORD"}`. Throws CannotStart for a variable that is not
   * set.
   */
  password(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined || !value.trim().startsWith('{')) return value;
    const provider = jsonIn(value);
    const { type, password, variable }: Record<string, unknown> =
      typeof provider === 'object' && provider !== null ? { ...provider } : {};
    if (type === 'default' && typeof password === 'string') return password;
    if (type !== 'environment' || typeof variable !== 'string') return value;
    const found = process.env[variable];
    if (found === undefined)
      throw new CannotStart(
        `${this.place(name)} refers to environment variable [${variable}], which is not set`,
      );
    return found;
  }

  /** Error for a value that is not one of the known values. */
  unknown(name: string, value: string, known: readonly string[]): CannotStart {
    return this.#unreadable(name, value, `one of [${known.join(', ')}]`);
  }

  /** Error for a number that is too small or too large. */
  outside(name: string, least: number, most: number): CannotStart {
    return this.#unreadable(name, this.text(name) ?? '', `between ${least} and ${most}`);
  }

  /** Error for an invalid value: `sentence` states why, without the name. */
  wrong(name: string, sentence: string): CannotStart {
    return new CannotStart(`${this.place(name)} ${sentence}`);
  }

  /** Throws CannotStart for a value that is not a number. */
  integer(name: string, defaultValue: number): number {
    const value = this.text(name)?.trim();
    if (value === undefined) return defaultValue;
    if (!/^-?\d{1,15}$/.test(value)) throw this.#unreadable(name, value, 'a number');
    return Number(value);
  }

  /**
   * The length of an ISO period in milliseconds, counted from 1970. Throws CannotStart for a value
   * that is not a period.
   */
  periodMs(name: string, defaultValue: string): number {
    const value = this.text(name)?.trim() ?? defaultValue;
    try {
      return addPeriod(0, parsePeriod(value));
    } catch (error) {
      throw error instanceof InvalidTime ? this.#unreadable(name, value, 'an ISO period') : error;
    }
  }

  #unreadable(name: string, value: string, wanted: string): CannotStart {
    return new CannotStart(`${this.place(name)} is [${value}], which is not ${wanted}`);
  }

  /** The name with the service's prefix, as in the file. */
  fullName(name: string): string {
    return `${this.#service}.${name}`;
  }

  /** The property and its line, for the beginning of a sentence. */
  place(name: string): string {
    return namePlace(this.fullName(name), this.#lines);
  }

  #hiddenWords(): string[] {
    if (this.text('server.hiddenProperties') === undefined)
      return hiddenByDefault.map((word) => word.replace(/^svc/, this.#service).toLowerCase());
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

const hiddenByDefault = [
  'svc.s3.accessKey',
  'svc.s3.secretKey',
  'svc.metadata.storage.connector.password',
  'password',
  'key',
  'token',
  'pwd',
];

/**
 * Parses a file of properties: `name=value` or `name: value` in each line, comments after # or !. A
 * backslash at the end of a line continues it.
 */
export const parseProperties = (text: string): Record<string, string> =>
  Object.fromEntries(pairsIn(text).map(({ name, value }) => [name, value]));

/**
 * The first line of each property in a file; for a duplicate name the last occurrence, which takes
 * effect.
 */
export const linesOfProperties = (text: string): Record<string, number> =>
  Object.fromEntries(pairsIn(text).map(({ name, line }) => [name, line]));

// Parses like java.util.Properties.load.
function pairsIn(
  text: string,
): { readonly name: string; readonly value: string; readonly line: number }[] {
  const pairs: { name: string; value: string; line: number }[] = [];
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1;
    let whole = lines[at] ?? '';
    if (/^\s*[#!]/.test(whole)) continue;
    while (endsOpen(whole) && at + 1 < lines.length)
      whole = whole.slice(0, -1) + (lines[++at] ?? '').trimStart();
    const [, name, value = ''] = /^\s*((?:\\.|[^\s=:\\])+)\s*[=:\s]?\s*(.*?)\s*$/.exec(whole) ?? [];
    if (name !== undefined)
      pairs.push({ name: unescapeText(name), value: unescapeText(value), line });
  }
  return pairs;
}

// An even number of backslashes is a sequence of escaped backslashes.
const endsOpen = (line: string) => (/\\*$/.exec(line)?.[0].length ?? 0) % 2 === 1;

const unescapeText = (text: string) =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code: string | undefined, sign: string) =>
    code === undefined ? (controls[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
  );

const controls: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };
