// Extensions that can be turned off (Druid: "Loading extensions"). All of them are part of the
// program; a list that omits one turns it off.
import { isObject } from '../../model/difference.ts';
import { Refusal } from '../checks/refusals.ts';
import { formatExtensions, type Lacking, queryExtensions } from '../planning/lacking.ts';
import { CannotStart } from '../process/cannot-start.ts';
import type { Properties } from './properties.ts';

/**
 * Extensions that a list may omit, by their names without the service's prefix:
 * `svc-basic-security`.
 */
export type Extension = (typeof extensions)[number];

const extensions = [
  'basic-security',
  'kafka-indexing-service',
  's3-extensions',
  ...queryExtensions,
] as const;

// Other extensions of the real engine, always on here.
const alwaysOn = ['lookups-cached-global', 'multi-stage-query'];
const withoutPrefix = ['simple-client-sslcontext'];

const loadList = 'extensions.loadList';

export class Extensions {
  readonly #service: string;
  readonly #listed: readonly string[] | undefined; // undefined: all

  /** Throws CannotStart for an invalid list. */
  constructor(service: string, properties: Properties) {
    this.#service = service;
    this.#listed =
      properties.text(loadList) === undefined ? undefined : properties.texts(loadList, []);
  }

  has(extension: Extension): boolean {
    return this.#listed?.includes(`${this.#service}-${extension}`) ?? true;
  }

  /**
   * The extensions that are off and whose parts occur in queries, each with the end of a sentence
   * that states the reason.
   */
  lackingInQueries(): readonly Lacking[] {
    return queryExtensions.flatMap((extension) =>
      this.has(extension) ? [] : [{ extension, reason: this.#lacks(extension) }],
    );
  }

  /**
   * Refuses a specification of a task or a supervisor that reads a format of a disabled extension.
   */
  checkFormat(given: Readonly<Record<string, unknown>>): void {
    const { spec = given } = given;
    const ioConfig = isObject(spec) ? spec.ioConfig : undefined;
    const format = isObject(ioConfig) ? ioConfig.inputFormat : undefined;
    for (const [type, extension] of Object.entries(formatExtensions))
      if (isObject(format) && format.type === type)
        this.mustHave(extension, `Input format [${type}]`);
  }

  /** Listed extensions that this service does not have. */
  unknown(): readonly string[] {
    const known = [...extensions, ...alwaysOn].map((name) => `${this.#service}-${name}`);
    return (
      this.#listed?.filter((name) => !known.includes(name) && !withoutPrefix.includes(name)) ?? []
    );
  }

  /** Throws CannotStart when a property requests a type of an extension that is not listed. */
  mustHaveFor(name: string, value: string, extension: Extension): void {
    if (!this.has(extension))
      throw new CannotStart(
        `Property [${this.#service}.${name}] is [${value}], which ${this.#lacks(extension)}`,
      );
  }

  /**
   * Refuses a feature of an extension that is not listed; `what` is the subject of the sentence.
   */
  mustHave(extension: Extension, what: string): void {
    if (!this.has(extension))
      throw new Refusal('invalidInput', `${what} ${this.#lacks(extension)}`, {
        family: 'simpleMap',
      });
  }

  #lacks(extension: Extension): string {
    const name = `${this.#service}-${extension}`;
    return `needs extension [${name}], which is off because property [${this.#service}.${loadList}] does not list it. Add [${name}] to the list, or remove the property to have all extensions`;
  }
}
